package operator

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/command"
	"sellerd/v1"
)

// This file keeps who was written to.

// letterBook is the file that keeps who was written to, and when. One run at a time has it.
type letterBook struct {
	path   string
	folder *os.File // locked until the run ends, however it ends
	bookFile
}

// bookFile is the content of the file.
type bookFile struct {
	Version int           `json:"version"`
	Last    *lastLetters  `json:"last,omitempty"`
	Letters []writtenMark `json:"letters"` // by account
}

// lastLetters are the letters of the last run: how they were named while they were made, and their own name.
type lastLetters struct {
	Made string `json:"made"`
	Out  string `json:"out"`
}

// writtenMark says when the last letter to an account was written.
type writtenMark struct {
	Account v1.ID   `json:"account"`
	At      v1.Time `json:"at"`
}

const bookVersion = 1

// openBook locks the book and reads it. Without a file nobody was written to.
func openBook(path string) (*letterBook, error) {
	locked, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	b := &letterBook{path: path, folder: locked, bookFile: bookFile{Version: bookVersion}}
	if err := syscall.Flock(int(locked.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another run writes letters now: wait until it has ended")
		}
		return nil, errors.Join(err, b.close())
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err == nil:
		err = b.read(text)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not say who was written to: %w. Put it back from the backup. If there is none, move it away: then all are "+
			"written to again", path, err), b.close())
	}
	return b, nil
}

// read reads the content of the file, strictly.
func (b *letterBook) read(text []byte) error {
	b.bookFile = bookFile{}
	if err := json.Unmarshal(text, &b.bookFile, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if b.Version != bookVersion {
		return fmt.Errorf("its version is %d, and this program knows %d", b.Version, bookVersion)
	}
	if b.Letters == nil {
		return errors.New("it has no letters")
	}
	before := v1.ID(0)
	for _, mark := range b.Letters {
		if mark.Account <= before || mark.At <= 0 {
			return fmt.Errorf("account %s stands there twice, out of order, or without a time", mark.Account)
		}
		before = mark.Account
	}
	return nil
}

// recover gives the letters of the last run their name, if it could not.
func (b *letterBook) recover() error {
	if b.Last == nil {
		return nil
	}
	made, err := os.Lstat(b.Last.Made)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // as it should be
	}
	if err == nil {
		err = b.Last.place(made.IsDir())
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "sellerd: the letters of the last run, which was interrupted, are in", b.Last.Out)
	return nil
}

// place gives letters their name.
func (l *lastLetters) place(folder bool) error {
	err := isFree(l.Out, folder)
	if err == nil {
		err = syscall.Rename(l.Made, l.Out) // takes the place of an empty folder, which os.Rename does not
	}
	if err == nil {
		err = syncFolder(filepath.Dir(l.Out))
	}
	if err != nil {
		return fmt.Errorf("the letters are written and count as such, but stand in %s: %w. The next run tries again", l.Made, err)
	}
	return nil
}

// wroteSince says whether the last letter to an account is from an instant or later.
func (b *letterBook) wroteSince(account v1.ID, since v1.Time) bool {
	i, found := b.find(account)
	return found && b.Letters[i].At >= since
}

// note notes a letter, which store then keeps.
func (b *letterBook) note(account v1.ID, at v1.Time) {
	i, found := b.find(account)
	if !found {
		b.Letters = slices.Insert(b.Letters, i, writtenMark{})
	}
	b.Letters[i] = writtenMark{account, at}
}

func (b *letterBook) find(account v1.ID) (int, bool) {
	return slices.BinarySearchFunc(b.Letters, account, func(m writtenMark, id v1.ID) int { return cmp.Compare(m.Account, id) })
}

// store keeps what was noted, and gives the letters their name.
func (b *letterBook) store(out *letterOutput) error {
	b.Last = &lastLetters{out.made, out.absolute}
	text, err := json.Marshal(&b.bookFile, jsontext.WithIndent("  "))
	if err == nil {
		err = command.ReplaceFile(b.path, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("no letter was written: %s cannot be stored: %w", b.path, err)
	}
	out.made = "" // they count
	if err := b.folder.Sync(); err != nil {
		return fmt.Errorf("store %s: %w", b.path, err)
	}
	return b.Last.place(out.format == "eml")
}

// close lets another run begin.
func (b *letterBook) close() error { return b.folder.Close() }
