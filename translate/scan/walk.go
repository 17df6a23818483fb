package scan

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/capture"
	"sellerd/translate/source"
)

// This file visits folders and reads files.

// Limits of files, in bytes. Records are read piece by piece.
const (
	maxFile   = 5 << 20
	maxRecord = 2 << 30
)

// scanner is a scan that runs.
type scanner struct {
	table   *translate.Table
	options Options
	matcher *matcher
	world   *world

	single  bool // what is scanned is one program
	entries []entryFile
	files   int
	skipped int
	partial []string // the names of files and folders that were not read, or not to their ends

	mu       sync.Mutex
	findings []place
}

// entryFile is a file that may be read.
type entryFile struct {
	path string // on this machine
	name string // as findings show it
	size int64

	inner  string // its path below the folder that was named
	named  bool   // it was named itself: it is read whatever text it is
	broken bool   // the first pass failed
}

// walk lists the files of a scan. Links are not followed, but those that are named.
func (s *scanner) walk(ctx context.Context) error {
	seen := map[string]bool{}
	for _, root := range s.options.Paths {
		info, err := os.Stat(root)
		if err == nil && !info.IsDir() {
			var opened *os.File
			if opened, err = openFile(root); err == nil {
				err = opened.Close()
			}
		}
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			return fmt.Errorf("scan: %s: %w", failed.Path, failed.Err) // without the name of the system call
		} else if err != nil {
			return fmt.Errorf("scan: %s is neither a file nor a folder", root)
		}
		top := root
		if info.IsDir() {
			top = strings.TrimRight(root, string(filepath.Separator)) + string(filepath.Separator)
		}
		err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && path == top:
				return fmt.Errorf("scan: %s: %w", root, errors.Unwrap(err))
			case d != nil && d.IsDir() && path != top && has("skipped", d.Name()):
				s.skipped++
				return fs.SkipDir
			case err == nil && d.IsDir():
				return nil
			case err == nil && !d.Type().IsRegular() && (path != top || info.IsDir()):
				s.skipped++ // it is not for us
				return nil
			case err == nil:
				err = s.list(root, path, seen)
			}
			if err != nil {
				s.skipped++
			}
			if unread(err) {
				s.partial = append(s.partial, redacted(filepath.ToSlash(filepath.Clean(path))))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unread says whether an error is about a file or a folder that the seller expects to be read. One that vanished is none any more.
func unread(err error) bool {
	return errors.Is(err, errBinary) || errors.As(err, new(*fs.PathError)) && !errors.Is(err, fs.ErrNotExist)
}

// list adds a file to those that are read, if it was not named before.
func (s *scanner) list(root, path string, seen map[string]bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	inner, err := filepath.Rel(root, path)
	if err != nil || inner == "." {
		inner = filepath.Base(path)
	}
	if absolute, err := filepath.Abs(path); err == nil && !seen[absolute] {
		seen[absolute], inner = true, filepath.ToSlash(inner)
		s.single = s.single || !strings.Contains(inner, "/") && (source.Families()[kindOf(inner, nil)] != nil || has("project", inner))
		s.entries = append(s.entries, entryFile{path: path, name: filepath.ToSlash(filepath.Clean(path)), size: info.Size(), inner: inner, named: path == root})
	}
	return nil
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

// These bound what is in memory at the same time: a file has up to a token of 24 bytes a byte, and mostly ten bytes a byte.
const (
	maxWorkers = 4
	maxLarge   = 2 // files of more than largeFile bytes
	largeFile  = 1 << 20
)

// each does a pass over all files. A mistake of the scanner costs one file: it counts as skipped, and is named.
func (s *scanner) each(ctx context.Context, work func(entry *entryFile)) {
	var group errgroup.Group
	group.SetLimit(min(max(runtime.GOMAXPROCS(0), 1), maxWorkers))
	large := make(chan struct{}, maxLarge)
	for i := range s.entries {
		if ctx.Err() != nil {
			break
		}
		entry := &s.entries[i]
		group.Go(func() error {
			if entry.size > largeFile {
				large <- struct{}{}
				defer func() { <-large }()
			}
			defer func() { entry.broken = recover() != nil || entry.broken }()
			work(entry)
			return nil
		})
	}
	_ = group.Wait() // no pass returns an error
}

// learnFile is the first pass over a file.
func (s *scanner) learnFile(entry *entryFile) {
	kind, text, _, err := s.open(entry)
	if err == nil && text != "" {
		s.learn(kind, entry.inner, text)
	}
}

// searchFile is the second pass over a file: it finds the calls, counts the file, and keeps nothing else.
func (s *scanner) searchFile(entry *entryFile) {
	var found []place
	var used []use
	read, partial := false, true
	defer func() { // after a mistake of the scanner as well
		partial = partial || entry.broken
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range found {
			found[i].File = redacted(entry.name)
		}
		s.findings = append(s.findings, found...)
		for _, u := range used {
			calls := s.world.used[u.name]
			if calls == nil {
				calls = map[string]bool{}
				s.world.used[u.name] = calls
			}
			calls[u.call] = calls[u.call] || u.sure
		}
		if partial {
			s.partial = append(s.partial, redacted(entry.name))
		}
		if read && !partial {
			s.files++
		} else {
			s.skipped++
		}
		if s.options.Progress != nil {
			s.options.Progress.Done()
		}
	}()
	kind, text, record, err := s.open(entry)
	switch {
	case err != nil:
		partial = entry.named || unread(err) // who names a file takes it for read
	case record != nil:
		defer func() { _ = record.Close() }()
		found, read = s.readRecords(record, s.top(entry.inner))
		partial = !read
	default:
		found, used = s.search(kind, entry.inner, text)
		read, partial = true, false
	}
}

// search is the second pass over a text. It returns the constants whose paths are used as well.
func (s *scanner) search(kind, inner, text string) (found []place, used []use) {
	knows := s.matcher.knowsService(text)
	if !knows && !s.matcher.mayHave(text) && !s.world.paths[s.top(inner)] {
		return nil, nil
	}
	f := s.parse(kind, inner, text)
	defer f.release()
	f.knows = knows
	f.declare()
	f.constants()
	return f.findings(), f.used
}

// headSize is how much of a file says what it is, in bytes.
const headSize = 4096

// errSkipped is about a file that is not for the scan, errBinary about a program by its name that is no text.
var (
	errSkipped = errors.New("the file is skipped")
	errBinary  = errors.New("the file is binary")
)

// open reads a file of source or settings, or begins to read a record.
func (s *scanner) open(entry *entryFile) (kind, text string, r *record, err error) {
	opened, err := openFile(entry.path)
	if err != nil {
		return "", "", nil, err
	}
	defer func() {
		if r == nil {
			_ = opened.Close()
		}
	}()
	decoded := bufio.NewReaderSize(transform.NewReader(opened, unicode.BOMOverride(transform.Nop)), headSize)
	head, err := decoded.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", nil, err
	}
	if kind = kindOf(entry.inner, head); kind == "" && entry.named {
		kind = "shell" // texts show commands
		if capture.Sniff(head) == capture.Lines {
			kind = "lines"
		}
	}
	binary := bytes.IndexByte(head, 0) >= 0
	if kind == "" || kind == anyText && binary {
		return "", "", nil, errSkipped
	} else if binary {
		return "", "", nil, errBinary
	}
	if recorded := recordKind(kind, entry.name, head); recorded != capture.Unknown && entry.size <= maxRecord {
		return kind, "", &record{recorded, decoded, opened}, nil
	} else if recorded != capture.Unknown || entry.size > maxFile {
		return "", "", nil, errSkipped
	}
	whole, err := io.ReadAll(io.LimitReader(decoded, 2*maxFile)) // UTF-8 may be longer than what it was
	if err != nil {
		return "", "", nil, err
	} else if len(whole) == 2*maxFile {
		return "", "", nil, errSkipped
	}
	text = strings.Map(func(r rune) rune { return r }, string(whole)) // what is not UTF-8 keeps its number of characters
	if strings.EqualFold(filepath.Ext(entry.inner), ".ipynb") {
		text = source.Notebook(text)
	}
	if strings.IndexByte(text, 0) >= 0 && kind != anyText {
		return "", "", nil, errBinary
	} else if strings.IndexByte(text, 0) >= 0 || kind == anyText && !entry.named && !s.matcher.namesHost(text) {
		return "", "", nil, errSkipped
	}
	return kind, text, nil, nil
}

var (
	secretName = pattern.Late(`dk_(?:live|test)_[A-Za-z0-9_-]*`)
	longWord   = pattern.Late(`[A-Za-z0-9_-]{64,}`)
)

// redacted returns the name of a file without keys in it.
func redacted(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	return longWord().ReplaceAllString(secretName().ReplaceAllString(name, "[removed]"), "[removed]")
}
