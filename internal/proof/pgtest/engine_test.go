package pgtest

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/installed"
)

func TestEngine(t *testing.T) {
	cluster := Own(t, Options{Config: "password_encryption = 'scram-sha-256'"})
	admin := dial(t, cluster.AdminURL())
	for _, statement := range []string{
		"CREATE ROLE modest LOGIN PASSWORD 'modest'",
		"CREATE ROLE tester LOGIN CREATEDB PASSWORD 'tester'",
	} {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	as := func(role string) string {
		return strings.Replace(cluster.AdminURL(), "postgres:"+cluster.Password()+"@", role+":"+role+"@", 1)
	}
	serializable, err := AtIsolation(as("tester"), "serializable")
	if err != nil {
		t.Fatal(err)
	}
	repeatable, err := AtIsolation(as("tester"), "repeatable read")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("is named with its version and its isolation level", func(t *testing.T) {
		for address, level := range map[string]string{as("tester"): "read committed", serializable: "serializable", repeatable: "repeatable read"} {
			got, err := Engine(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`^PostgreSQL \d+\S*( \([^)]*\))?, ` + level + `$`).MatchString(got) {
				t.Errorf("got %q, want PostgreSQL at %s", got, level)
			}
		}
	})

	t.Run("leaves no database behind", func(t *testing.T) {
		if got := ask[int](t, admin, "SELECT count(*) FROM pg_database WHERE datname LIKE 'pgtest%'"); got != 0 {
			t.Errorf("%d databases are left", got)
		}
	})

	port := strconv.Itoa(FreePort(t))
	for name, refused := range map[string]struct{ address, want string }{
		"a role that may not create databases": {as("modest"), `^PostgreSQL .*: the role modest may not create databases, which each test does: ALTER ROLE modest CREATEDB$`},
		"a wrong password":                     {strings.Replace(as("tester"), "tester:tester", "tester:hunter2", 1), `^the server cannot be used: .*password authentication failed`},
		"a port where there is no server":      {"postgres://tester:hunter2@127.0.0.1:" + port + "/postgres?sslmode=disable", `^the server cannot be used: .*connection refused$`},
		"an address that is no URL":            {"host=127.0.0.1 password=hunter2", `^the address of the server is not a URL: want postgres://USER:PASSWORD@HOST/DATABASE$`},
		"an address of SQLite":                 {"sqlite:sellerd.db", `^the address of the server is not a URL`},
	} {
		t.Run("a single line refuses "+name, func(t *testing.T) {
			_, err := Engine(t.Context(), refused.address)
			if err == nil {
				t.Fatal("it was accepted")
			}
			if said := err.Error(); !regexp.MustCompile(refused.want).MatchString(said) || strings.Contains(said, "\n") || strings.Contains(said, "hunter2") {
				t.Errorf("it says %q, want %s, and no password", said, refused.want)
			}
		})
	}
}

func TestIsolationLevels(t *testing.T) {
	for level, known := range map[string]bool{"": true, "read committed": true, "serializable": true, "read uncommitted": false, "'; DROP": false} {
		if err := CheckIsolation(level); (err == nil) != known {
			t.Errorf("%q: %v", level, err)
		}
	}
	t.Setenv(EnvIsolation, "serializable")
	if got := ask[string](t, dial(t, Own(t, Options{}).AdminURL()), "SHOW transaction_isolation"); got != "serializable" {
		t.Errorf("a cluster is at %s, want serializable", got)
	}
}

// TestAddressesHaveParameters sees to it that tests can add parameters of their own with an ampersand.
func TestAddressesHaveParameters(t *testing.T) {
	got := map[string]string{}
	for _, address := range []string{"postgres://a:b@h/postgres", "postgres://a:b@h:6432/postgres?sslmode=require"} {
		got[address] = databaseAt(address, "one")
	}
	want := map[string]string{
		"postgres://a:b@h/postgres":                      "postgres://a:b@h/one?sslmode=prefer",
		"postgres://a:b@h:6432/postgres?sslmode=require": "postgres://a:b@h:6432/one?sslmode=require",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPool puts the pooler before a cluster. Only what begins with a template is behind it.
func TestPool(t *testing.T) {
	program := installed.Path(t, "THE POOLER WAS NOT TRIED", "pgbouncer")
	s, err := shared()
	if Skip(t, err) {
		return
	}
	cluster := Own(t, Options{})
	address, stop, err := cluster.Pool(t.Context(), program, "[pgbouncer]\nlisten_port = 6432\nlisten_addr = 127.0.0.1\nunix_socket_dir =\nauth_type = scram-sha-256\n", t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	behind := dial(t, address)
	if direct := dial(t, cluster.AdminURL()); ask[string](t, behind, "SHOW data_directory") != ask[string](t, direct, "SHOW data_directory") {
		t.Error("it leads to another cluster")
	}
	if _, err := behind.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Error(err)
	}
	if pid := ask[uint32](t, behind, "SELECT pg_backend_pid()"); pid == behind.PgConn().PID() {
		t.Error("there is no pooler in between")
	}
	t.Setenv(EnvPooler, address)
	if got, pooled := URL(t, prepared), behind.Config().Port; dialPort(t, got) != pooled {
		t.Errorf("a copy of a template is at %s, want it at port %d", got, pooled)
	}
	if got := URL(t, nil); dialPort(t, got) != s.admin.Config().Port {
		t.Errorf("an empty database is at %s, want it without the pooler", got)
	}
}

// dialPort is the port of an address.
func dialPort(t *testing.T, address string) uint16 {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	return config.Port
}
