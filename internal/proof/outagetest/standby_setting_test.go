package outagetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// standbyFiles is where the files of the setting are.
const standbyFiles = "../../../docs/deploy/standby/"

// pair is a primary with a synchronous standby, built from the files of the manual as the manual says.
type pair struct {
	t                *testing.T
	primary, standby *pgtest.Cluster
	names            map[*pgtest.Cluster]string
	url              string // of both, for sellerd
}

// passwordOf is the password of a role of roles.sql in these tests.
const passwordOf = "a-password-of-a-test"

func newPair(t *testing.T) *pair {
	t.Helper()
	// Both machines and the servers are at one address. What else the tests replace are names and passwords.
	access := strings.ReplaceAll(read(t, standbyFiles+"pg_hba.conf"), "10.0.0.0/24", "127.0.0.1/32")
	access = regexp.MustCompile(`(?m)^local.*$`).ReplaceAllString(access, "") // a server of the tests has no socket
	primary := pgtest.Own(t, pgtest.Options{Durable: true, Config: read(t, standbyFiles+"postgresql.conf"), Access: access})
	p := &pair{t: t, primary: primary, standby: primary.Machine(t)}
	p.names = map[*pgtest.Cluster]string{p.primary: "db_1", p.standby: "db_2"}
	p.mustExecute(p.primary, "roles.sql")
	p.followed(t.Context())
	url := regexp.MustCompile(`(?m)^SELLERD_DB=(.*)$`).FindStringSubmatch(read(t, standbyFiles+"sellerd.env"))[1]
	p.url = strings.NewReplacer("db-1.example.com:5432", address(p.primary), "db-2.example.com:5432", address(p.standby),
		"PASSWORD-OF-SELLERD", passwordOf).Replace(url)
	return p
}

func address(c *pgtest.Cluster) string {
	host, port := c.Address()
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// mustExecute runs the statements of a file of the manual.
func (p *pair) mustExecute(c *pgtest.Cluster, file string) {
	p.t.Helper()
	text := regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(read(p.t, standbyFiles+file), "")
	text = regexp.MustCompile(`PASSWORD-OF-\w+`).ReplaceAllString(text, passwordOf)
	var statements []string
	for statement := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(statement) != "" {
			statements = append(statements, statement)
		}
	}
	if err := c.Execute(p.t.Context(), statements...); err != nil {
		p.t.Fatal(err)
	}
}

// followed makes the standby follow the primary, by a base backup or by pg_rewind, and has the primary wait for it from then on.
func (p *pair) followed(ctx context.Context) {
	p.t.Helper()
	host, port := p.primary.Address()
	if err := p.standby.Run(ctx, "*:*:*:replicator:"+passwordOf+"\n", read(p.t, standbyFiles+"follow.sh"),
		p.standby.Data(), host, fmt.Sprint(port), p.names[p.standby]); err != nil {
		p.t.Fatal("follow.sh: ", err)
	}
	if err := p.standby.Resume(ctx); err != nil {
		p.t.Fatal(err)
	}
	p.mustExecute(p.primary, "synchronous.sql")
	blackbox.Eventually(p.t, 30*time.Second, "the primary has a synchronous standby", p.synchronous)
}

// synchronous says whether the primary waits for the standby of the right name.
func (p *pair) synchronous() bool {
	p.t.Helper()
	state, err := p.primary.Ask(p.t.Context(), "SELECT coalesce(string_agg(application_name || ' ' || sync_state, ','), '') FROM pg_stat_replication")
	if err != nil {
		p.t.Fatal(err)
	}
	return state == p.names[p.standby]+" sync"
}

// promote makes the standby the primary, and returns when it accepts writes. The old primary is not touched.
func (p *pair) promote() time.Time {
	p.t.Helper()
	if err := p.standby.Promote(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	p.primary, p.standby = p.standby, p.primary
	return time.Now()
}

// restart crashes the primary and starts it again, after a time.
func (p *pair) restart(away time.Duration) time.Time {
	p.t.Helper()
	err := p.primary.Interrupt()
	time.Sleep(away)
	if err := errors.Join(err, p.primary.Resume(p.t.Context())); err != nil {
		p.t.Fatal(err)
	}
	return time.Now()
}
