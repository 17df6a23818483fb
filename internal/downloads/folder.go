package downloads

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Folder is a folder of a release, checked. Its files stay open, so that what is served is what was checked, also when another release
// takes its place in the folder. A nil Folder has no files.
type Folder struct {
	Version  string
	Programs []Program // in the order of Archives
	Files    []*File   // all that are served
}

// Program is an archive that the folder has.
type Program struct {
	Archive
	File, Bill *File
}

// File is a file that is served.
type File struct {
	Name, Kind string // Kind is its media type
	Size       int64
	Sum        string // SHA-256 in hexadecimal
	Text       []byte // of a file that is a text
	content    *os.File
}

// Kinds of files.
const (
	kindZip  = "application/zip"
	kindGzip = "application/gzip"
	kindBill = "application/vnd.cyclonedx+json; version=1.6"
	kindSums = "text/plain; charset=utf-8"
)

// Open opens a folder and checks the sum of each file that it serves. What SHA256SUMS does not name, or no release has, is not served.
func Open(path string) (_ *Folder, err error) {
	root, err := os.OpenRoot(path) // nothing outside of the folder is read, not even by a link
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be opened: %w", path, cause(err))
	}
	defer func() { _ = root.Close() }()
	list, err := root.ReadFile(SumsFile)
	if err != nil {
		return nil, fmt.Errorf("%s has no file %s that can be read, so it is no folder of a release: %w", path, SumsFile, cause(err))
	}
	sums, err := sumsIn(string(list))
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", SumsFile, path, err)
	}
	f := &Folder{}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	for _, a := range Archives {
		if sums[a.Name()] == "" {
			continue
		}
		p := Program{Archive: a}
		kind := kindGzip
		if a.OS == "windows" {
			kind = kindZip
		}
		if p.File, err = f.open(root, a.Name(), kind, sums); err != nil {
			return nil, err
		}
		if p.Bill, err = f.open(root, a.Modules(), kindBill, sums); err != nil {
			return nil, err
		}
		if err := f.learnVersion(p.Bill); err != nil {
			return nil, err
		}
		f.Programs = append(f.Programs, p)
	}
	if len(f.Of(ForSellers)) == 0 {
		return nil, fmt.Errorf("%s of %s names no archive of the program %s", SumsFile, path, ForSellers)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(list))
	f.Files = append(f.Files, &File{Name: SumsFile, Kind: kindSums, Size: int64(len(list)), Sum: sum, Text: list})
	return f, nil
}

// cause is what is wrong with a file, without the name of the call and of the file.
func cause(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// sumsIn reads the lines of sha256sum.
func sumsIn(list string) (map[string]string, error) {
	sums := map[string]string{}
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\r\n")
		sum, name, ok := strings.Cut(strings.Replace(line, " *", "  ", 1), "  ") // sha256sum -b writes an asterisk
		if raw, err := hex.DecodeString(sum); !ok || err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("a line is not a sum, two blanks and a name: %q", line)
		}
		sums[name] = strings.ToLower(sum)
	}
	return sums, nil
}

// open opens a file and checks its sum.
func (f *Folder) open(root *os.Root, name, kind string, sums map[string]string) (*File, error) {
	if sums[name] == "" {
		return nil, fmt.Errorf("%s does not name %s, which belongs to an archive that it names", SumsFile, name)
	}
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s names %s, which is no file", SumsFile, name)
	}
	content, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s names %s, which cannot be opened: %w", SumsFile, name, cause(err))
	}
	file := &File{Name: name, Kind: kind, Sum: sums[name], content: content}
	f.Files = append(f.Files, file)
	var text bytes.Buffer
	into, hash := io.Discard, sha256.New()
	if kind == kindBill {
		into = &text
	}
	if file.Size, err = io.Copy(io.MultiWriter(hash, into), content); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, cause(err))
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != file.Sum {
		return nil, fmt.Errorf("%s is not the file that %s names: its sum is %s and should be %s", name, SumsFile, got, file.Sum)
	}
	file.Text = text.Bytes()
	return file, nil
}

// learnVersion takes the release from the list of modules of a program. All programs are of one release.
func (f *Folder) learnVersion(of *File) error {
	var bill struct {
		Metadata struct {
			Component struct {
				Version string `json:"version"`
			} `json:"component"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(of.Text, &bill); err != nil || bill.Metadata.Component.Version == "" {
		return fmt.Errorf("%s names no release", of.Name)
	}
	version := bill.Metadata.Component.Version
	if f.Version != "" && f.Version != version {
		return fmt.Errorf("the programs are of two releases, %s and %s", f.Version, version)
	}
	f.Version = version
	return nil
}

// Close closes the files.
func (f *Folder) Close() {
	if f == nil {
		return
	}
	for _, file := range f.Files {
		if file.content != nil {
			_ = file.content.Close() // it was only read
		}
	}
}

// Of are the archives of a program.
func (f *Folder) Of(program string) []Program {
	return slices.DeleteFunc(slices.Clone(f.Programs), func(p Program) bool { return p.Program != program })
}
