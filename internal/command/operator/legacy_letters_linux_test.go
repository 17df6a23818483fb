package operator

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/translate/letter"
)

// /dev/full is a file on a disk that is always full.
func TestAFullDiskLeavesNoLetters(t *testing.T) {
	for _, format := range []string{"mbox", "csv"} {
		m := legacyLetters{Format: format, Out: filepath.Join(t.TempDir(), "letters"), BaseURL: "https://api.example.com"}
		out := m.output(servertest.Start)
		if err := out.begin(); err != nil {
			t.Fatal(err)
		}
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = out.file.Close()
		out.file = full
		out.text.Reset(full)
		l := &letter.Letter{Account: 5001, Email: "anna@example.com"}
		if err := out.add(l); err != nil {
			t.Fatal(err) // it is not on the disk yet
		}
		if err := out.finish(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: on a full disk: %v", format, err)
		}
		if err := out.discard(); err != nil {
			t.Error(err)
		}
		if left := names(t, filepath.Dir(m.Out)); left != nil {
			t.Errorf("%s: it leaves %v", format, left)
		}
	}
}
