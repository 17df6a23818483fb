package scan

import "io"

func (s *scanner) readSettings(kind fileKind, text string) *program {
	return &program{lang: langSettings, src: text, lines: lineStarts(text)}
}

func isRecord(kind fileKind, name string, head []byte, size int64) bool { return kind == kindLog || kind == kindHTTP }

func (s *scanner) readRecords(kind fileKind, entry *entryFile, r io.Reader) bool { return true }
