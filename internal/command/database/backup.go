package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/store"
)

// Backup is the command that copies a SQLite database in use, with the files beside it.
type Backup struct {
	URL
	To   string `arg:"" complete:"file" placeholder:"FOLDER" help:"A folder that exists: the backup is a new folder in it, named after the moment. Or a path whose folder exists and that is not there: the backup is a new folder of that name."`
	Keep int    `default:"0" placeholder:"N" help:"Remove all but the newest N backups in the folder, this one too; 0 removes none (default: ${default})."`
}

// CheckFlags rejects a negative number.
func (c *Backup) CheckFlags() error {
	if c.Keep < 0 {
		return fmt.Errorf("--keep must be 0 or more, not %d", c.Keep)
	}
	return nil
}

// backupName is the form of the names of backups, and datedBackup matches them.
const backupName = "sellerd-20060102T150405Z"

var datedBackup = regexp.MustCompile(`^sellerd-\d{8}T\d{6}Z$`)

// Run backs up and says where.
func (c *Backup) Run(ctx context.Context, p *command.Program) error {
	if c.Path() == "" {
		if strings.HasPrefix(c.DB, "postgres") {
			return errors.New(insteadOfBackup)
		}
		return c.Explain(&store.OpenError{Problem: store.ProblemURL, Err: errors.New("no database")})
	}
	folder, dated := c.To, false
	if info, err := os.Stat(c.To); err == nil && info.IsDir() {
		folder, dated = filepath.Join(c.To, p.Now().UTC().Format(backupName)), true
	}
	if c.Keep > 0 && !dated {
		return command.Wrong("--keep needs a folder of backups that exists, and %s is none", c.To)
	}
	b, err := store.OpenBulkReader(ctx, store.Config{URL: c.DB, Logger: command.NewLogger(os.Stderr, slog.LevelWarn)})
	if err != nil {
		if open := (*store.OpenError)(nil); errors.As(err, &open) {
			return c.explainCopied("--db", true, open)
		}
		return c.explainDisk(err)
	}
	rows, err := c.into(ctx, b, folder, command.NewProgress(os.Stderr, p.Now, "pages"))
	if err = errors.Join(err, b.Close()); err != nil {
		return c.explainDisk(err)
	}
	all := int64(0)
	for _, n := range rows {
		all += n
	}
	fmt.Printf("%d rows of %d tables are in %s, checked, with %s\n", all, len(rows), folder, strings.Join(filesOf(folder), ", "))
	if rows["secret_fingerprints"] > 0 && !slices.Contains(filesOf(folder), secretFile) { // it was given to the server
		fmt.Println("The backup" + lacksSecret + " SELLERD_SECRET in another place.")
	}
	if c.Keep > 0 {
		return c.removeOld()
	}
	return nil
}

// into makes the folder of a backup. It gets its name when all is in it, so that none that was killed is taken for a backup, and after a
// failure it is not there.
func (c *Backup) into(ctx context.Context, b *store.Bulk, folder string, shown *command.Progress) (rows map[string]int64, err error) {
	unfinished := folder + ".unfinished"
	if _, err := os.Lstat(folder); err == nil {
		return nil, fmt.Errorf("%s is there already: name another", folder)
	}
	if err := os.Mkdir(unfinished, 0o700); err != nil {
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("%s is there already, of a backup that runs or was killed: remove it, or name another", unfinished)
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no folder %s: make it first, or is the path mistyped?", filepath.Dir(folder))
		}
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(unfinished))
		}
	}()
	begun := false
	rows, err = b.BackUp(ctx, filepath.Join(unfinished, filepath.Base(c.Path())), func(pages, all int) {
		if !begun {
			shown.Begin("copying", all)
			begun = true
		}
		shown.Add(pages)
	})
	shown.End()
	if err != nil {
		if store.Full(err) {
			err = errFull{folder}
		}
		return nil, err
	}
	for _, name := range []string{secretFile, "operator-token", "legacy-letters.json"} {
		text, err := os.ReadFile(filepath.Join(c.Folder(), name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = command.WriteOnce(filepath.Join(unfinished, name), text)
		}
		if err != nil {
			return nil, err
		}
	}
	return rows, os.Rename(unfinished, folder)
}

// filesOf are the names of the files in a folder.
func filesOf(folder string) (names []string) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil // it was just made, and only the message lacks them
	}
	for _, file := range files {
		names = append(names, file.Name())
	}
	return names
}

// removeOld removes the oldest of the backups in the folder.
func (c *Backup) removeOld() (err error) {
	dated := slices.DeleteFunc(filesOf(c.To), func(name string) bool { return !datedBackup.MatchString(name) })
	for _, name := range dated[:max(0, len(dated)-c.Keep)] { // in the order of their moments
		err = errors.Join(err, os.RemoveAll(filepath.Join(c.To, name)))
	}
	return err
}

// lacksSecret says of a copy of a database that the secret is not with it.
const lacksSecret = " lacks the secret, without which no server starts on it: keep"

// insteadOfBackup is what to run where the database is PostgreSQL's.
const insteadOfBackup = `nothing was backed up, because PostgreSQL has programs of its own for that. Run them with the URL of --db:

    pg_dump --format=custom --file=sellerd.dump "$SELLERD_DB"
    pg_restore --list sellerd.dump >/dev/null && echo intact

A dump` + lacksSecret + ` SELLERD_SECRET (or data/sellerd.secret) in another place. A dump
lacks all later changes, too: archive the write-ahead log or run a standby if you cannot afford to lose them.
More: docs/operator/backup.md`
