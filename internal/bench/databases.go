package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// database is one of the databases that the service runs on, with data to measure on.
type database interface {
	name() string
	// reads is the data for cases that only read.
	reads() dataset
	// fresh is a new copy of the smaller data, for one round of writes. It replaces the copy before.
	fresh(ctx context.Context) (dataset, error)
	// cpu is the processor time that the database has used in processes of its own.
	cpu() (time.Duration, error)
	close() error
}

// files are SQLite's: a large one for reads, and a small one that writes copy.
type files struct {
	scratch      string
	large, small dataset
}

func (f *files) name() string                { return "SQLite" }
func (f *files) reads() dataset              { return f.large }
func (f *files) cpu() (time.Duration, error) { return 0, nil } // it runs in the server
func (f *files) close() error                { return nil }

// fresh implements database. The copy is on disk before it is used.
func (f *files) fresh(context.Context) (data dataset, err error) {
	copied := fileOf(filepath.Join(f.scratch, "writes.db"))
	data = f.small
	data.url, data.path = copied.url, copied.path
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(data.path + suffix) // of the round before
	}
	from, err := os.Open(f.small.path)
	if err != nil {
		return data, err
	}
	defer from.Close()
	to, err := os.Create(data.path)
	if err != nil {
		return data, err
	}
	_, err = io.Copy(to, from)
	return data, errors.Join(err, to.Sync(), to.Close())
}
