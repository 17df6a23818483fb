package bridge_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// TestHeadersAreSpelledAsByTheService reads the names of headers from the wire, of calls with all limits and of one that is refused.
func TestHeadersAreSpelledAsByTheService(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t), servertest.NewWeb(t).Production, func(c *v1.Config) { c.RateLimit = 600 })
	service := httptest.NewServer(w.Server.Public)
	t.Cleanup(service.Close)
	b, err := bridge.New(bridge.Config{To: service.URL, Secret: secret, Clock: w.Clock, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, listener, nil) }()
	left, own := []string{"Deprecation", "Sunset"}, []string{"Via"} // what the bridge does not have, and what it has besides
	spelling := map[string]string{}                                 // which the service gives to its answers when it serves them
	for _, header := range openapi.Headers("*") {
		spelling[http.CanonicalHeaderKey(header.Name)] = header.Name
	}
	for _, key := range []string{w.Key, "dk_test_unknown"} {
		for _, body := range []string{someCreate, "title=Card"} {
			want := namesOf(t, service.Listener.Addr().String(), key, body)
			got := namesOf(t, listener.Addr().String(), key, body)
			for i, name := range want {
				want[i] = cmp.Or(spelling[name], name)
			}
			slices.Sort(want)
			want = slices.DeleteFunc(want, func(name string) bool { return slices.Contains(left, name) })
			got = slices.DeleteFunc(got, func(name string) bool { return slices.Contains(own, name) })
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-service +bridge):\n%s", body, diff)
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// namesOf are the names of the headers of an answer, as they came.
func namesOf(t *testing.T, address, key, body string) (names []string) {
	t.Helper()
	c, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST /rest/item HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Api-Key: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		key, len(body), body)
	for lines := bufio.NewScanner(c); lines.Scan() && lines.Text() != ""; {
		if name, _, ok := strings.Cut(lines.Text(), ":"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
