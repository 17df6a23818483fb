package demoseller

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"sellerd/internal/command"
	"sellerd/v1"
)

// Consent asks before the demo seller is made in a database that others may use. A database with the demo's keys has been asked
// about before.
type Consent struct {
	Anyway   bool // --demo-anyway
	Postgres bool // other servers and people may share the database
	Terminal bool // a person can be asked
	In       io.Reader
	Out      io.Writer
	Patience time.Duration // to wait for an answer
}

// Patience is how long serve waits for an answer. Until then it serves nothing.
const Patience = time.Minute

// Consent returns an error if the demo's seller must not be made. It has made nothing then.
func (d Seller) Consent(ctx context.Context, c Consent) error {
	_, err := d.load(ctx)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case c.Anyway:
		return nil
	}
	where, err := d.sharedWith(ctx, c.Postgres)
	if err != nil || where == "" {
		return err
	}
	if !c.Terminal {
		return Unasked(where)
	}
	fmt.Fprintf(c.Out, "--demo makes a seller with items, sales and bills, and %s.\nMake the demo seller there? [y/N] ", where)
	if !c.yes(ctx) {
		if ctx.Err() != nil {
			return ctx.Err() // the server was stopped
		}
		return errors.New("the demo seller is not made: leave --demo out, or name another database with --db")
	}
	return nil
}

// InPostgres is the reason to ask before the demo writes to a PostgreSQL.
const InPostgres = "the database is a PostgreSQL, which others may share"

// Unasked is the error if the demo needs a consent and cannot ask for it. where is the reason to ask.
func Unasked(where string) error {
	return fmt.Errorf("--demo makes a seller with items, sales and bills, and %s: leave --demo out, name another database with --db, "+
		"or add --demo-anyway", where)
}

// sharedWith says why a database may not be the demo's alone, and is empty if it is.
func (d Seller) sharedWith(ctx context.Context, postgres bool) (where string, err error) {
	found := errors.New("found")
	var nickname string
	err = d.Service.EachAccount(ctx, v1.AccountNames{}, func(a *v1.OperatorAccount) error {
		if a.Nickname == demoNickname {
			return nil
		}
		nickname = a.Nickname
		return found
	})
	switch {
	case errors.Is(err, found):
		return "the database has other accounts, such as " + nickname, nil
	case err != nil:
		return "", err
	case postgres:
		return InPostgres, nil
	}
	return "", nil
}

// yes reads an answer. Without one in time it is no.
func (c Consent) yes(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	line, _ := command.Await(ctx, func() (string, error) { return bufio.NewReader(c.In).ReadString('\n') })
	if ctx.Err() != nil {
		fmt.Fprintln(c.Out)
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
