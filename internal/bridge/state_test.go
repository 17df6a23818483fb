package bridge

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// openInfo is a file that all can read, as its file system says of every file.
type openInfo struct{ fs.FileInfo }

func (openInfo) Mode() fs.FileMode { return 0o755 }

// fat is a file system as that of USB sticks.
var fat = fileSystem{
	link: func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} },
	stat: func(f *os.File) (fs.FileInfo, error) {
		info, err := f.Stat()
		return openInfo{info}, err
	},
}

// TestTheSecretIsKeptOnAnyFileSystem makes a secret, reads it again, and leaves nothing else in the folder.
func TestTheSecretIsKeptOnAnyFileSystem(t *testing.T) {
	for name, system := range map[string]fileSystem{
		"with links and modes": {os.Link, (*os.File).Stat}, "without modes": {os.Link, fat.stat}, "without links": {fat.link, (*os.File).Stat}, "without both": fat,
	} {
		folder := filepath.Join(t.TempDir(), "state")
		first, err := system.loadSecret(folder)
		if err != nil || len(first) != secretLength {
			t.Errorf("%s: %v", name, err)
			continue
		}
		second, err := system.loadSecret(folder)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s, again: %v, the same %t", name, err, bytes.Equal(first, second))
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
			t.Errorf("%s: files %v, %v", name, files, err)
		}
	}
}

// TestWhatIsNoSecretIsLeftAlone has the bridge end while it makes a secret, which leaves a file behind, and has another file in its place.
func TestWhatIsNoSecretIsLeftAlone(t *testing.T) {
	for _, system := range []fileSystem{{os.Link, (*os.File).Stat}, fat} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ".secret-123"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := system.loadSecret(folder); err != nil {
			t.Errorf("beside the rest of one that was killed: %v", err)
		}
		path := filepath.Join(folder, secretFile)
		if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := system.loadSecret(folder); err == nil || !strings.Contains(err.Error(), "holds no secret") {
			t.Errorf("something else: %v", err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "something else" {
			t.Errorf("it was replaced by %s, %v", text, err)
		}
	}
}
