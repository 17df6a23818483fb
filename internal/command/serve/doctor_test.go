package serve

import (
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
	"sellerd/internal/proof/certtest"
	"sellerd/internal/proof/pgtest"
)

// patient is a healthy service: a running server, and a doctor with the same settings.
type patient struct {
	doctor  Doctor
	program *command.Program
	stop    func() // ends the server
	files   certtest.Pair
}

func program() *command.Program {
	return &command.Program{Commands: func() any { return &struct{}{} }, Now: time.Now}
}

// healthy starts a server on a new database: by TLS, or by HTTP behind a proxy that speaks TLS.
func healthy(t *testing.T, database string, proxy func(backend *url.URL) *httputil.ReverseProxy) *patient {
	t.Helper()
	t.Chdir(t.TempDir())
	p := &patient{
		program: program(),
		files:   certtest.Make(t, time.Now().Add(60*24*time.Hour)),
	}
	port := pgtest.FreePort(t)
	c := Command{Addr: fmt.Sprintf("127.0.0.1:%d", port), OperatorAddr: fmt.Sprintf("127.0.0.1:%d", pgtest.FreePort(t)), LogLevel: "error"}
	c.LogFormat.LogFormat, c.SiteURL, c.DB = "json", "https://www.delcampe.net", database
	if c.Path() == "" {
		c.Secret, c.OperatorToken = base64.StdEncoding.EncodeToString(make([]byte, 32)), "the-token-of-the-operator"
	}
	if proxy == nil {
		c.TLSCert, c.TLSKey, c.BaseURL = p.files.Cert, p.files.Key, fmt.Sprintf("https://localhost:%d", port)
	} else {
		c.BaseURL = p.front(t, proxy(&url.URL{Scheme: "http", Host: c.Addr}))
		c.TrustedProxies = "127.0.0.1"
	}
	p.doctor = Doctor{Command: c, client: &http.Client{Transport: &http.Transport{TLSClientConfig: p.files.Trust(), DisableKeepAlives: true}}}
	p.doctor.space = func(string) (free, all uint64, err error) { return 50 << 30, 100 << 30, nil } // whatever this machine has
	p.serve(t, c)
	return p
}

// front is the address of a proxy that speaks TLS.
func (p *patient) front(t *testing.T, proxy http.Handler) string {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.files.Cert, p.files.Key)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewUnstartedServer(proxy)
	front.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	front.StartTLS()
	t.Cleanup(front.Close)
	return front.URL
}

// serve runs the server until the test ends, and waits until it is ready.
func (p *patient) serve(t *testing.T, c Command) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, program()) }()
	stopped := false
	p.stop = func() {
		if cancel(); stopped {
			return
		}
		stopped = true
		if err := <-ended; err != nil {
			t.Error("the server ended with", err)
		}
	}
	t.Cleanup(func() { p.stop() })
	for {
		answer, err := p.doctor.ask(ctx, nil)
		if err == nil && answer.StatusCode == http.StatusOK {
			return
		}
		select {
		case err := <-ended:
			stopped = true
			t.Fatal("the server ended with", err)
		case <-time.After(20 * time.Millisecond): // nothing says when another server is ready
		}
	}
}

// complaints are all lines but those that say ok, without remedies and with names for what differs from run to run.
func (p *patient) complaints(t *testing.T) (lines []string) {
	t.Helper()
	begun := time.Now()
	found := p.doctor.examine(t.Context(), p.program)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	named := strings.NewReplacer(p.doctor.BaseURL, "BASE", folder, "FOLDER")
	for _, f := range found {
		if f.Status != statusOK {
			lines = append(lines, named.Replace(f.Status+", "+f.Check+": "+f.Text))
		}
	}
	return lines
}

// inSQLite runs statements on the database, beside the server.
func (p *patient) inSQLite(t *testing.T, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", p.doctor.Path()+"?_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(statement, err)
		}
	}
}

const dropNewestVersion = "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"

// fault is something wrong, and the only lines that may say so.
type fault struct {
	name  string
	plant func(t *testing.T, p *patient)
	want  []string
}

func later(by time.Duration) func(*testing.T, *patient) {
	return func(_ *testing.T, p *patient) { p.program.Now = func() time.Time { return time.Now().Add(by) } }
}

func chmod(mode os.FileMode, name string) func(*testing.T, *patient) {
	return func(t *testing.T, _ *patient) {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDoctorFindsEachFaultAndNothingElse(t *testing.T) {
	for _, f := range []fault{
		{"none", func(*testing.T, *patient) {}, nil},
		{"a setting", func(_ *testing.T, p *patient) { p.doctor.TrustedProxies = "proxy" }, []string{
			`fail, settings: --trusted-proxies: "proxy" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`,
		}},
		{"the token's rights", chmod(0o644, "operator-token"), []string{"fail, settings: others may read the operator's token: chmod 600 FOLDER/operator-token"}},
		{"the database's rights", chmod(0o644, "sellerd.db"), []string{"warn, settings: other users may read the database"}},
		{"a full disk", func(_ *testing.T, p *patient) {
			p.doctor.space = func(string) (free, all uint64, err error) { return 99 << 20, 100 << 30, nil }
		}, []string{"fail, disk: 99 MB of 102400 MB are free in FOLDER"}},
		{"an old certificate", func(t *testing.T, p *patient) { p.files.Renew(t, time.Now().Add(-time.Hour)) }, []string{
			"fail, certificate: it ended on " + time.Now().Add(-time.Hour).UTC().Format(time.DateOnly),
		}},
		{"another secret", func(t *testing.T, _ *patient) {
			if err := os.WriteFile("sellerd.secret", []byte(strings.Repeat("x", 32)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"fail, database: it belongs to another secret than the one from FOLDER/sellerd.secret"}},
		{"no secret", func(t *testing.T, _ *patient) {
			if err := os.Remove("sellerd.secret"); err != nil {
				t.Fatal(err)
			}
		}, []string{"fail, database: its secret is not here"}},
		{"an older schema", func(t *testing.T, p *patient) { p.inSQLite(t, dropNewestVersion) }, []string{
			"fail, database: the schema has version 18, and this program's is 19",
		}},
		{"a damaged file", func(t *testing.T, p *patient) {
			if p.stop(); os.Truncate("sellerd.db", 2*4096) != nil {
				t.Fatal("the file cannot be cut")
			}
		}, []string{
			"fail, database: FOLDER/sellerd.db is damaged: stop the server, and restore a backup as docs/operator/backup.md says (database disk image is malformed)",
			"fail, base URL: there is no answer at BASE: nothing listens there",
		}},
		{"a missing index", func(t *testing.T, p *patient) { p.inSQLite(t, "DROP INDEX operator_audit_account") }, []string{
			"fail, database: it lacks the indexes operator_audit_account",
		}},
		{"statistics", func(t *testing.T, p *patient) { p.inSQLite(t, "ANALYZE") }, []string{"warn, database: it was analyzed, which makes for bad plans"}},
		{"the clock", later(10 * time.Minute), []string{"fail, base URL: the clock of the base URL differs by about 10m0s from this machine's"}},
		{"no server", func(_ *testing.T, p *patient) { p.stop() }, []string{"fail, base URL: there is no answer at BASE: nothing listens there"}},
	} {
		t.Run(f.name, func(t *testing.T) {
			p := healthy(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"), nil)
			t.Chdir(filepath.Dir(p.doctor.Path()))
			f.plant(t, p)
			if diff := cmp.Diff(f.want, p.complaints(t)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDoctorFindsWhatProxiesSayOfCallers(t *testing.T) {
	for _, test := range []struct {
		name    string
		rewrite func(*httputil.ProxyRequest)
		want    []string
	}{
		{"a good one", func(r *httputil.ProxyRequest) { r.SetXForwarded() }, nil},
		{"one that says nothing", func(*httputil.ProxyRequest) {}, []string{"warn, base URL: the server does not know that callers come by https, nor from where"}},
		{"one that passes on what callers claim", func(r *httputil.ProxyRequest) {
			r.SetXForwarded()
			if claimed := r.In.Header["X-Forwarded-Proto"]; claimed != nil {
				r.Out.Header["X-Forwarded-Proto"] = claimed
			}
		}, []string{"fail, base URL: the proxy passes on what callers claim about themselves"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := healthy(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"), func(backend *url.URL) *httputil.ReverseProxy {
				return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(backend); test.rewrite(r) }}
			})
			if diff := cmp.Diff(test.want, p.complaints(t)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
