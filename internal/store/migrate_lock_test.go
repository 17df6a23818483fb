package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"

	"sellerd/internal/proof/pgtest"
)

// TestMigratingNeedsNoLockOfASession migrates and serves for a role that may not use advisory locks of sessions, which other engines
// do not have.
func TestMigratingNeedsNoLockOfASession(t *testing.T) {
	cluster := pgtest.Own(t, pgtest.Options{})
	if err := cluster.Execute(t.Context(), "CREATE ROLE modest LOGIN PASSWORD 'modest'", "ALTER DATABASE postgres OWNER TO modest",
		"DROP SCHEMA public", "CREATE SCHEMA public AUTHORIZATION modest", // as a database that the role has made
		`DO $$ DECLARE name text; BEGIN
			FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE proname ~ 'advisory' AND proname !~ '_xact_' LOOP
				EXECUTE 'REVOKE EXECUTE ON FUNCTION ' || name || ' FROM PUBLIC';
			END LOOP;
		END $$`); err != nil {
		t.Fatal(err)
	}
	url := strings.Replace(cluster.AdminURL(), "postgres:"+cluster.Password()+"@", "modest:modest@", 1)
	db := open(t, Config{URL: url})
	mustWrite(t, db, insert("one"))
	if _, err := db.Announced(t.Context(), "anything"); err != nil {
		t.Error(err)
	}
	if _, err := ask[bool](t.Context(), db.Reader(), "SELECT pg_try_advisory_lock(1)"); err == nil {
		t.Error("the role may use locks of sessions, so this test proves nothing")
	}
}

// TestMigratingAwaitsOtherProcesses has another connection hold the lock, as an older program does for its session and as this one
// does for a transaction.
func TestMigratingAwaitsOtherProcesses(t *testing.T) {
	for name, other := range map[string]struct{ take, release string }{
		"an older program": {"SELECT pg_advisory_lock(%d)", "SELECT pg_advisory_unlock_all()"},
		"this program":     {"BEGIN; SELECT pg_advisory_xact_lock(%d)", "COMMIT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.URL(t, nil)
			holder, watcher := connectTo(t, url), connectTo(t, url)
			execute := func(statements string) {
				t.Helper()
				if _, err := holder.PgConn().Exec(t.Context(), statements).ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			count := func(query string) (n int) {
				t.Helper()
				if err := watcher.QueryRow(t.Context(), query).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			execute(fmt.Sprintf(other.take, lock.DefaultLockID))
			opened := make(chan error, 1)
			go func() {
				db, err := Open(t.Context(), Config{URL: url})
				if err == nil {
					err = db.Close()
				}
				opened <- err
			}()
			const asking = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_try_advisory%' AND pid <> pg_backend_pid()"
			for began := time.Now(); count(asking) == 0; time.Sleep(5 * time.Millisecond) {
				if time.Since(began) > 20*time.Second {
					t.Fatal("it does not ask for the lock")
				}
			}
			if n := count("SELECT count(*) FROM pg_tables WHERE tablename = 'owners'"); n != 0 {
				t.Error("it has migrated while another process held the lock")
			}
			execute(other.release)
			if err := <-opened; err != nil {
				t.Fatal(err)
			}
			if n := count("SELECT count(*) FROM pg_tables WHERE tablename = 'owners'"); n != 1 {
				t.Error("it has not migrated")
			}
		})
	}
}

// TestMigratingHasNoLimits migrates with a table that takes longer than the role's limit on statements, which the manual sets behind
// poolers. A limit in the URL holds for migrations, too.
func TestMigratingHasNoLimits(t *testing.T) {
	t.Parallel()
	url := slowTable(t)
	conn := connectTo(t, url)
	var version int
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		t.Fatal(err)
	}
	limits := []string{"statement_timeout"}
	if version >= 170000 {
		limits = append(limits, "transaction_timeout")
	}
	for _, limit := range limits {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s SET %s = '500ms'", conn.Config().Database, limit)); err != nil {
			t.Fatal(err)
		}
	}
	open(t, Config{URL: url})
	if _, err := Open(t.Context(), Config{URL: slowTable(t) + "&statement_timeout=500ms"}); err == nil {
		t.Error("the limit of the URL was not applied")
	}
}

// slowTable is a new database in which the second table takes a second to make.
func slowTable(t *testing.T) (url string) {
	t.Helper()
	url = pgtest.URL(t, nil)
	conn := connectTo(t, url)
	for _, statement := range []string{
		"CREATE SEQUENCE tables",
		"CREATE FUNCTION delay() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('tables') = 2 THEN PERFORM pg_sleep(1); END IF; END $$",
		"CREATE EVENT TRIGGER delay ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION delay()",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return url
}

func connectTo(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
