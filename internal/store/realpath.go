package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// This file makes sure that a SQLite file is known by one path, because its locks and its log are files beside it.

// realPath is the path of a database file without symbolic links, by which SQLite, too, names the files beside it. The file need not be
// there; its folder must, or the error is errNoFolder.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the database file: %w", err)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(folder); err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", fmt.Errorf("%w: %s", errNoFolder, filepath.Dir(path))
	case err != nil:
		return "", err
	}
	path = filepath.Join(folder, filepath.Base(path))
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}

// oneName fails with errLinked if a file has another name: SQLite would keep another log beside that, and both programs would destroy
// the database.
func oneName(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if known, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().IsRegular() && known.Nlink > 1 {
		return errLinked
	}
	return nil
}
