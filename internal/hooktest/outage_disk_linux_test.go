package hooktest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sellerd/internal/pgtest"
)

const (
	smallDisk = "size=160m" // PostgreSQL's files and the log it writes ahead are most of it
	fullFor   = 5 * time.Second
)

// TestFullDisk fills the disk that holds the database, under load, and empties it again. The disk is one in memory, which
// takes the rights of root to make, so it runs only at length.
func TestFullDisk(t *testing.T) {
	if !*long {
		return
	}
	t.Run("SQLite", func(t *testing.T) {
		disk := mountSmall(t)
		o := newOutage(t, "sqlite:"+filepath.Join(disk, "sellerd.db"), 1)
		found := o.run(t, func() {
			empty := fill(t, disk)
			time.Sleep(fullFor)
			empty()
		})
		found.record(t, "the disk is full for 5 s, SQLite")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		disk := mountSmall(t)
		t.Setenv("TMPDIR", disk)
		cluster := pgtest.Own(t, pgtest.Options{Durable: true})
		o := newOutage(t, cluster.AdminURL(), 2)
		found := o.run(t, func() {
			empty := fill(t, disk)
			time.Sleep(fullFor)
			empty()
			// It may have ended: it cannot do without the log that it writes ahead.
			if err := errors.Join(cluster.Interrupt(), cluster.Resume(t.Context())); err != nil {
				t.Fatal(err)
			}
		})
		found.record(t, "the disk is full for 5 s, PostgreSQL under 2 processes, which is then restarted")
	})
}

// mountSmall is a folder on a disk of its own.
func mountSmall(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "sellerd-disk-")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, smallDisk+",mode=1777"); err != nil {
		t.Fatalf("make a small disk, which takes the rights of root: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(folder, syscall.MNT_DETACH), os.Remove(folder)); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fill leaves no room on a disk, until the function that it returns is called.
func fill(t *testing.T, disk string) (empty func()) {
	t.Helper()
	path := filepath.Join(disk, "ballast")
	ballast, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<16); err == nil; {
		_, err = ballast.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(ballast.Close(), os.Remove(path)); err != nil {
			t.Error(err)
		}
	}
}
