package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/translate"
	"sellerd/translate/capture"
)

// This file visits folders and reads files.

// Limits of files, in bytes. Records are read piece by piece.
const (
	maxFile   = 5 << 20
	maxRecord = 2 << 30
)

// skippedFolders are folders of others' code, and of the history of one's own.
var skippedFolders = []string{".git", "vendor", "node_modules"}

// scanner is a scan that runs.
type scanner struct {
	table   *translate.Table
	options Options
	matcher *matcher
	world   *world

	entries []entryFile
	files   int
	skipped int
	partial []string // the names of files that were not read to their ends

	mu       sync.Mutex
	findings []place
}

// entryFile is a file that may be read.
type entryFile struct {
	path string // on this machine
	name string // as findings show it
	size int64

	inner  string // its path below the folder that was named
	named  bool   // it was named itself: it is read whatever text it is
	broken bool   // the first pass failed
}

// walk lists the files of a scan. Links are not followed.
func (s *scanner) walk(ctx context.Context) error {
	seen := map[string]bool{}
	for _, root := range s.options.Paths {
		info, err := os.Stat(root)
		if err != nil {
			return fmt.Errorf("scan: %w", plainError(err))
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("scan: %s is neither a file nor a folder", root)
		}
		top := root
		if info.IsDir() {
			top = strings.TrimRight(root, string(filepath.Separator)) + string(filepath.Separator) // a link that was named is followed
		} else if err := readable(root); err != nil {
			return fmt.Errorf("scan: %w", plainError(err))
		}
		err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			switch {
			case err != nil && path == top:
				return fmt.Errorf("scan: %s: %w", root, errors.Unwrap(err))
			case err != nil:
				s.skipped++ // it vanished, or is not for us
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.IsDir():
				if path != top && slices.Contains(skippedFolders, d.Name()) {
					s.skipped++
					return fs.SkipDir
				}
				return nil
			case path == top && !info.IsDir():
			case !d.Type().IsRegular():
				s.skipped++
				return nil
			}
			info, err := os.Stat(path)
			if err != nil {
				s.skipped++
				return nil //nolint:nilerr // it vanished
			}
			absolute, err := filepath.Abs(path)
			if err != nil || seen[absolute] {
				return nil //nolint:nilerr // it was named twice
			}
			seen[absolute] = true
			inner, err := filepath.Rel(root, path)
			if err != nil || inner == "." {
				inner = filepath.Base(path)
			}
			s.entries = append(s.entries, entryFile{path: path, name: filepath.ToSlash(filepath.Clean(path)), size: info.Size(), inner: filepath.ToSlash(inner), named: path == root})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readable returns the error of opening a file that was named.
func readable(path string) error {
	file, err := openFile(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// errIrregular is about a file that became something else, such as a pipe.
var errIrregular = errors.New("it is no regular file")

// openFile opens a regular file. It does not wait for a pipe that took the place of a file.
func openFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, errIrregular
	}
	return file, nil
}

// plainError returns an error without the name of the system call.
func plainError(err error) error {
	if e, ok := err.(*fs.PathError); ok { //nolint:errorlint // it comes from os.Stat itself
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}

// These bound what is in memory at the same time: a file has up to a token of 24 bytes a byte, and mostly ten bytes a byte.
const (
	maxWorkers = 4
	maxLarge   = 2 // files of more than largeFile bytes
	largeFile  = 1 << 20
)

// each does a pass over all files.
func (s *scanner) each(ctx context.Context, work func(entry *entryFile)) {
	var group sync.WaitGroup
	next, large := make(chan *entryFile), make(chan struct{}, maxLarge)
	for range min(max(runtime.GOMAXPROCS(0), 1), maxWorkers) {
		group.Go(func() {
			for entry := range next {
				if entry.size > largeFile {
					large <- struct{}{}
				}
				s.guarded(entry, work)
				if entry.size > largeFile {
					<-large
				}
			}
		})
	}
	for i := range s.entries {
		if ctx.Err() != nil {
			break
		}
		next <- &s.entries[i]
	}
	close(next)
	group.Wait()
}

// guarded does the work on one file. A mistake of the scanner costs that file: it counts as skipped, and is named.
func (s *scanner) guarded(entry *entryFile, work func(entry *entryFile)) {
	defer func() {
		if recover() != nil {
			s.mu.Lock()
			entry.broken = true
			s.mu.Unlock()
		}
	}()
	work(entry)
}

// learnFile is the first pass over a file.
func (s *scanner) learnFile(entry *entryFile) {
	kind, text, _, err := s.open(entry)
	if err == nil && text != "" {
		s.learn(kind, entry.inner, text)
	}
}

// searchFile is the second pass over a file: it finds the calls, counts the file, and keeps nothing else.
func (s *scanner) searchFile(entry *entryFile) {
	read, partial := false, entry.broken
	var found []place
	var used []string
	defer func() {
		if r := recover(); r != nil {
			read, partial = false, true
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range found {
			found[i].File = redacted(entry.name)
		}
		s.findings = append(s.findings, found...)
		for _, name := range used {
			s.world.used[name] = true
		}
		if read && !partial {
			s.files++
		} else {
			s.skipped++
		}
		if partial {
			s.partial = append(s.partial, redacted(entry.name))
		}
		if s.options.Progress != nil {
			s.options.Progress.Done()
		}
	}()
	kind, text, record, err := s.open(entry)
	switch {
	case err != nil:
		partial = partial || entry.named // who names a file takes it for read
		return
	case record != nil:
		defer func() { _ = record.Close() }()
		var whole bool
		var recorded []Finding
		recorded, whole = s.readRecords(record, top(entry.inner))
		for i := range recorded {
			found = append(found, place{Finding: recorded[i]})
		}
		read, partial = whole, !whole
		return
	}
	var f *file
	read = true
	if found, f = s.search(kind, entry.inner, text); f != nil {
		used = f.used
	}
}

// search is the second pass over a text. The file is nil when it has no path.
func (s *scanner) search(kind, inner, text string) ([]place, *file) {
	knows := s.matcher.knowsService(text)
	if !knows && !s.matcher.mayHave(text) {
		return nil, nil
	}
	f := s.parse(kind, inner, text)
	f.knows = knows
	f.declare()
	f.constants()
	defer f.release()
	return f.findings(), f
}

// headSize is how much of a file says what it is, in bytes.
const headSize = 4096

// errSkipped is about a file that is not for the scan.
var errSkipped = errors.New("the file is skipped")

// open reads a file of source or settings, or begins to read a record.
func (s *scanner) open(entry *entryFile) (kind, text string, r *record, err error) {
	opened, err := openFile(entry.path)
	if err != nil {
		return "", "", nil, err
	}
	keep := false
	defer func() {
		if !keep {
			_ = opened.Close()
		}
	}()
	head := make([]byte, headSize)
	n, err := io.ReadFull(opened, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // ReadFull returns them as they are
		return "", "", nil, err
	}
	head = head[:n]
	wide, isText := textual(head)
	if kind = kindOf(entry.inner, head); kind == "" && entry.named {
		kind = "shell" // texts show commands
		if capture.Sniff(head) == capture.Lines {
			kind = "lines"
		}
	}
	if !isText || kind == "" {
		return "", "", nil, errSkipped
	}
	if recorded := recordKind(kind, entry.name, head); recorded != capture.Unknown {
		if entry.size > maxRecord {
			return "", "", nil, errSkipped
		}
		keep = true
		return kind, "", &record{recorded, io.MultiReader(bytes.NewReader(head), opened), opened}, nil
	}
	if entry.size > maxFile {
		return "", "", nil, errSkipped
	}
	rest, err := io.ReadAll(io.LimitReader(opened, maxFile+1-int64(n)))
	if err != nil || len(rest)+n > maxFile {
		return "", "", nil, errSkipped
	}
	text = wide(append(head, rest...))
	if strings.EqualFold(filepath.Ext(entry.inner), ".ipynb") {
		text = notebook(text)
	}
	if strings.IndexByte(text, 0) >= 0 || kind == anyText && !entry.named && !s.matcher.namesHost(text) {
		return "", "", nil, errSkipped
	}
	return kind, text, nil, nil
}

var (
	cellOnALine = regexp.MustCompile(`"source"\s*:\s*(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]|"(?:[^"\\]|\\.)*")`)
	textOfJSON  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	remark      = regexp.MustCompile(`^((?:[^#"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)#.*$`)
)

// notebook returns the code of a notebook in JSON. Its lines are texts there, and stay where they are: mostly one on a line, and all on one
// line in a file without line breaks.
func notebook(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		quoted := strings.Trim(line, " \t\r\n,")
		if strings.HasPrefix(quoted, `"`) && textOfJSON.FindString(quoted) == quoted {
			b.WriteString(strings.Repeat(" ", strings.IndexByte(line, '"')) + " " + strings.ReplaceAll(codeOf(quoted), "\n", " "))
		} else {
			for _, cell := range cellOnALine.FindAllString(line, -1) {
				for _, quoted := range textOfJSON.FindAllString(cell, -1)[1:] {
					for code := range strings.SplitSeq(codeOf(quoted), "\n") {
						b.WriteString(remark.ReplaceAllString(code, "$1") + " ; ")
					}
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// codeOf returns the code that a text in JSON has. A command of the notebook is one that Python runs.
func codeOf(quoted string) string {
	unquoted, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	code := strings.TrimRight(string(unquoted), "\r\n")
	if command, ok := strings.CutPrefix(code, "!"); ok && !strings.Contains(command, "\n") {
		return "system('''" + command + "''')"
	}
	return code
}

// textual says whether the beginning of a file is text, and returns the function that converts the file to UTF-8.
func textual(head []byte) (convert func([]byte) string, ok bool) {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return func(b []byte) string { return fromUTF16(b[2:], binary.LittleEndian) }, true
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return func(b []byte) string { return fromUTF16(b[2:], binary.BigEndian) }, true
	}
	return fromBytes, bytes.IndexByte(head, 0) < 0
}

func fromUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// fromBytes converts a file to UTF-8. What is not UTF-8 is read as Latin-1, byte by byte.
func fromBytes(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			r = rune(b[0])
		}
		out.WriteRune(r)
		b = b[size:]
	}
	return out.String()
}

var (
	secretName = regexp.MustCompile(`dk_(?:live|test)_[A-Za-z0-9_-]*`)
	longWord   = regexp.MustCompile(`[A-Za-z0-9_-]{64,}`)
)

// redacted returns the name of a file without keys in it.
func redacted(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	return longWord.ReplaceAllString(secretName.ReplaceAllString(name, "[removed]"), "[removed]")
}
