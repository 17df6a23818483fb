package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/translate"
	"sellerd/translate/letter"
	"sellerd/v1"
)

type legacyLetters struct {
	database.Flags
	Format  string   `default:"eml" enum:"eml,mbox,csv" placeholder:"FORMAT" help:"eml, a file for each letter; mbox, a mailbox; or csv, a table (default: ${default})."`
	Out     string   `placeholder:"PATH" help:"The folder (eml) or the file (mbox, csv) that is made. Default: letters and the date."`
	State   []string `default:"active,silent" placeholder:"STATES" complete:"active,silent" help:"Sellers in these states (default: ${default})."`
	Since   string   `placeholder:"DATE" help:"Write again to sellers whose last letter is from before this day, such as 2027-04-08. Default: to nobody twice."`
	Written string   `placeholder:"FILE" help:"Where it is kept who was written to, and when. Default: legacy-letters.json beside the database."`
	From    string   `placeholder:"ADDRESS" help:"The sender of the letters, such as 'Support <support@example.com>'. Default: seller-api at the host of the service."`
	BaseURL string   `name:"base-url" default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is, for links (default: ${default})."`

	since v1.Time // letters from then on count, all if it is 0
	from  mail.Address
}

// mailed is the result of a run.
type mailed struct {
	Out       *string  `json:"out"` // null without a letter
	Letters   int      `json:"letters"`
	Before    int      `json:"written_before"`
	Suspended []string `json:"suspended"`
	NoAddress []string `json:"without_address"`
}

// Run writes the letters and prints how many there are.
func (c *legacyLetters) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.WithService(ctx, func(s *v1.Service) error {
		if c.since > v1.TimeOf(s.Clock().Now()) {
			return command.Wrong("--since must be a day that has begun, not %s: what was written today would be written again", c.Since)
		}
		done, err := c.write(ctx, s)
		if err != nil {
			return err
		}
		return command.PrintJSON(done)
	})
}

// check reads the flags.
func (c *legacyLetters) check() error {
	for _, state := range c.State {
		if state != v1.LegacyActive && state != v1.LegacySilent {
			return command.Wrong("--state must be active, silent or both, not %q: who is done gets no letter", state)
		}
	}
	if c.Since != "" {
		day, err := time.Parse(time.DateOnly, c.Since)
		if err != nil {
			return command.Wrong("--since must be a day such as 2027-04-08, not %q", c.Since)
		}
		c.since = v1.TimeOf(day)
	}
	if err := command.CheckBaseURL("--base-url", c.BaseURL); err != nil {
		return err
	}
	if err := errors.Join(checkPlace("--out", c.Out), checkPlace("--written", c.Written)); err != nil {
		return err
	}
	if info, err := os.Stat(c.Written); err == nil && info.IsDir() {
		return command.Wrong("--written must be a file, and %s is a folder", c.Written)
	}
	if c.Written == "" {
		c.Written = filepath.Join(c.Folder(), "legacy-letters.json")
		if err := os.MkdirAll(c.Folder(), 0o700); err != nil { // beside PostgreSQL it may not be there
			return err
		}
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	c.from = mail.Address{Name: "Seller API", Address: "seller-api@" + letter.HostOf(c.BaseURL)}
	if c.From != "" {
		from, err := mail.ParseAddress(c.From)
		if err != nil || strings.ContainsAny(from.Address, " \t") {
			return command.Wrong("--from must be an address such as 'Support <support@example.com>', not %q", c.From)
		}
		c.from = *from
	}
	if here(c.BaseURL) {
		fmt.Fprintf(os.Stderr, "sellerd: the links of the letters lead to %s, which is this machine: give the service's address with --base-url\n", c.BaseURL)
	}
	return nil
}

// checkPlace makes sure that the folder is there in which a flag names something.
func checkPlace(flag, path string) error {
	if _, err := os.Stat(filepath.Dir(path)); path != "" && err != nil {
		return command.Wrong("%s: there is no folder %s", flag, filepath.Dir(path))
	}
	return nil
}

// here says whether an address leads to the machine of its reader.
func here(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// write writes the letters. They are made under another name first. The moment in which they count as written is that in which the book of letters is
// stored; after it they only get their name, which the next run does if this one cannot.
func (c *legacyLetters) write(ctx context.Context, s *v1.Service) (done *mailed, err error) {
	book, err := openBook(c.Written)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.close()) }()
	if err := book.recover(); err != nil {
		return nil, err
	}
	table, err := translate.New()
	if err != nil {
		return nil, err
	}
	now := s.Clock().Now()
	writer := letter.NewWriter(table, c.BaseURL, now)
	out := c.output(now)
	defer func() { err = errors.Join(err, out.discard()) }() // nothing is left to discard when all went well
	done = &mailed{Suspended: []string{}, NoAddress: []string{}}
	err = s.EachLegacySeller(ctx, func(seller *v1.LegacySeller) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if !slices.Contains(c.State, seller.State) {
			return nil
		}
		if book.wroteSince(seller.Account.ID, c.since) {
			done.Before++
			return nil
		}
		if seller.Suspended {
			done.Suspended = append(done.Suspended, seller.Account.ID.String())
			return nil
		}
		l, err := writer.Letter(seller)
		if err != nil {
			return err
		}
		if c.Format != "csv" && !l.Deliverable() {
			done.NoAddress = append(done.NoAddress, l.Account.String())
			return nil
		}
		done.Letters++
		book.note(l.Account, v1.TimeOf(now))
		return out.add(&l)
	})
	if err != nil || done.Letters == 0 {
		return done, err
	}
	if err := out.finish(); err != nil {
		return nil, err
	}
	done.Out = &out.path
	return done, book.store(out)
}
