package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"sellerd/translate/capture"
)

// This file visits folders and reads files.

// Limits of files, in bytes. Records are read piece by piece.
const (
	maxFile   = 5 << 20
	maxRecord = 2 << 30
)

// skippedFolders are folders of others' code, and of the history of one's own.
var skippedFolders = []string{".git", "vendor", "node_modules"}

// scanner is a scan that runs.
type scanner struct {
	table   *translateTable
	options Options
	matcher *matcher
	world   *world

	entries []entryFile
	sources []*source
	files   int
	skipped int
	stop    atomic.Bool // the scan was cancelled
	partial []string    // the names of records that were not read to their ends

	mu       sync.Mutex
	findings []Finding
}

// entryFile is a file that may be read.
type entryFile struct {
	path string // on this machine
	name string // as findings show it
	size int64

	inner string // its path below the folder that was named
}

// walk lists the files of a scan. Links are not followed.
func (s *scanner) walk(ctx context.Context) error {
	seen := map[string]bool{}
	for _, root := range s.options.Paths {
		info, err := os.Stat(root)
		if err != nil {
			return fmt.Errorf("scan: %w", plainError(err))
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return fmt.Errorf("scan: %s is neither a file nor a folder", root)
		}
		top := root
		if info.IsDir() {
			top = strings.TrimRight(root, string(filepath.Separator)) + string(filepath.Separator) // a link that was named is followed
		} else if err := readable(root); err != nil {
			return fmt.Errorf("scan: %w", plainError(err))
		}
		err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			switch {
			case err != nil && path == top:
				return fmt.Errorf("scan: %s: %w", root, errors.Unwrap(err))
			case err != nil:
				s.skipped++ // it vanished, or is not for us
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return nil
			case d.IsDir():
				if path != top && slices.Contains(skippedFolders, d.Name()) {
					s.skipped++
					return fs.SkipDir
				}
				return nil
			case path == top && !info.IsDir():
			case !d.Type().IsRegular():
				s.skipped++
				return nil
			}
			info, err := os.Stat(path)
			if err != nil {
				s.skipped++
				return nil //nolint:nilerr // it vanished
			}
			absolute, err := filepath.Abs(path)
			if err != nil || seen[absolute] {
				return nil //nolint:nilerr // it was named twice
			}
			seen[absolute] = true
			inner, err := filepath.Rel(root, path)
			if err != nil || inner == "." {
				inner = filepath.Base(path)
			}
			s.entries = append(s.entries, entryFile{path: path, name: filepath.ToSlash(filepath.Clean(path)), size: info.Size(), inner: filepath.ToSlash(inner)})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readable returns the error of opening a file that was named.
func readable(path string) error {
	file, err := openFile(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// errIrregular is about a file that became something else, such as a pipe.
var errIrregular = errors.New("it is no regular file")

// openFile opens a regular file. It does not wait for a pipe that took the place of a file.
func openFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, errIrregular
	}
	return file, nil
}

// plainError returns an error without the name of the system call.
func plainError(err error) error {
	if e, ok := err.(*fs.PathError); ok { //nolint:errorlint // it comes from os.Stat itself
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}

// read reads all files, and remembers what other files need of them.
func (s *scanner) read(ctx context.Context) error {
	if s.options.Progress != nil {
		s.options.Progress.Begin(len(s.entries))
	}
	results := make([]*source, len(s.entries))
	s.parallel(ctx, len(s.entries), func(i int) {
		s.skipped++
		s.partial = append(s.partial, redacted(s.entries[i].name))
	}, func(i int) {
		f, read := s.readFile(&s.entries[i])
		results[i] = f
		s.mu.Lock()
		defer s.mu.Unlock()
		if read {
			s.files++
		} else {
			s.skipped++
		}
		if s.options.Progress != nil {
			s.options.Progress.Done()
		}
	})
	for _, f := range results {
		if f != nil {
			s.sources = append(s.sources, f)
		}
	}
	return ctx.Err()
}

// parallel calls a function for each number below n, on all processors. failed is called with the numbers whose work panicked.
func (s *scanner) parallel(ctx context.Context, n int, failed, work func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range max(runtime.GOMAXPROCS(0), 1) {
		group.Go(func() {
			for i := range next {
				s.guarded(i, failed, work)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
}

// guarded does the work on one file. A mistake of the scanner costs that file: it counts as skipped, and is named.
func (s *scanner) guarded(i int, failed, work func(i int)) {
	defer func() {
		if recover() != nil {
			s.mu.Lock()
			failed(i)
			s.mu.Unlock()
		}
	}()
	work(i)
}

// failed notes that the search in a source ended early.
func (s *scanner) failed(i int) { s.sources[i].budget.failure = true }

// headSize is how much of a file says what it is, in bytes.
const headSize = 4096

// readFile reads a file. The source is nil when other files need nothing of it; read is false when it was skipped.
func (s *scanner) readFile(entry *entryFile) (f *source, read bool) {
	file, err := openFile(entry.path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // ReadFull returns them as they are
		return nil, false
	}
	head = head[:n]
	wide, isText := textual(head)
	if !isText {
		return nil, false
	}
	kind, lang := kindOf(entry.name, head)
	switch {
	case kind == kindOther:
		return nil, false
	case recordKind(kind, entry.name, head) != capture.Unknown:
		if entry.size > maxRecord {
			return nil, false
		}
		return nil, s.readRecords(recordKind(kind, entry.name, head), entry, io.MultiReader(bytes.NewReader(head), file))
	case entry.size > maxFile:
		return nil, false
	}
	rest, err := io.ReadAll(io.LimitReader(file, maxFile+1-int64(n)))
	if err != nil || len(rest)+n > maxFile {
		return nil, false
	}
	text := wide(append(head, rest...))
	if strings.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	return s.readText(kind, lang, entry, text), true
}
