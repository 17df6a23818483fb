package bridge_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"sellerd/internal/bridge"
)

// TestOnlyTheOwnerMayReadTheFiles loads keys and the secret.
func TestOnlyTheOwnerMayReadTheFiles(t *testing.T) {
	if !bridge.PrivateByMode {
		return
	}
	folder := t.TempDir()
	path := folder + "/keys"
	line := strings.Repeat("k", 64) + " " + someKey + "\n"
	for mode, private := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o644: false, 0o620: false} {
		_ = os.Remove(path)
		if err := os.WriteFile(path, []byte(line), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		keys, err := bridge.LoadKeys(path)
		if private != (err == nil) || private && len(keys) != 1 || err != nil && (!strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), "kkkk")) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	for mode, private := range map[os.FileMode]bool{0o440: true, 0o444: false} { // as systemd hands it to a unit with a user of its own
		t.Setenv("CREDENTIALS_DIRECTORY", folder)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := bridge.LoadKeys(path); private != (err == nil) {
			t.Errorf("mode %o in the folder of credentials: %v", mode, err)
		}
	}
	first, err1 := bridge.LoadSecret(folder + "/state")
	second, err2 := bridge.LoadSecret(folder + "/state")
	if err := errors.Join(err1, err2); err != nil || len(first) != 32 || !bytes.Equal(first, second) {
		t.Errorf("the secret: %v", err)
	}
	if err := os.Chmod(folder+"/state/secret", 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := bridge.LoadSecret(folder + "/state"); err == nil {
		t.Error("a secret that others can read is taken")
	}
}

// TestFilesOfKeysThatAreWrong names the line and not what it holds.
func TestFilesOfKeysThatAreWrong(t *testing.T) {
	old := strings.Repeat("k", 64)
	for text, says := range map[string]string{
		old:                          "line 1 must be like OLDKEY dk_live_…",
		"# a\n" + old + " dk_live_x": "line 2: the second word must be a whole key of /v1, dk_live_… or dk_test_…",
		old[1:] + " " + someKey:      "line 1: the first word must be an old key, 64 letters and digits",
		old + " " + someKey + " x":   "line 1 must be like OLDKEY dk_live_…",
		old + " " + someKey + "\n" + old + " " + someKey: "line 2: the old key is in the file twice",
		strings.Repeat("x", 70_000):                      "a line is too long",
	} {
		if _, err := bridge.ReadKeys(strings.NewReader(text)); err == nil || err.Error() != says {
			t.Errorf("%.20s…: %v, want %s", text, err, says)
		}
	}
}

// TestFilesOfKeysMayBeSavedOnWindows reads what Notepad and PowerShell write.
func TestFilesOfKeysMayBeSavedOnWindows(t *testing.T) {
	text := "# keys\r\n\r\n" + strings.Repeat("k", 64) + "\t" + someKey + " \r\n"
	want, err := bridge.ReadKeys(strings.NewReader(text))
	if err != nil || len(want) != 1 {
		t.Fatal(want, err)
	}
	for name, encoding := range map[string]encoding.Encoding{
		"UTF-8 with its mark": unicode.UTF8BOM, "UTF-16": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16 of others": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	} {
		saved, err := encoding.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := bridge.ReadKeys(strings.NewReader(saved))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
