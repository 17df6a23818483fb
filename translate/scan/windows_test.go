package scan_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// TestTheCorpusIsUnderstoodAsWindowsSavesIt finds the same in the corpus when its lines end as those of Windows do, when its files begin with
// the mark of UTF-8, and when they are UTF-16, as PowerShell writes it. Its folder has a blank and an umlaut in its name.
func TestTheCorpusIsUnderstoodAsWindowsSavesIt(t *testing.T) {
	want := places(scanned(t, nil, "testdata/corpus"), "testdata/corpus")
	if len(want) < 500 {
		t.Fatalf("only %d places", len(want))
	}
	for name, save := range map[string]func(text string) []byte{
		"line ends":       func(text string) []byte { return []byte(text) },
		"a mark":          func(text string) []byte { return []byte("\ufeff" + text) },
		"UTF-16 of Intel": func(text string) []byte { return wide("\ufeff" + text) },
	} {
		t.Run(name, func(t *testing.T) {
			top, folder := t.TempDir(), "alte Läden"
			err := filepath.WalkDir("testdata/corpus", func(path string, d fs.DirEntry, err error) error {
				inner, _ := filepath.Rel("testdata/corpus", path)
				if err != nil || d.IsDir() {
					return os.MkdirAll(filepath.Join(top, folder, inner), 0o700)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				lines := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n", "\r\n")
				return os.WriteFile(filepath.Join(top, folder, inner), save(lines), 0o600)
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(top)
			if diff := cmp.Diff(want, places(scanned(t, nil, folder), folder)); diff != "" {
				t.Errorf("(-corpus +saved on Windows):\n%s", diff)
			}
		})
	}
}

// wide is a text in UTF-16, the lower byte first.
func wide(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}
