package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// running serves a world on two ports until the test ends.
func running(t *testing.T, s *server.Server) (public, operator string) {
	t.Helper()
	listeners := [2]net.Listener{listen(t), listen(t)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, listeners[0], listeners[1]) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return listeners[0].Addr().String(), listeners[1].Addr().String()
}

// served makes a server to run, whose log can be read meanwhile.
func served(t *testing.T) (*servertest.World, *server.Server, *servertest.Log) {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t))
	log := &servertest.Log{}
	s, err := server.New(server.Config{Service: w.Service, Logger: httplog.NewLogger(log, slog.LevelInfo, httplog.JSON), BaseURL: "http://sellerd.test"})
	if err != nil {
		t.Fatal(err)
	}
	return w, s, log
}

// What a connection is like after the answers that are read.
const (
	kept   = "kept"
	closed = "closed"
	more   = "more is answered"
)

// talk sends bytes as they are and reads as many answers, with their bodies, and returns the state of the connection then.
func talk(t *testing.T, address, sent string, answers int) (got []servertest.Response, after string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, sent); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(connection)
	for range answers {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		answer := servertest.Response{Status: response.StatusCode, Header: response.Header, Body: string(body)}
		if response.Close { // ReadResponse has taken it away
			answer.Header.Set("Connection", "close")
		}
		if err := json.Unmarshal(body, &struct {
			Errors *[]servertest.ErrorEntry `json:"errors"`
		}{&answer.Errors}); err != nil && !strings.HasPrefix(string(body), "<") && response.StatusCode >= 400 {
			t.Errorf("%d is not in the envelope: %v\n%s", response.StatusCode, err, body)
		}
		got = append(got, answer)
	}
	if err := connection.SetDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, err = reader.ReadByte()
	var late net.Error
	switch {
	case err == nil:
		return got, more
	case errors.As(err, &late) && late.Timeout():
		return got, kept
	}
	return got, closed
}

// unread is an answer to a request that no handler saw.
type unread struct {
	Status       int
	Code, Field  string
	Message      string
	Envelope, ID bool
	Type         bool
	After        string
}

func unreadOf(answer servertest.Response, after string) unread {
	u := unread{Status: answer.Status, After: after}
	if len(answer.Errors) == 1 {
		u.Code, u.Field, u.Message = answer.Errors[0].Code, answer.Errors[0].Field, answer.Errors[0].Message
	}
	var envelope struct {
		StatusCode int `json:"status_code"`
	}
	u.Envelope = json.Unmarshal([]byte(answer.Body), &envelope) == nil && envelope.StatusCode == answer.Status
	u.ID = strings.HasPrefix(answer.Header.Get("X-Request-Id"), "req_")
	u.Type = answer.Header.Get("Content-Type") == "application/json" && answer.Header.Get("Content-Length") != "" && answer.Header.Get("Date") != ""
	return u
}

func refusedUnread(status int, field, message string) unread {
	return unread{Status: status, Code: "invalid_header", Field: field, Message: message, Envelope: true, ID: true, Type: true, After: closed}
}

func TestWhatNoHandlerSeesIsRefusedInTheEnvelope(t *testing.T) {
	_, s, log := served(t)
	public, operator := running(t, s)
	const good = "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, test := range []struct {
		name, sent string
		want       unread
	}{
		{"no request line", "hello\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"no HTTP", "GET / HTTP/x\r\nHost: a\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"no path", "GET :// HTTP/1.1\r\nHost: a\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"a header without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"a header without a name", "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"a control character in a header", "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", refusedUnread(400, "", "The request line or a header cannot be read.")},
		{"no Host", "GET / HTTP/1.1\r\n\r\n", refusedUnread(400, "Host", "The request line or a header cannot be read: missing required Host header.")},
		{"a Host that is none", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", refusedUnread(400, "Host", "The request line or a header cannot be read: malformed Host header.")},
		{"another HTTP", "GET / HTTP/3.0\r\nHost: a\r\n\r\n", refusedUnread(505, "", "The server speaks HTTP/1.1.")},
		{"another transfer coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", refusedUnread(501, "Transfer-Encoding",
			"The only transfer coding the server supports is chunked.")},
		{"large headers", "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 30_000) + "\r\n\r\n", refusedUnread(431, "",
			"The request line and the headers are too large together.")},
		{"another expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: coffee\r\nContent-Length: 0\r\n\r\n", refusedUnread(417, "Expect",
			"The only expectation the server supports is 100-continue.")},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, address := range []string{public, operator} {
				got, after := talk(t, address, test.sent, 1)
				if diff := cmp.Diff(test.want, unreadOf(got[0], after)); diff != "" {
					t.Errorf("alone (-want +got):\n%s", diff)
				}
				if id := got[0].Header.Get("X-Request-Id"); !strings.Contains(log.String(), `"request_id":"`+id+`"`) {
					t.Errorf("the log does not know %s", id)
				}
			}
			got, after := talk(t, public, good+good+test.sent, 3)
			if diff := cmp.Diff([]int{404, 404}, []int{got[0].Status, got[1].Status}); diff != "" {
				t.Errorf("before it on the same connection (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, unreadOf(got[2], after)); diff != "" {
				t.Errorf("after two others (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatHandlersAnswerIsLeftAlone(t *testing.T) {
	w, s, _ := served(t)
	public, _ := running(t, s)
	for _, test := range []struct {
		name, sent string
		want       []string // the statuses and codes
		after      string
	}{
		{
			"400 of a handler", "POST /v1/items HTTP/1.1\r\nHost: a\r\nX-Api-Key: " + w.Key + "\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
			[]string{"400 malformed_json"},
			kept,
		},
		{"an expectation that is met", "POST /v1/items HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", []string{"401 missing_api_key"}, closed},
		{"the server as a whole", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", []string{"404 route_not_found"}, kept},
		{"one after another", strings.Repeat("GET /v1/account HTTP/1.1\r\nHost: a\r\n\r\n", 3), []string{
			"401 missing_api_key", "401 missing_api_key",
			"401 missing_api_key",
		}, kept},
		{"HTTP/1.0", "GET /v1/account HTTP/1.0\r\n\r\n", []string{"401 missing_api_key"}, closed},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers, after := talk(t, public, test.sent, len(test.want))
			var got []string
			for _, answer := range answers {
				got = append(got, strconv.Itoa(answer.Status)+" "+strings.Join(answer.Codes(), " "))
				if len(answer.Header["X-Request-Id"]) != 1 {
					t.Errorf("request ids %q", answer.Header["X-Request-Id"])
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || after != test.after {
				t.Errorf("the connection is %s (-want +got):\n%s", after, diff)
			}
		})
	}
}

// A length beside a transfer coding is how requests are smuggled past a proxy that goes by the length. net/http takes the
// length away before a handler sees it.
func TestNothingFollowsABodyInChunks(t *testing.T) {
	_, s, _ := served(t)
	public, _ := running(t, s)
	const smuggled = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
	for _, test := range []struct{ name, head, body string }{
		{"a length beside the coding", "Content-Length: 47\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled},
		{"the coding alone", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n" + smuggled},
	} {
		for _, path := range []string{"/v1/items", "/rest/item", "/nothing", "/v1/items/"} {
			t.Run(test.name+path, func(t *testing.T) {
				got, after := talk(t, public, "POST "+path+" HTTP/1.1\r\nHost: a\r\n"+test.head+"\r\n"+test.body, 1)
				if after != closed || got[0].Header.Get("Connection") != "close" {
					t.Errorf("%d, Connection: %s, then %s", got[0].Status, got[0].Header.Get("Connection"), after)
				}
			})
		}
	}
	t.Run("a length alone", func(t *testing.T) {
		got, after := talk(t, public, "POST /v1/items HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"+smuggled, 2)
		if after != kept || got[1].Status != 200 {
			t.Errorf("%d, then %s", got[1].Status, after)
		}
	})
}
