package server_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// A body that stops to arrive is one that cannot be read, everywhere, and its sender is not told to send it again at once. The caller waits
// for the answer, so the log has its status, and the account if the key came before the body.
func TestABodyThatIsLate(t *testing.T) {
	w, s, log := served(t)
	host := httptest.NewUnstartedServer(s.Public)
	host.Config.ReadTimeout = 500 * time.Millisecond // the program's own is longer than a test should take
	host.Start()
	defer host.Close()
	type answer struct {
		Answer, Message, RetryAfter string
		Status, Account             int
	}
	const late = "The body did not arrive in time."
	inJSON, form := "Content-Type: application/json\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	key := "X-Api-Key: " + w.Key + "\r\n"
	for _, test := range []struct {
		name, line, header string
		want               answer
	}{
		{"an item", "POST /v1/items", key + inJSON, answer{"400 malformed_json", late, "", 400, int(w.Account)}},
		{"a batch", "POST /v1/item-batches", key + inJSON, answer{"400 malformed_json", late, "", 400, int(w.Account)}},
		{"a change", "PATCH /v1/items/1", key + inJSON, answer{"400 malformed_json", late, "", 400, int(w.Account)}},
		{"a call of /rest", "POST /rest/item", form, answer{"400 malformed_json", late, "", 400, 0}},
		{"the translator", "POST /migration/translate", inJSON, answer{"400 malformed_json", late, "", 400, 0}},
		{"the translator's form", "POST /migration/translate", form, answer{"400 page", late, "", 400, 0}},
	} {
		for framing, begun := range map[string]string{"with its length": "Content-Length: 40\r\n\r\n{", "in chunks": "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
			t.Run(test.name+" "+framing, func(t *testing.T) {
				connection, err := net.Dial("tcp", host.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				defer connection.Close()
				if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
					t.Fatal(err)
				}
				id := strings.NewReplacer(" ", "-", "'", "", "/", "").Replace(t.Name())
				if _, err := io.WriteString(connection, test.line+" HTTP/1.1\r\nHost: a\r\nX-Request-Id: "+id+"\r\n"+test.header+begun); err != nil {
					t.Fatal(err)
				}
				in := bufio.NewReader(connection)
				response, err := http.ReadResponse(in, nil)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, in) // to the end of the connection, which follows the log's line
				got := answer{Answer: response.Status[:3] + " ", RetryAfter: response.Header.Get("Retry-After")}
				if strings.Contains(string(text), late) {
					got.Message = late
				}
				if strings.HasPrefix(string(text), "<!") {
					got.Answer += "page"
				} else {
					got.Answer += codeOf(string(text))
				}
				for line := range strings.Lines(log.String()) {
					if strings.Contains(line, id) {
						if err := json.Unmarshal([]byte(line), &got); err != nil {
							t.Fatal(err)
						}
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s", diff, text)
				}
			})
		}
	}
}

// A caller may put a key into any place of a request. None of them is in the log.
func TestTheLogHasNoKeyFromAnyPlaceOfARequest(t *testing.T) {
	w, s, log := logged(t)
	for _, handler := range []http.Handler{s.Public, s.Operator} {
		for _, path := range []string{"/v1/items", "/rest/item", "/operator/accounts", "/docs", "/nothing"} {
			for _, set := range []func(*http.Request){
				func(r *http.Request) { r.Method = w.Key },
				func(r *http.Request) { r.Host = w.Key },
				func(r *http.Request) { r.Proto = w.Key },
				func(r *http.Request) { r.URL.Path += "/" + w.Key },
				func(r *http.Request) { r.URL.RawQuery = w.Key + "=" + w.Key },
				func(r *http.Request) { r.Header.Set("X-Request-Id", w.Key) },
				func(r *http.Request) { r.Header.Set("User-Agent", w.Key) },
				func(r *http.Request) { r.Header.Set("Referer", "https://a.example/"+w.Key) },
				func(r *http.Request) { r.Header.Set(w.Key, w.Key) },
				func(r *http.Request) { r.Header.Set("X-Api-Key", w.Key+w.Key) },
				func(r *http.Request) { r.Header.Set("Authorization", w.Key) },
			} {
				r := httptest.NewRequest(http.MethodGet, path, nil)
				set(r)
				handler.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
	}
	metrics := get(s.Operator, "/metrics", "Authorization", "Bearer operator").Body.String()
	for place, text := range map[string]string{"log": log.String(), "metrics": metrics} {
		if at := strings.Index(text, w.Key); at >= 0 || text == "" {
			t.Errorf("the %s has a key, or nothing: %s", place, text[max(0, at-200):min(len(text), max(0, at)+100)])
		}
	}
}

// An error is shown to more people than the key.
func TestAnErrorDoesNotRepeatAKey(t *testing.T) {
	w, s, _ := logged(t)
	for path, handler := range map[string]http.Handler{
		"/v1/items/" + w.Key + "/x": s.Public, "/v1/" + w.Key: s.Public, "/" + w.LiveKey: s.Public, "/rest/" + w.Key: s.Public, "/operator/" + w.Key: s.Operator,
		"/docs/" + w.Key: s.Public, "/errors/" + w.Key: s.Public,
	} {
		answer := get(handler, path, "Authorization", "Bearer "+servertest.OperatorToken)
		body := answer.Body.String()
		if answer.Code != http.StatusNotFound || strings.Contains(body, w.Key) || strings.Contains(body, w.LiveKey) {
			t.Errorf("%s is answered with %d: %s", path, answer.Code, body)
		}
		if strings.HasPrefix(path, "/v1/") && !strings.Contains(body, "replace the key") {
			t.Errorf("%s is answered without advice: %s", path, body)
		}
	}
}
