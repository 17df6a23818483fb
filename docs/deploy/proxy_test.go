package deploy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/certtest"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// proxy is a program for which there is a file here.
type proxy struct {
	name, file string
	check      []string // its own checker, without the file
	run        []string // in the foreground, without the file
	envelope   bool     // answers like the service while there is no server
	repeats    bool     // a POST with an Idempotency-Key that was cut off; otherwise its caller has to
	// adapted is what to replace in the file: addresses, and the certificate.
	adapted func(b balancer, folder string, one, two string) map[string]string
}

var proxies = []proxy{
	{
		name: "haproxy", repeats: true, envelope: true, file: "haproxy.cfg", check: []string{"-c", "-dW", "-f"}, run: []string{"-db", "-f"}, // -dW: no warning either
		adapted: func(b balancer, _ string, one, two string) map[string]string {
			return map[string]string{
				"bind :8080": "bind " + b.address, "# With TLS: bind :8443 ssl crt /usr/local/etc/haproxy/api.pem": "bind " + b.tls + " ssl crt " + b.pem,
				servers[0] + ":8080": one, servers[1] + ":8080": two,
			}
		},
	},
	{
		name: "caddy", file: "Caddyfile", check: []string{"validate", "--adapter", "caddyfile", "--config"}, run: []string{"run", "--adapter", "caddyfile", "--config"},
		adapted: func(b balancer, _ string, one, two string) map[string]string {
			return map[string]string{
				"\tservers {":              "\tadmin off\n\tauto_https disable_redirects\n\tservers {",
				"http://api.example.com {": "http://" + b.address + " {", "https://api.example.com {": "https://" + b.tls + " {",
				"# With a certificate of your own: tls /etc/caddy/cert.pem /etc/caddy/key.pem": "tls " + b.certificate.Cert + " " + b.certificate.Key,
				servers[0] + ":8080 " + servers[1] + ":8080":                                   one + " " + two,
			}
		},
	},
	{
		name: "nginx", repeats: true, file: "nginx.conf", check: []string{"-t", "-c"}, run: []string{"-g", "daemon off;", "-c"},
		adapted: func(b balancer, folder string, one, two string) map[string]string {
			return map[string]string{
				"user www-data;": "user root;", "/run/nginx.pid": folder + "/pid", "/var/log/nginx/error.log": "stderr", "/var/log/nginx/access.log": "/dev/stdout",
				"\n    server_tokens off;": temporary(folder), "listen 80;": "listen " + b.address + ";", "listen 443": "listen " + b.tls,
				"/etc/nginx/cert.pem": b.certificate.Cert, "/etc/nginx/key.pem": b.certificate.Key,
				servers[0] + ":8080": one, servers[1] + ":8080": two,
			}
		},
	},
}

// temporary are nginx's folders, in place of those that its package makes.
func temporary(folder string) (lines string) {
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		lines += "\n    " + name + "_temp_path " + filepath.Join(folder, name) + ";"
	}
	return lines
}

// haproxy is the proxy of compose.yaml.
var haproxy = proxies[0]

// eachProxy runs a test with two servers on one PostgreSQL behind each proxy, with the configuration that is committed but for addresses
// and the certificate.
func eachProxy(t *testing.T, test func(t *testing.T, b balancer, one, two *blackbox.Server, seller *blackbox.Seller)) {
	t.Helper()
	for _, p := range proxies {
		t.Run(p.name, func(t *testing.T) {
			database := pgtest.URL(t, nil)
			one, two := blackbox.NewServer(t, database), blackbox.NewServer(t, database)
			one.Start(t)
			two.Start(t)
			seller := blackbox.NewSeller(t, one, "anna")
			test(t, p.start(t, one, two), one, two, seller)
		})
	}
}

// TestTheProxiesAccept gives the configurations to the checkers of the programs themselves.
func TestTheProxiesAccept(t *testing.T) {
	for _, p := range proxies {
		b := balancer{address: "127.0.0.1:8080", tls: "127.0.0.1:8443"}
		path, program := p.prepare(t, &b, "127.0.0.1:8081", "127.0.0.1:8082")
		if out, err := exec.CommandContext(t.Context(), program, append(p.check, path)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.name, err, out)
		}
	}
}

const (
	callers = 6
	rounds  = 300 // of all callers together, two requests each, before a server is stopped and after it
	limit   = 30 * time.Second
)

// TestAServerThatStopsFailsNoRequest stops one of two servers under load, as a release does. The callers repeat nothing,
// but for a POST that the proxy was cut off in, if it does not repeat that itself.
func TestAServerThatStopsFailsNoRequest(t *testing.T) {
	eachProxy(t, func(t *testing.T, b balancer, one, two *blackbox.Server, seller *blackbox.Seller) {
		stopUnderLoad(t, b, one, two, seller.Key)
	})
}

func stopUnderLoad(t *testing.T, b balancer, one, two *blackbox.Server, key string) {
	t.Helper()
	repeats := 50 // each takes a tenth of a second, and the proxy looks at the servers every second
	if b.repeats {
		repeats = 0
	}
	var answered atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			c := caller{address: b.address, repeats: repeats, key: key}
			defer c.hangUp()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := c.call(fmt.Sprintf("caller-%d-%d", i, n)); err != nil {
					t.Errorf("caller %d, request %d: %v", i, n, err)
					return
				}
				answered.Add(1)
			}
		})
	}
	end := sync.OnceFunc(func() { close(stop); all.Wait() })
	defer end()
	await := func(n int64, what string) {
		t.Helper()
		target := answered.Load() + n
		blackbox.Eventually(t, limit, what, func() bool { return answered.Load() >= target || t.Failed() })
	}

	await(rounds, "two servers answer")
	for i, server := range []*blackbox.Server{one, two} {
		if n := server.Metric(t, `sellerd_requests_total{op="SubmitItem",status="202"}`); n < rounds/10 {
			t.Errorf("server %d of 2 answered only %v of %d", i+1, n, answered.Load())
		}
	}
	one.Stop(t)
	await(rounds, "one server answers")
	end()
	t.Logf("%d items were listed, and as many accounts read", answered.Load())
}

// balancer is where a proxy listens, and the certificate that it shows.
type balancer struct {
	address, tls string
	certificate  certtest.Pair
	pem          string // certificate and key in one file
	log          func() string
	repeats      bool
	envelope     bool
}

// prepare writes the configuration for a balancer, whose certificate it makes, and finds the program.
func (p proxy) prepare(t *testing.T, b *balancer, one, two string) (path, program string) {
	t.Helper()
	program = installed.Path(t, "THE PROXY "+strings.ToUpper(p.name)+" WAS NOT TRIED", p.name)
	folder := t.TempDir()
	b.certificate = certtest.Make(t, time.Now().Add(time.Hour))
	b.pem = filepath.Join(folder, "api.pem")
	adapted := read(t, p.file)
	for from, to := range p.adapted(*b, folder, one, two) {
		if strings.Count(adapted, from) != 1 {
			t.Fatalf("%s has %q %d times", p.file, from, strings.Count(adapted, from))
		}
		adapted = strings.Replace(adapted, from, to, 1)
	}
	path = filepath.Join(folder, p.file)
	both := read(t, b.certificate.Cert) + read(t, b.certificate.Key)
	if err := errors.Join(os.WriteFile(path, []byte(adapted), 0o600), os.WriteFile(b.pem, []byte(both), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path, program
}

// start runs the proxy between the test and two servers until the test ends, and returns where it listens, once it answers.
func (p proxy) start(t *testing.T, one, two *blackbox.Server) balancer {
	t.Helper()
	b := balancer{repeats: p.repeats, envelope: p.envelope}
	for _, address := range []*string{&b.address, &b.tls} {
		*address = "127.0.0.1:" + strconv.Itoa(pgtest.FreePort(t))
	}
	path, program := p.prepare(t, &b, strings.TrimPrefix(one.URL(), "http://"), strings.TrimPrefix(two.URL(), "http://"))
	log, err := os.Create(filepath.Join(filepath.Dir(path), "log"))
	if err != nil {
		t.Fatal(err)
	}
	b.log = func() string { return read(t, log.Name()) }
	process := exec.Command(program, append(p.run, path)...)
	process.Stdout, process.Stderr = log, log
	process.Env = append(os.Environ(), "HOME="+filepath.Dir(path), "XDG_DATA_HOME="+filepath.Dir(path), "XDG_CONFIG_HOME="+filepath.Dir(path)) // Caddy's
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}                                                                     // nginx ends its workers
	if err := errors.Join(process.Start(), log.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Signal(syscall.SIGTERM)
		_ = process.Wait()
		if t.Failed() {
			text := b.log()
			t.Logf("last words of %s:\n%s", p.name, text[max(0, len(text)-4000):])
		}
	})
	blackbox.Eventually(t, limit, p.name+" answers", func() bool {
		response, err := http.Get("http://" + b.address + "/healthz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return b
}

// caller keeps a connection, and repeats nothing that is not asked of it: net/http's client would repeat, unseen, what may be repeated.
type caller struct {
	address, key string
	repeats      int // how many POSTs that the proxy answers 502
	conn         net.Conn
	reader       *bufio.Reader
}

// call lists an item and asks for the account.
func (c *caller) call(idempotencyKey string) error {
	item, err := json.Marshal(blackbox.Item(idempotencyKey))
	if err != nil {
		return err
	}
	post, err := http.NewRequest(http.MethodPost, "http://"+c.address+"/v1/items", bytes.NewReader(item))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Idempotency-Key", idempotencyKey)
	if err := c.send(post, http.StatusAccepted); err != nil {
		return err
	}
	get, err := http.NewRequest(http.MethodGet, "http://"+c.address+"/v1/account", nil)
	if err != nil {
		return err
	}
	return c.send(get, http.StatusOK)
}

func (c *caller) send(request *http.Request, want int) (err error) {
	request.Header.Set("X-Api-Key", c.key)
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", c.address); err != nil {
			return err
		}
		c.reader = bufio.NewReader(c.conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	if err := request.Write(c.conn); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.reader, request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.Close {
		c.hangUp()
	}
	if response.StatusCode == http.StatusBadGateway && c.repeats > 0 && request.Method == http.MethodPost {
		c.repeats--
		if request.Body, err = request.GetBody(); err != nil {
			return err
		}
		return c.send(request, want)
	}
	if response.StatusCode != want {
		return fmt.Errorf("%s %s: status %d\n%s", request.Method, request.URL.Path, response.StatusCode, body)
	}
	return nil
}

func (c *caller) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
