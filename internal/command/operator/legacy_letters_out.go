package operator

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sellerd/internal/command"
	"sellerd/translate/letter"
)

// This file writes letters to files. What it writes can only be read by its owner.

// letterOutput is a folder or a file of letters, which has another name until it is whole.
type letterOutput struct {
	format         string
	path, absolute string // its own name
	made           string // its name until then; empty before the first letter, and when it is placed
	mail           letter.Mailing
	file           *os.File // of mbox and csv
	text           *bufio.Writer
	rows           *csv.Writer
}

// output is where the letters of this moment are written to.
func (c *legacyLetters) output(now time.Time) *letterOutput {
	path := c.Out
	if path == "" {
		path = "letters-" + now.UTC().Format(time.DateOnly)
		if c.Format != "eml" {
			path += "." + c.Format
		}
	}
	return &letterOutput{format: c.Format, path: path, mail: letter.Mailing{From: c.from, At: now, Host: letter.HostOf(c.BaseURL)}}
}

// isFree makes sure that nothing stands at a path but, where a folder is to stand, an empty one.
func isFree(path string, folder bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir() && folder:
		if entries, err := os.ReadDir(path); err != nil || len(entries) == 0 {
			return err
		}
	}
	return fmt.Errorf("%s is there already: move it away, or name another place with --out", path)
}

// begin makes the folder or the file, under another name. What a run left behind that was killed is removed.
func (o *letterOutput) begin() (err error) {
	if o.absolute, err = filepath.Abs(o.path); err != nil {
		return err
	}
	if err := isFree(o.absolute, o.format == "eml"); err != nil {
		return command.WrongUsage(err.Error())
	}
	folder, unfinished := filepath.Dir(o.absolute), "."+filepath.Base(o.absolute)+".unfinished-"
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	if err != nil {
		return err
	}
	if o.format == "eml" {
		o.made, err = os.MkdirTemp(folder, unfinished+"*") // made 0700
		return err
	}
	if o.file, err = os.CreateTemp(folder, unfinished+"*"); err != nil { // made 0600
		return err
	}
	o.made, o.text = o.file.Name(), bufio.NewWriter(o.file)
	if o.format == "csv" {
		o.rows = csv.NewWriter(o.text)
		o.rows.UseCRLF = true // RFC 4180
		return o.rows.Write(letter.Columns)
	}
	return nil
}

// add adds a letter.
func (o *letterOutput) add(l *letter.Letter) (err error) {
	if o.made == "" {
		if err := o.begin(); err != nil {
			return err
		}
	}
	switch o.format {
	case "csv":
		return o.rows.Write(l.Row())
	case "mbox":
		_, err = o.text.Write(l.Mailbox(o.mail))
		return err
	}
	file, err := os.OpenFile(filepath.Join(o.made, l.Account.String()+".eml"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(l.Message(o.mail))
	return errors.Join(err, file.Sync(), file.Close())
}

// finish has everything on the disk, under the other name.
func (o *letterOutput) finish() (err error) {
	if o.file == nil {
		return errors.Join(syncFolder(o.made), syncFolder(filepath.Dir(o.made)))
	}
	if o.rows != nil {
		o.rows.Flush()
		err = o.rows.Error()
	}
	err = errors.Join(err, o.text.Flush(), o.file.Sync(), o.file.Close())
	o.file = nil
	return errors.Join(err, syncFolder(filepath.Dir(o.made)))
}

// discard removes what is not whole or does not count.
func (o *letterOutput) discard() (err error) {
	if o.file != nil {
		err = o.file.Close()
	}
	if o.made == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(o.made))
}

// syncFolder has the names in a folder on the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
