package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// brittleStore panics or fails in the writes of requests on demand. Workers, which have no operation, go on.
type brittleStore struct {
	v1.Store
	panics, fails atomic.Bool
}

var errGone = errors.New("the database is away")

func (s *brittleStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	switch asked := v1.TraceFrom(ctx).Operation != ""; {
	case asked && s.panics.Load():
		panic("boom")
	case asked && s.fails.Load():
		return errGone
	}
	return s.Store.Write(ctx, fn)
}

func (s *brittleStore) Unavailable(err error) bool {
	return errors.Is(err, errGone) || s.Store.Unavailable(err)
}

// wire sends a request on a connection of its own and returns the status and the lines of the head, as they came.
func wire(t *testing.T, address, method, path, body string, header ...string) (status string, lines []string) {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var request strings.Builder
	fmt.Fprintf(&request, "%s %s HTTP/1.1\r\nHost: sellerd.test\r\nConnection: close\r\nContent-Length: %d\r\n", method, path, len(body))
	for _, line := range header {
		request.WriteString(line + "\r\n")
	}
	request.WriteString("\r\n" + body)
	if _, err := io.WriteString(connection, request.String()); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	for bytes.HasPrefix(head, []byte("HTTP/1.1 1")) {
		head, rest, _ = bytes.Cut(rest, []byte("\r\n\r\n"))
	}
	lines = strings.Split(string(head), "\r\n")
	status, _, _ = strings.Cut(strings.TrimPrefix(lines[0], "HTTP/1.1 "), " ")
	return status, lines[1:]
}

// names are the names in the lines of a head, sorted.
func names(lines []string) (found []string) {
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ":")
		found = append(found, name)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestHeaderNamesAreWrittenAsTheyAreDocumented(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		store := &brittleStore{}
		w := servertest.New(t, database(t), func(c *v1.Config) {
			store.Store, c.Store, c.RateLimit = c.Store, store, 180
		})
		item := w.List(t, servertest.FixedPrice())
		tag := w.Do(t, servertest.Request{Path: "/v1/items/" + item}).Header.Get("ETag")
		public, operator := listen(t), listen(t)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- w.Server.Run(ctx, public, operator) }()
		defer func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		draft, err := json.Marshal(servertest.FixedPrice())
		if err != nil {
			t.Fatal(err)
		}
		form := "title=Penny&id_category=" + servertest.Category + "&personal_reference=P-1&fixed_price=1.00&currency=EUR"
		key, typed, token := "X-Api-Key: "+w.Key, "Content-Type: application/json", "Authorization: Bearer "+servertest.OperatorToken
		formed := "Content-Type: application/x-www-form-urlencoded"

		always := []string{"Connection", "Content-Length", "Content-Type", "Date", "X-Content-Type-Options", "X-Request-Id"}
		v1s := append([]string{"Cache-Control", "Content-Language"}, always...)
		rest := append([]string{"Cache-Control", "Deprecation", "Link", "Sunset"}, always...)
		budget := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After"}
		quota := []string{"RateLimit", "RateLimit-Policy"} // which /rest does not have
		units := []string{
			"X-StoreLimit-Limit", "X-StoreLimit-Used", "X-StoreLimit-Remaining", "X-StoreLimit-Daily-Limit", "X-StoreLimit-Daily-Remaining",
			"X-StoreLimit-Daily-Reset",
		}
		fails, panics := &store.fails, &store.panics
		seen := map[string]bool{}
		for _, test := range []struct {
			name               string
			mood               *atomic.Bool
			at                 net.Listener
			method, path, body string
			header             []string
			status             string
			want               [][]string
		}{
			{"a read", nil, public, "GET", "/v1/items/" + item, "", []string{key}, "200", [][]string{v1s, budget, quota, {"ETag", "Vary"}}},
			{"a HEAD", nil, public, "HEAD", "/v1/items/" + item, "", []string{key}, "200", [][]string{v1s, budget, quota, {"ETag", "Vary"}}},
			{"a read of nothing new", nil, public, "GET", "/v1/items/" + item, "", []string{key, "If-None-Match: " + tag}, "304", [][]string{
				{"Cache-Control", "Connection", "Content-Language", "Date", "ETag", "Vary", "X-Request-Id"}, budget, quota,
			}},
			{"an accepted item", nil, public, "POST", "/v1/items", string(draft), []string{key, typed}, "202", [][]string{v1s, budget, quota, units, {"Location"}}},
			{"no key", nil, public, "GET", "/v1/account", "", nil, "401", [][]string{v1s, {"WWW-Authenticate"}}},
			{"no such path", nil, public, "GET", "/v1/nothing", "", nil, "404", [][]string{v1s, {"Link"}}},
			{"a panic", panics, public, "POST", "/v1/items", string(draft), []string{key, typed}, "500", [][]string{v1s, budget, quota, units}},
			{"a panic where nothing is published", panics, public, "POST", "/v1/items/" + item + "/close", "", []string{key}, "500", [][]string{v1s, budget, quota}},
			{"no database", fails, public, "POST", "/v1/items", string(draft), []string{key, typed}, "503", [][]string{v1s, budget, quota, units, {"Retry-After"}}},

			{"a read on /rest", nil, public, "GET", "/rest/seller", "", []string{key}, "200", [][]string{rest, budget}},
			{"a HEAD on /rest", nil, public, "HEAD", "/rest/seller", "", []string{key}, "200", [][]string{rest, budget}},
			{"no key on /rest", nil, public, "GET", "/rest/seller", "", nil, "401", [][]string{rest, {"WWW-Authenticate"}}},
			{"a panic on /rest", panics, public, "POST", "/rest/item", form, []string{key, formed}, "500", [][]string{rest, budget, units}},
			{"no database on /rest", fails, public, "POST", "/rest/item", form, []string{key, formed}, "503", [][]string{rest, budget, units, {"Retry-After"}}},

			{
				"the operator", nil, operator, "PATCH", "/operator/accounts/" + v1.ID(w.Account).String(), `{"rating":null}`,
				[]string{token, typed},
				"200",
				[][]string{v1s, {"ETag"}},
			},
			{"not the operator", nil, operator, "POST", "/operator/accounts", "{}", []string{typed}, "401", [][]string{v1s, {"WWW-Authenticate"}}},
			{"a panic of the operator's", panics, operator, "POST", "/operator/items/" + item + "/end", "", []string{token}, "500", [][]string{v1s}},

			{"a file", nil, public, "GET", "/style.css", "", nil, "200", nil},
			{"the document", nil, public, "GET", "/openapi.json", "", nil, "200", nil},
			{"a page", nil, public, "GET", "/errors", "", nil, "200", nil},
			{"readiness", nil, public, "GET", "/readyz", "", nil, "200", nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				if test.mood != nil {
					test.mood.Store(true)
					defer test.mood.Store(false)
				}
				status, lines := wire(t, test.at.Addr().String(), test.method, test.path, test.body, test.header...)
				want, got := slices.Concat(test.want...), names(lines)
				slices.Sort(want)
				for _, name := range got {
					seen[name] = true
				}
				if diff := cmp.Diff(want, got); test.want != nil && diff != "" || status != test.status {
					t.Errorf("%s, names (-want +got):\n%s\n%s", status, diff, strings.Join(lines, "\n"))
				}
			})
		}
		for _, name := range documentedHeaders(t) {
			if canonical := textproto.CanonicalMIMEHeaderKey(name); canonical != name && !seen[name] || seen[canonical] && canonical != name {
				t.Errorf("the documents say %s: seen %v, and as %s %v", name, seen[name], canonical, seen[canonical])
			}
		}
	})
}

// documentedHeaders are the names of the headers of all answers in the OpenAPI documents of both interfaces.
func documentedHeaders(t *testing.T) (found []string) {
	t.Helper()
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			_, described := value["description"].(string) // as answers are, and not the members of an object
			for name, inner := range value {
				if headers, ok := inner.(map[string]any); ok && name == "headers" && described {
					for header := range headers {
						found = append(found, header)
					}
				}
				walk(inner)
			}
		case []any:
			for _, inner := range value {
				walk(inner)
			}
		}
	}
	for _, document := range []string{string(v1openapi.Document("")), string(openapi.Document(""))} {
		var value any
		if err := json.Unmarshal([]byte(document), &value); err != nil {
			t.Fatal(err)
		}
		walk(value)
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) < 10 {
		t.Fatalf("the documents have only the headers %v", found)
	}
	return found
}
