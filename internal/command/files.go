package command

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// This file reads input, and stores files that only their owner can read. A reader sees a whole file or none, even after a loss of power.

// Await reads input, which may never come from a pipe or a terminal or take long, until the context ends.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type input struct {
		value T
		err   error
	}
	came := make(chan input, 1)
	go func() {
		value, err := read()
		came <- input{value, err}
	}()
	select {
	case in := <-came:
		return in.value, in.err
	case <-ctx.Done():
		var none T
		return none, errors.New("interrupted before all of the input was there: nothing was done")
	}
}

// WriteOnce creates a file, unless it exists already.
func WriteOnce(path string, data []byte) error {
	return writeWhole(path, data, func(temporary string) error {
		if err := os.Link(temporary, path); !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// ReplaceFile creates a file, or replaces the one that exists.
func ReplaceFile(path string, data []byte) error {
	return writeWhole(path, data, func(temporary string) error { return os.Rename(temporary, path) })
}

// writeWhole is WriteWhole for data.
func writeWhole(path string, data []byte, place func(temporary string) error) error {
	return WriteWhole(path, func(file io.Writer) error {
		_, err := file.Write(data)
		return err
	}, place)
}

// WriteWhole has a temporary file written beside a path, and put in its place when it is whole.
func WriteWhole(path string, write func(io.Writer) error, place func(temporary string) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // fails if it was renamed
	if err = errors.Join(write(temporary), temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return place(temporary.Name())
}
