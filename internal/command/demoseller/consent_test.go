package demoseller

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// asked is what became of a request for consent: what was printed, and the error.
type asked struct{ Printed, Error string }

// consentOf asks for the consent of a person at a terminal who types something, or of none.
func consentOf(t *testing.T, w *servertest.World, c Consent, typed io.Reader) asked {
	t.Helper()
	var out strings.Builder
	c.In, c.Out, c.Patience = typed, &out, time.Minute
	d := Seller{Service: w.Service, KeyFile: filepath.Join(t.TempDir(), "demo-keys.json")}
	got := asked{}
	if err := d.Consent(t.Context(), c); err != nil {
		got.Error = err.Error()
	}
	got.Printed = out.String()
	return got
}

func TestTheDemoAsksBesideOtherAccounts(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t)) // it has the account anna
	const (
		question = "--demo makes a seller with items, sales and bills, and the database has other accounts, such as anna.\nMake the demo seller there? [y/N] "
		declined = "the demo seller is not made: leave --demo out, or name another database with --db"
		refused  = "--demo makes a seller with items, sales and bills, and the database has other accounts, such as anna: leave --demo out, name another " +
			"database with --db, or add --demo-anyway"
	)
	for name, test := range map[string]struct {
		consent Consent
		typed   string
		want    asked
	}{
		"y":                      {Consent{Terminal: true}, "y\n", asked{question, ""}},
		"Yes":                    {Consent{Terminal: true}, " Yes \n", asked{question, ""}},
		"only the enter key":     {Consent{Terminal: true}, "\n", asked{question, declined}},
		"n":                      {Consent{Terminal: true}, "n\n", asked{question, declined}},
		"something else":         {Consent{Terminal: true}, "yellow\n", asked{question, declined}},
		"the end of the input":   {Consent{Terminal: true}, "", asked{question, declined}},
		"no terminal":            {Consent{}, "y\n", asked{"", refused}},
		"--demo-anyway":          {Consent{Anyway: true}, "", asked{}},
		"--demo-anyway at a tty": {Consent{Anyway: true, Terminal: true}, "n\n", asked{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, consentOf(t, w, test.consent, strings.NewReader(test.typed))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheDemoWaitsForAnAnswerOnlySoLong(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	silent, writer := io.Pipe()
	defer writer.Close()
	var out strings.Builder
	d := Seller{Service: w.Service, KeyFile: filepath.Join(t.TempDir(), "demo-keys.json")}
	err := d.Consent(t.Context(), Consent{Terminal: true, In: silent, Out: &out, Patience: time.Nanosecond})
	if err == nil || !strings.Contains(err.Error(), "is not made") {
		t.Errorf("without an answer: %v", err)
	}
}

func TestTheDemoAsksInPostgreSQLEvenWithoutAccounts(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))                                        // which database it is, serve says
	err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error { // the only account is the demo's
		return tx.Account.Update().SetNickname(demoNickname).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	alone := consentOf(t, w, Consent{}, strings.NewReader(""))
	shared := consentOf(t, w, Consent{Postgres: true}, strings.NewReader(""))
	want := []asked{{}, {"", "--demo makes a seller with items, sales and bills, and the database is a PostgreSQL, which others may share: leave --demo out, name another " +
		"database with --db, or add --demo-anyway"}}
	if diff := cmp.Diff(want, []asked{alone, shared}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheDemoThatIsMadeIsNotAskedAboutAgain: its keys are there, and they belong to the database.
func TestTheDemoThatIsMadeIsNotAskedAboutAgain(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	keyFile := filepath.Join(t.TempDir(), "demo-keys.json")
	if err := os.WriteFile(keyFile, []byte(`{"account":"1","live":"`+w.Key+`","test":"`+w.Key+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	d := Seller{Service: w.Service, KeyFile: keyFile}
	if err := d.Consent(context.Background(), Consent{Postgres: true}); err != nil {
		t.Errorf("it refuses: %v", err)
	}
}
