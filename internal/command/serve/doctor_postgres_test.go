package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// faultsOfPostgres are planted one after the other, each in a database of its own. mend ends what concerns the whole cluster.
func faultsOfPostgres() []struct {
	fault
	mend []string
} {
	execute := func(statements ...string) func(*testing.T, *patient) {
		return func(t *testing.T, p *patient) {
			if err := pgtest.Execute(t.Context(), p.doctor.DB, statements...); err != nil {
				t.Fatal(err)
			}
		}
	}
	reload := "SELECT pg_reload_conf(), pg_sleep(0.2)" // until the other processes have taken it
	return []struct {
		fault
		mend []string
	}{
		{fault: fault{"none", execute(), nil}},
		{fault: fault{"another secret", func(_ *testing.T, p *patient) { p.doctor.Secret = "B" + strings.Repeat("A", 42) + "=" }, []string{
			"fail, database: it belongs to another secret than the one from --secret",
		}}},
		{fault: fault{"no secret", func(_ *testing.T, p *patient) { p.doctor.Secret = "" }, []string{"fail, database: its secret is not here"}}},
		{fault: fault{"an older schema", execute(dropNewestVersion), []string{"fail, database: the schema has version 18, and this program's is 19"}}},
		{fault: fault{"a newer schema", execute("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)"), []string{
			"warn, database: the schema has version 99, and this program's is 19",
		}}},
		{fault: fault{"an unfinished copy", execute("CREATE TABLE sellerd_copy (name text)", dropNewestVersion), []string{
			"fail, database: the database in --db is an unfinished copy, in which rows are missing: run `sellerd copy` again with the same --from, or remove it",
		}}},
		{fault: fault{"a full disk", execute("CREATE FUNCTION full_disk() RETURNS event_trigger AS $$ BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'no space'; END $$ LANGUAGE plpgsql",
			"CREATE EVENT TRIGGER full_disk ON ddl_command_start EXECUTE FUNCTION full_disk()"), []string{
			"fail, database: a table could not be written: ERROR: no space (SQLSTATE 53100)",
		}}},
		{fault: fault{"changes that are refused", execute("ALTER ROLE postgres SET default_transaction_read_only = on"), []string{
			"fail, database: a table could not be written: ERROR: cannot execute CREATE TABLE AS in a read-only transaction (SQLSTATE 25006)",
		}}, mend: []string{"SET default_transaction_read_only = off", "ALTER ROLE postgres RESET default_transaction_read_only"}},
		{fault: fault{"a missing index", execute("DROP INDEX operator_audit_account"), []string{"fail, database: it lacks the indexes operator_audit_account"}}},
		{fault: fault{"statistics", func(t *testing.T, p *patient) {
			p.stop() // it looks after them
			execute("CREATE TABLE filled WITH (autovacuum_enabled = off) AS SELECT generate_series(1, 20000)")(t, p)
		}, []string{
			"warn, database: the statistics of filled are out of date",
			"fail, base URL: there is no answer at BASE: nothing listens there",
		}}},
		{fault: fault{"commits that are lost", execute("ALTER ROLE postgres SET synchronous_commit = off"), []string{
			"fail, database: synchronous_commit is off: acknowledged changes can be lost",
		}}, mend: []string{"ALTER ROLE postgres RESET synchronous_commit"}},
		{
			fault: fault{"no fsync", execute("ALTER SYSTEM SET fsync = off", reload), []string{"fail, database: fsync is off: acknowledged changes can be lost"}},
			mend:  []string{"ALTER SYSTEM RESET fsync", reload},
		},
		{fault: fault{"a standby that is away", execute("ALTER SYSTEM SET synchronous_standby_names = 'away'", reload), []string{
			"fail, database: commits wait for a standby (away), and none follows",
		}}, mend: []string{"ALTER SYSTEM RESET synchronous_standby_names", reload}},
		{fault: fault{"a primary in place of the standby", func(_ *testing.T, p *patient) { p.doctor.DBRead = p.doctor.DB }, []string{
			"warn, standby: --db-read names no standby",
		}}},
		{fault: fault{"the clock", later(-10 * time.Minute), []string{
			"fail, database: the clock of the database differs by about 10m0s from this machine's",
			"fail, base URL: the clock of the base URL differs by about 10m0s from this machine's",
		}}},
	}
}

func TestDoctorFindsEachFaultOfPostgres(t *testing.T) {
	t.Setenv("TMPDIR", pgtest.QuickFolder()) // where fsync costs nothing
	cluster := pgtest.Own(t, pgtest.Options{Durable: true})
	for i, f := range faultsOfPostgres() {
		t.Run(f.name, func(t *testing.T) {
			name := fmt.Sprintf("patient%d", i)
			if err := cluster.Execute(t.Context(), "CREATE DATABASE "+name); err != nil {
				t.Fatal(err)
			}
			p := healthy(t, cluster.URL(name), nil)
			f.plant(t, p)
			got := p.complaints(t)
			if err := cluster.Execute(t.Context(), f.mend...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			p.stop()
		})
	}
	p := healthy(t, cluster.AdminURL(), nil)
	t.Run("a standby", func(t *testing.T) { findStandby(t, cluster, p) })
	p.stop()
	t.Run("a frozen database", func(t *testing.T) { findFrozen(t, cluster, p) })
}

// findStandby tells a healthy pair from a standby in place of the primary.
func findStandby(t *testing.T, cluster *pgtest.Cluster, p *patient) {
	standby := cluster.Standby(t)
	for following := ""; following != "1"; { // the standby says so when it has caught up
		var err error
		if following, err = cluster.Ask(t.Context(), "SELECT count(*)::text FROM pg_stat_replication WHERE sync_state = 'sync'"); err != nil {
			t.Fatal(err)
		}
	}
	p.doctor.DBRead = standby.AdminURL()
	if got := p.complaints(t); got != nil {
		t.Error("it complains about a healthy pair:", got)
	}
	p.doctor.DB, p.doctor.DBRead = standby.AdminURL(), ""
	if diff := cmp.Diff([]string{"fail, database: it is a standby, which takes no changes"}, p.complaints(t)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err) // nobody follows from here on
	}
	p.doctor.DB = cluster.AdminURL()
}

// findFrozen has a database that answers nothing. It must not keep the doctor, who says so in time.
func findFrozen(t *testing.T, cluster *pgtest.Cluster, p *patient) {
	if err := cluster.Freeze(); err != nil {
		t.Fatal(err)
	}
	got := p.complaints(t)
	if err := cluster.Thaw(); err != nil {
		t.Fatal(err)
	}
	host, port := cluster.Address()
	want := []string{
		fmt.Sprintf("fail, database: no PostgreSQL answers at %s:%d: does it run, and is --db right? (the server does not answer)", host, port),
		"fail, base URL: there is no answer at BASE: nothing listens there",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
