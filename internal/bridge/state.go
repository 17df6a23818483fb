package bridge

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
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
// if the machine loses power meanwhile, and of two bridges that begin at the same time one makes it.
func LoadSecret(folder string) ([]byte, error) {
	path := filepath.Join(folder, secretFile)
	secret, err := readSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := makeSecret(folder, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return readSecret(path)
}

func readSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(path, info); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != secretLength {
		return nil, fmt.Errorf("%s holds no secret: delete it, and programs log in again", path)
	}
	return secret, nil
}

func makeSecret(folder, path string) (err error) {
	secret := make([]byte, secretLength)
	rand.Read(secret)
	temporary, err := os.CreateTemp(folder, "."+secretFile+"-*") // made 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(temporary.Name())) }()
	_, err = temporary.WriteString(hex.EncodeToString(secret) + "\n")
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Link(temporary.Name(), path) // unlike a renaming it replaces nothing
}
