package hostiletest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// The server's own timeouts (internal/server/run.go), and what a busy machine may add.
const (
	headerLimit = 5 * time.Second
	bodyLimit   = 15 * time.Second
	answerLimit = 30 * time.Second
	slack       = 2 * time.Second
	shortSlack  = 10 * time.Second // beside other tests
	grace       = 15 * time.Second // for which connections that are still open are watched
)

// quiet is how long healthy requests are measured without an attack.
const quiet = 20 * time.Second

// attacks are those of callers with a seller's key.
func attacks(key string) []attack {
	return []attack{
		{"a slow header", headerLimit, "GET /v1/items HTTP/1.1\r\nHost: a\r\nX-Slow: ", "x", grace},
		{
			"a slow body", bodyLimit, "POST /v1/items HTTP/1.1\r\nHost: a\r\nX-Api-Key: " + key + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
			" ", grace,
		},
		{"a slow reader", answerLimit, "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", "", grace},
	}
}

// TestSlowCallers opens many connections of each kind, while another caller reads an item again and again. The server closes each
// connection in time, whatever its caller does, and the other caller does not notice.
func TestSlowCallers(t *testing.T) {
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			if !*long {
				t.Parallel()
			}
			s := blackbox.NewServer(t, database.url(t))
			s.Start(t)
			seller := blackbox.NewSeller(t, s, "anna")
			item := "/v1/items/" + seller.Publish(t, 1)[0]
			for _, a := range attacks(seller.Key) {
				if a.limit > bodyLimit && !*long {
					continue // half a minute; TestASlowReaderBlocksTheAnswer in internal/server has what matters most
				}
				t.Run(a.name, func(t *testing.T) {
					if !*long {
						t.Parallel()
					}
					slowCallers(t, s, seller, item, a, database.name)
				})
			}
		})
	}
}

func slowCallers(t *testing.T, s *blackbox.Server, seller *blackbox.Seller, item string, a attack, database string) {
	n, in, late := 100, time.Second, shortSlack
	reading, stop := blackbox.Read(t, seller.Client, item)
	defer stop()
	if *long {
		n, in, late = 2000, a.limit*4/5, slack
		time.Sleep(quiet)
	}
	without := reading.Take()
	c := &crowd{attack: a, address: strings.TrimPrefix(s.URL(), "http://")}
	c.press(t, n, in)
	with := reading.Take()
	longest, seen := c.longest()
	failures := serverErrors(t, s)
	p99, before := blackbox.Quantile(with, 0.99), blackbox.Quantile(without, 0.99)
	measured := fmt.Sprintf("the longest was held %.1f s, %s were seen; %d answers with 5xx", longest.Seconds(), blackbox.Thousands(int64(seen)), failures)
	if *long {
		measured += fmt.Sprintf("; p99 of %s healthy requests %s, without %s", blackbox.Thousands(int64(len(with))), blackbox.Milliseconds(p99), blackbox.Milliseconds(before))
	}
	blackbox.Record(t, blackbox.Figure{
		Number: "S3", What: fmt.Sprintf("%s connections with %s, %s", blackbox.Thousands(int64(n)), a.name, database),
		Aim:      fmt.Sprintf("all closed ≤ %d s, healthy p99 ≤ 2 × without, 0 answers with 5xx", int((a.limit + slack).Seconds())),
		Measured: measured,
		Reached:  seen == n && longest <= a.limit+late && failures == 0 && (!*long || p99 <= 2*before),
	})
}

// serverErrors is how many answers of the server had a status of 500 or more.
func serverErrors(t *testing.T, s *blackbox.Server) (n int) {
	t.Helper()
	response, err := http.Get(s.OperatorURL() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	requests := 0
	for line := range strings.Lines(string(text)) {
		labels, value, found := strings.Cut(line, "} ")
		if !found || !strings.HasPrefix(labels, "sellerd_requests_total{") {
			continue
		}
		var count float64
		if _, err := fmt.Sscan(value, &count); err != nil {
			t.Fatal(err)
		}
		requests += int(count)
		if strings.Contains(labels, `status="5`) {
			n += int(count)
		}
	}
	if requests == 0 {
		t.Error("the metrics have no request")
	}
	return n
}

// TestSlowCallersAreNoticed attacks a server without the timeout in question, to show that the test above would fail there, and one
// that has it, to show that this is what makes the difference.
func TestSlowCallersAreNoticed(t *testing.T) {
	t.Parallel()
	for _, a := range attacks("") {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, timeout := range []time.Duration{0, 2 * time.Second} {
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = w.Write(make([]byte, 8<<20))
				}))
				server.Config.ReadTimeout, server.Config.WriteTimeout = timeout, timeout
				server.Start()
				a.limit, a.grace = 2*time.Second, 3*time.Second // four looks, so that each connection is seen on a busy machine
				c := &crowd{attack: a, address: server.Listener.Addr().String()}
				c.press(t, 5, 100*time.Millisecond)
				server.CloseClientConnections()
				server.Close()
				longest, seen := c.longest()
				if inTime := longest <= a.limit+slack; seen != 5 || inTime != (timeout > 0) {
					t.Errorf("with a timeout of %s the longest of %d connections was held %s", timeout, seen, longest)
				}
			}
		})
	}
}
