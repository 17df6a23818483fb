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

// TestHAProxyAccepts gives the configuration to HAProxy's own checker, which is to have no warning either.
func TestHAProxyAccepts(t *testing.T) {
	haproxy := installed.Path(t, "THE CONFIGURATION OF THE LOAD BALANCER WAS NOT CHECKED", "haproxy")
	if out, err := exec.CommandContext(t.Context(), haproxy, "-c", "-dW", "-f", "haproxy.cfg").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

const (
	callers = 6
	rounds  = 300 // of all callers together, two requests each, before a server is stopped and after it
	limit   = 30 * time.Second
)

// TestAServerThatStopsFailsNoRequest runs two servers on one PostgreSQL behind HAProxy, with the configuration that is
// committed but for addresses, and stops one of them under load, as a release does. The callers repeat nothing.
func TestAServerThatStopsFailsNoRequest(t *testing.T) {
	haproxy := installed.Path(t, "THE LOAD BALANCER WAS NOT TRIED", "haproxy")
	database := pgtest.URL(t, nil)
	one, two := blackbox.NewServer(t, database), blackbox.NewServer(t, database)
	one.Start(t)
	two.Start(t)
	seller := blackbox.NewSeller(t, one, "anna")
	balancer := startHAProxy(t, haproxy, one, two).address

	var answered atomic.Int64
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			c := caller{address: balancer, key: seller.Key}
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

// balancer is where HAProxy listens, and the certificate that it shows.
type balancer struct {
	address, tls string
	certificate  certtest.Pair
}

// startHAProxy runs HAProxy between the test and two servers until the test ends, and returns where it listens, once it
// holds both servers to be well.
func startHAProxy(t *testing.T, haproxy string, one, two *blackbox.Server) balancer {
	t.Helper()
	folder := t.TempDir()
	b := balancer{certificate: certtest.Make(t, time.Now().Add(time.Hour))}
	both := filepath.Join(folder, "api.pem") // HAProxy reads them from one file
	if err := os.WriteFile(both, []byte(read(t, b.certificate.Cert)+read(t, b.certificate.Key)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Their descriptors are handed on: a port that was only chosen could be taken meanwhile.
	var inherited []*os.File
	for _, address := range []*string{&b.address, &b.tls} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		*address = listener.Addr().String()
		file, err := listener.(*net.TCPListener).File()
		if err := errors.Join(err, listener.Close()); err != nil {
			t.Fatal(err)
		}
		inherited = append(inherited, file)
	}
	adapted := read(t, "haproxy.cfg")
	for from, to := range map[string]string{
		"bind :8080": "bind fd@3", "# With TLS: bind :8443 ssl crt /usr/local/etc/haproxy/api.pem": "bind fd@4 ssl crt " + both,
		servers[0] + ":8080": strings.TrimPrefix(one.URL(), "http://"), servers[1] + ":8080": strings.TrimPrefix(two.URL(), "http://"),
	} {
		if strings.Count(adapted, from) != 1 {
			t.Fatalf("haproxy.cfg has %q %d times", from, strings.Count(adapted, from))
		}
		adapted = strings.Replace(adapted, from, to, 1)
	}
	path := filepath.Join(folder, "haproxy.cfg")
	if err := os.WriteFile(path, []byte(adapted), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	process := exec.Command(haproxy, "-db", "-f", path) // in the foreground
	process.Stdout, process.Stderr = &log, &log
	process.ExtraFiles = inherited // its descriptors from 3 on
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := errors.Join(process.Start(), inherited[0].Close(), inherited[1].Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if t.Failed() {
			text := log.String()
			t.Logf("HAProxy's last words:\n%s", text[max(0, len(text)-4000):])
		}
	})
	blackbox.Eventually(t, limit, "HAProxy answers", func() bool {
		response, err := http.Get("http://" + b.address + "/healthz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return b
}

// caller keeps a connection and repeats nothing: net/http's client would repeat, unseen, what may be repeated.
type caller struct {
	address, key string
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
	if response.StatusCode != want {
		return fmt.Errorf("%s %s: status %d\n%s", request.Method, request.URL.Path, response.StatusCode, body)
	}
	if response.Close {
		c.hangUp()
	}
	return nil
}

func (c *caller) hangUp() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
