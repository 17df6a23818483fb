package bridge

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// This file keeps the secret that seals sessions. It is all that a bridge must remember.

// secretLength is how long a secret is, in bytes.
const secretLength = 32

// secretFile is the file's name in the folder.
const secretFile = "secret"

// LoadSecret reads the secret in a folder, and makes both if they are not there. The file appears whole or not at all, even
// if the machine loses power meanwhile. Of two bridges that begin at the same time one makes it, except on a file system
// without links, such as that of a USB stick: there one of them may have another secret until it starts again, and programs
// log in again then.
func LoadSecret(folder string) ([]byte, error) {
	return fileSystem{os.Link, (*os.File).Stat}.loadSecret(folder)
}

// fileSystem is what file systems do differently.
type fileSystem struct {
	link func(from, to string) error
	stat func(*os.File) (fs.FileInfo, error)
}

func (s fileSystem) loadSecret(folder string) ([]byte, error) {
	path := filepath.Join(folder, secretFile)
	secret, err := s.readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := s.makeSecret(folder, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return s.readSecret(path)
}

func (s fileSystem) readSecret(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := s.stat(file)
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(path, info); err != nil && s.hasModes(filepath.Dir(path)) {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != secretLength {
		return nil, fmt.Errorf("%s holds no secret: delete it, and programs log in again", path)
	}
	return secret, nil
}

// hasModes says whether the file system of a folder keeps the modes of files. That of a USB stick gives all files the same one,
// and nothing can be done about it. A folder in which no file can be made is taken for one that does.
func (s fileSystem) hasModes(folder string) bool {
	trial, err := os.CreateTemp(folder, "."+secretFile+"-*") // made 0600
	if err != nil {
		return true
	}
	info, err := s.stat(trial)
	_, _ = trial.Close(), os.Remove(trial.Name())
	return err != nil || info.Mode().Perm()&0o077 == 0
}

func (s fileSystem) makeSecret(folder, path string) (err error) {
	secret := make([]byte, secretLength)
	rand.Read(secret)
	temporary, err := os.CreateTemp(folder, "."+secretFile+"-*") // made 0600
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.Remove(temporary.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}()
	_, err = temporary.WriteString(hex.EncodeToString(secret) + "\n")
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	linked := s.link(temporary.Name(), path) // unlike a renaming it replaces nothing
	if linked == nil || errors.Is(linked, fs.ErrExist) {
		return linked
	}
	return os.Rename(temporary.Name(), path)
}
