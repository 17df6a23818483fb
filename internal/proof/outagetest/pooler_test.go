package outagetest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// The pages that are tried here.
const (
	configuration = "../../../docs/deploy/pgbouncer.ini"
	manual        = "../../../docs/operator/operating-pooler.md"
)

// startPooler runs PgBouncer before a cluster with the configuration of the manual, and returns its port. What differs from
// the manual is given in pairs: the text, and what takes its place.
func startPooler(t *testing.T, cluster *pgtest.Cluster, differs ...string) int {
	t.Helper()
	program := installed.Path(t, "THE POOLER WAS NOT TRIED", "pgbouncer")
	port := pgtest.FreePort(t)
	host, behind := cluster.Address()
	text := read(t, configuration)
	replaced := map[string]string{
		"host=db.example.com port=5432 dbname=sellerd": fmt.Sprintf("host=%s port=%d dbname=postgres", host, behind),
		"listen_port = 6432":                           fmt.Sprintf("listen_port = %d", port),
		"auth_file = /etc/pgbouncer/userlist.txt":      "auth_file = userlist.txt",
	}
	for i := 0; i < len(differs); i += 2 {
		replaced[differs[i]] = differs[i+1]
	}
	for from, to := range replaced {
		if !strings.Contains(text, from) {
			t.Fatalf("%s does not have %q", configuration, from)
		}
		text = strings.ReplaceAll(text, from, to)
	}
	cluster.Beside(t, map[string]string{"pgbouncer.ini": text, "userlist.txt": `"postgres" "` + cluster.Password() + `"` + "\n"},
		func(string) (string, []string) { return program, []string{"-q", "pgbouncer.ini"} })
	blackbox.Eventually(t, 10*time.Second, "the pooler listens", func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return port
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settingsOfTheManual are the statements that give a role what sessions are given otherwise.
func settingsOfTheManual(t *testing.T, role string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```sql\n(ALTER ROLE sellerd SET .*?)```").FindStringSubmatch(read(t, manual))
	if block == nil {
		t.Fatalf("%s does not say which settings the role needs", manual)
	}
	return strings.ReplaceAll(block[1], "ROLE sellerd", "ROLE "+role)
}

// TestPooler runs three servers behind PgBouncer in each of its modes, under load, with the configuration of the manual.
func TestPooler(t *testing.T) {
	for _, mode := range []struct {
		name, database, parameters string
		prepare                    func(t *testing.T, cluster *pgtest.Cluster)
	}{
		{"session", "sellerd", "", func(*testing.T, *pgtest.Cluster) {}},
		{"transaction", "sellerd_shared", "&default_query_exec_mode=exec", func(t *testing.T, cluster *pgtest.Cluster) {
			conn, err := pgx.Connect(t.Context(), cluster.AdminURL())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			if _, err := conn.Exec(t.Context(), settingsOfTheManual(t, "postgres")); err != nil {
				t.Fatal(err)
			}
			if out, err := blackbox.NewServer(t, cluster.AdminURL()).Command("migrate"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			if !*long {
				t.Parallel()
			}
			cluster := pgtest.Own(t, pgtest.Options{Durable: true})
			port := startPooler(t, cluster)
			mode.prepare(t, cluster)
			servers := make([]*blackbox.Server, replicas)
			for i := range servers {
				servers[i] = blackbox.NewServer(t, cluster.Through(port, mode.database)+mode.parameters)
				servers[i].Start(t)
				checkReady(t, servers[i], http.StatusOK)
			}
			receiver := blackbox.NewReceiver(t, nil)
			seller := blackbox.NewSeller(t, servers[0], "anna")
			seller.Subscribe(t, receiver, "endpoint")
			l := &load{seller: seller, servers: servers, stall: seller.Publish(t, stallItems)}
			finish := l.begin(t.Context())
			time.Sleep(during(3*time.Second, time.Minute))
			finish()
			l.check(t, l.awaitPublished(t, publishedPatience))
			events := l.checkEvents(t, receiver)
			if n := l.refused(); n > 0 {
				t.Errorf("%d requests were refused", n)
			}
			for _, server := range servers {
				if said := server.Complaints(); said != "" {
					t.Errorf("a server complains: %s", said)
				}
			}
			blackbox.Record(t, blackbox.Figure{
				Number: "F3", What: fmt.Sprintf("%d processes behind PgBouncer, %s mode, %d clients", replicas, mode.name, clients),
				Aim: "0 acknowledged lost, 0 refused, events without gaps",
				Measured: fmt.Sprintf("%s items and %s sales acknowledged, %s events, %d refusals, the slowest answer %.1f s",
					blackbox.Thousands(int64(l.listed())), blackbox.Thousands(int64(l.bought())), blackbox.Thousands(int64(events)), l.refused(), l.slowest(nil).Seconds()),
				Reached: !t.Failed(),
			})
		})
	}
}

// TestPoolerRefusals starts a server behind a pooler where it cannot serve. It says so and ends. A pooler that keeps
// sessions, and one that keeps none for a URL that needs none, are in TestPooler.
func TestPoolerRefusals(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	port := startPooler(t, cluster)
	for _, test := range []struct{ name, url, says string }{
		{
			"tables have to be made, and there is no session for it", cluster.Through(port, "sellerd_shared") + "&default_query_exec_mode=exec",
			"the pooler at 127.0.0.1:" + strconv.Itoa(port) + " gives each transaction another session, and the tables must be made or changed first: run " +
				"`sellerd migrate` once with a --db that leads to PostgreSQL itself",
		},
		{
			"the URL does not say that the pooler keeps no sessions", cluster.Through(port, "sellerd_shared"),
			"the pooler at 127.0.0.1:" + strconv.Itoa(port) + " gives each transaction another session: add the parameter default_query_exec_mode=exec to " +
				"--db, or let the pooler keep sessions (pool_mode=session)",
		},
		{
			"the pooler does not know a parameter", cluster.Through(port, "sellerd") + "&search_path=public",
			"PostgreSQL at 127.0.0.1:" + strconv.Itoa(port) + ", or the pooler before it, does not take a parameter in --db: leave it out, or let the pooler ignore it",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			said := blackbox.NewServer(t, test.url).StartToFail(t)
			if !strings.Contains(said, test.says) {
				t.Errorf("it said %s", said)
			}
		})
	}
	t.Run("settings of the URL are set once connected", func(t *testing.T) {
		server := blackbox.NewServer(t, cluster.Through(port, "sellerd")+"&lock_timeout=3s")
		server.Start(t)
		checkReady(t, server, http.StatusOK)
	})
}

// TestPoolerSharingSessions starts a server that needs sessions behind poolers that keep none, however they choose the
// connection for a transaction. It refuses, and makes no tables.
func TestPoolerSharingSessions(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	for _, pool := range []struct {
		name    string
		differs []string
		idle    int // how many connections to PostgreSQL the pooler has at the start
	}{
		{"an empty pool", nil, 0},
		{"the connection that was used last", nil, 3},
		{"a single connection", []string{"pool_size=16", "pool_size=1"}, 1},
		{"one of two in turn", []string{"listen_addr", "server_round_robin = 1\nlisten_addr"}, 2},
		{"one of three in turn", []string{"listen_addr", "server_round_robin = 1\nlisten_addr"}, 3},
	} {
		t.Run(pool.name, func(t *testing.T) {
			port := startPooler(t, cluster, pool.differs...)
			url := cluster.Through(port, "sellerd_shared")
			leaveIdle(t, url+"&default_query_exec_mode=exec", pool.idle)
			said := blackbox.NewServer(t, url).StartToFail(t)
			if !strings.Contains(said, "add the parameter default_query_exec_mode=exec") {
				t.Errorf("it said %s", said)
			}
		})
	}
	conn, err := pgx.Connect(t.Context(), cluster.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var tables int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("%d tables were made: %v", tables, err)
	}
}

// leaveIdle makes a pooler open so many connections to PostgreSQL, by as many transactions at once.
func leaveIdle(t *testing.T, url string, connections int) {
	t.Helper()
	for range connections {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(t.Context())
	}
}

// TestPoolerWithoutSettings runs a server behind a pooler that gives each transaction another session, for a role that has
// no settings of its own. The server says what is missing, and sets nothing itself: others would meet it.
func TestPoolerWithoutSettings(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	port := startPooler(t, cluster)
	if out, err := blackbox.NewServer(t, cluster.AdminURL()).Command("migrate"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	url := cluster.Through(port, "sellerd_shared") + "&default_query_exec_mode=exec"
	server := blackbox.NewServer(t, url)
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "anna")
	awaitServing(t, server, seller.Key, seller.Publish(t, 1)[0])
	if said, want := server.Complaints(), "ALTER ROLE CURRENT_USER SET lock_timeout = '2s';"; !strings.Contains(said, want) {
		t.Errorf("the server does not say %q: %s", want, said)
	}
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	for range 20 {
		var got string
		if err := other.QueryRow(t.Context(), "SHOW lock_timeout").Scan(&got); err != nil || got != "0" {
			t.Fatalf("another program meets a lock_timeout of %s: %v", got, err)
		}
	}
}

// TestFrozenBehindPooler lets PostgreSQL stand still behind a pooler, which goes on to answer for itself.
func TestFrozenBehindPooler(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	port := startPooler(t, cluster)
	for _, mode := range []struct{ name, url string }{
		{"session", cluster.Through(port, "sellerd")},
		{"transaction", cluster.Through(port, "sellerd_shared") + "&default_query_exec_mode=exec"},
	} {
		t.Run(mode.name, func(t *testing.T) { // one after the other: the first one makes the tables
			server := blackbox.NewServer(t, mode.url)
			server.Start(t)
			seller := blackbox.NewSeller(t, server, "anna-"+mode.name)
			item := seller.Publish(t, 1)[0]
			awaitServing(t, server, seller.Key, item)
			if err := cluster.Freeze(); err != nil {
				t.Fatal(err)
			}
			checkReady(t, server, http.StatusServiceUnavailable)
			var requests []*request
			for n := range 3 {
				requests = append(requests, requestsOf(server, seller.Key, item, n+1)...)
			}
			sendAll(requests)
			checkRefused(t, requests)
			if err := cluster.Thaw(); err != nil {
				t.Fatal(err)
			}
			if took := awaitServing(t, server, seller.Key, item); took > backLimit {
				t.Errorf("served again after %s", took)
			}
			server.Stop(t)
		})
	}
}
