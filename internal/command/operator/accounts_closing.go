package operator

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sellerd/internal/command"
	"sellerd/v1"
)

// This file has the commands that export accounts and close them.

type accountExport struct {
	oneAccount
	To string `required:"" placeholder:"PATH" complete:"file" help:"A folder to make, or a file to make that ends in .zip."`
}

// Run writes the export and prints what it has.
func (c *accountExport) Run(ctx context.Context) error {
	if err := c.checkFree(); err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(c.To)) {
	case ".tar", ".tgz", ".gz", ".xz", ".7z", ".rar":
		return command.Wrong("--to %s: the file made is a .zip; any other name is that of a folder", c.To)
	}
	if c.To == "-" {
		return command.Wrong("--to names a folder or a .zip file to make, not the standard output")
	}
	if _, err := os.Stat(filepath.Dir(c.To)); errors.Is(err, fs.ErrNotExist) {
		return command.Wrong("there is no folder %s", filepath.Dir(c.To))
	}
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) { return c.write(ctx, s, id) })
}

// write writes the export beside its place, and moves it there when it is whole.
func (c *accountExport) write(ctx context.Context, s *v1.Service, id int64) (done *v1.ExportedAccount, err error) {
	folder, err := os.MkdirTemp(filepath.Dir(c.To), ".export-*") // made 0700, since there are names and addresses in it
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	whole, write := filepath.Join(folder, "export"), toFolder
	if strings.EqualFold(filepath.Ext(c.To), ".zip") {
		write = toArchive
	}
	err = write(whole, func(create func(name string) (io.Writer, error)) (err error) {
		done, err = s.ExportAccount(ctx, id, create)
		return err
	})
	if err = cmp.Or(err, c.checkFree()); err != nil { // something may have come there meanwhile
		return nil, err
	}
	return done, os.Rename(whole, c.To)
}

// checkFree fails if there is something where the export is to be.
func (c *accountExport) checkFree() error {
	if _, err := os.Lstat(c.To); err == nil {
		return command.Wrong("--to %s exists already: name one that does not", c.To)
	}
	return nil
}

// toArchive has files written into an archive.
func toArchive(path string, export func(create func(name string) (io.Writer, error)) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	return errors.Join(export(archive.Create), archive.Close(), file.Sync(), file.Close())
}

// toFolder has files written into a new folder.
func toFolder(path string, export func(create func(name string) (io.Writer, error)) error) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	var files []*os.File // a few for each mode
	err := export(func(name string) (io.Writer, error) {
		name = filepath.Join(path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			files = append(files, file)
		}
		return file, err
	})
	for _, file := range files {
		err = errors.Join(err, file.Sync(), file.Close())
	}
	return err
}

type accountClose struct {
	oneAccount
	KeepYears *int   `placeholder:"N" help:"After how many years everything is erased, from 1 to 100 (default: 10)."`
	EraseNow  bool   `help:"Erase everything now, also what the law may want you to keep. Needs --confirm."`
	Confirm   string `placeholder:"NICKNAME" help:"The account's nickname, for --erase-now."`
}

// CheckFlags rejects --keep-years outside of 1 to 100 or beside --erase-now, and --erase-now without a confirmation.
func (c *accountClose) CheckFlags() error {
	switch {
	case c.KeepYears != nil && (*c.KeepYears < 1 || *c.KeepYears > 100):
		return fmt.Errorf("--keep-years must be from 1 to 100, not %d: --erase-now keeps nothing", *c.KeepYears)
	case c.KeepYears != nil && c.EraseNow:
		return errors.New("--erase-now and --keep-years exclude each other: --erase-now keeps nothing")
	case c.EraseNow && c.Confirm == "":
		return errors.New("--erase-now needs --confirm with the account's nickname: what is erased cannot be brought back")
	case c.Confirm != "" && !c.EraseNow:
		return errors.New("--confirm is for --erase-now: without that, the account is closed, and what the law wants is kept")
	}
	return nil
}

// Run closes the account and prints what that changed, and what is left to do.
func (c *accountClose) Run(ctx context.Context) error {
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) {
		years := 10
		if c.KeepYears != nil {
			years = *c.KeepYears
		}
		if c.EraseNow {
			years = 0
			account, err := s.AccountOverview(ctx, id)
			if err != nil {
				return nil, err
			}
			if account.Nickname != c.Confirm {
				return nil, command.Wrong("--confirm is %q, and the account's nickname is %q: nothing was done", c.Confirm, account.Nickname)
			}
		}
		done, err := s.CloseAccount(ctx, id, years)
		if err == nil && c.EraseNow {
			err = s.EraseAccountNow(ctx, id)
		}
		if c.EraseNow && c.Path() == "" && err == nil {
			fmt.Fprintln(os.Stderr, strings.Replace(postgresKeeps, "the buyer's data", "the account's data", 1))
		}
		return done, err
	})
}

type accountReopen struct{ oneAccount }

// Run opens the account.
func (c *accountReopen) Run(ctx context.Context) error {
	return c.printed(ctx, func(s *v1.Service, id int64) (any, error) { return s.ReopenAccount(ctx, id) })
}
