//go:build !windows

package bridge

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// PrivateByMode says whether the modes of files tell here who else may read them.
const PrivateByMode = true

// checkPrivate is an error if others than its owner may read or write a file.
func checkPrivate(path string, info fs.FileInfo) error {
	if folder := os.Getenv("CREDENTIALS_DIRECTORY"); folder != "" && filepath.Dir(path) == filepath.Clean(folder) && info.Mode().Perm() == 0o440 {
		return nil // systemd keeps others from its folder of credentials, and lets the user of the unit read by an access list
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s can be read by others (mode %04o): run chmod 600 on it", path, mode)
	}
	return nil
}
