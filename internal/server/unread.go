package server

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"sellerd/internal/base/certificate"
	"sellerd/internal/base/httplog"
	"sellerd/v1"
)

// This file puts net/http's own rejections into the envelope: of lines and headers that it cannot read or does not support,
// before it calls a handler. net/http answers them with a text of its own, closes the connection, and offers no way to
// change the answer. So each connection records whether a handler was called since its last answer ended; until then, the
// bytes written are net/http's.

// unreadStatuses are the statuses of net/http's own rejections, each with its message and, if it is about one, its header.
var unreadStatuses = map[int]struct{ field, message string }{
	http.StatusBadRequest:                  {"", "The request line or a header cannot be read"},
	http.StatusExpectationFailed:           {"Expect", "The only expectation the server supports is 100-continue"},
	http.StatusRequestHeaderFieldsTooLarge: {"", "The request line and the headers are too large together"},
	http.StatusNotImplemented:              {"Transfer-Encoding", "The only transfer coding the server supports is chunked"},
	http.StatusHTTPVersionNotSupported:     {"", "The server speaks HTTP/1.1"},
}

// answerUnread replaces net/http's rejections on a server's connections. The server's listener must be a watchedListener.
func answerUnread(server *http.Server) *http.Server {
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			c.handled.Store(true)
			if r.TLS == nil {
				r.TLS = certificate.StateOf(c.Conn)
			}
		}
		next.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if c, ok := c.(*connection); ok && state == http.StateIdle { // the answer is on its way, and the next request not read
			c.handled.Store(false)
		}
	}
	server.DisableGeneralOptionsHandler = true // which answers OPTIONS * by itself
	return server
}

// closeAfterChunks closes the connection after a body in chunks. The request may also have had a Content-Length, which
// net/http removes. Then a proxy in front of the server may take other bytes for the next request, so there must be none
// (RFC 9112, section 6.1).
func closeAfterChunks(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 {
		w.Header()["Connection"] = headerClose
	}
}

var headerClose = []string{"close"}

type connectionKey struct{}

// watchedListener is a listener whose connections record whether a handler was called.
type watchedListener struct {
	net.Listener
	refuse func(status int, reason string) []byte
}

// Accept implements net.Listener.
func (l watchedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c, refuse: l.refuse}, nil
}

// connection is a connection of a watchedListener.
type connection struct {
	net.Conn
	refuse  func(status int, reason string) []byte
	handled atomic.Bool // a handler was called since the last answer ended
}

// Write implements io.Writer. net/http writes each of its own rejections with one call.
func (c *connection) Write(p []byte) (int, error) {
	if !c.handled.Load() {
		if status, reason, ok := readRefusal(p); ok {
			if _, err := c.Conn.Write(c.refuse(status, reason)); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	return c.Conn.Write(p)
}

// CloseWrite lets net/http wait for the caller to read the last answer, as it does with a TCP connection.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// readRefusal reads the status line of a refusal, and the reason that may follow the status's name.
func readRefusal(p []byte) (status int, reason string, ok bool) {
	line, _, _ := bytes.Cut(p, []byte("\r\n"))
	text, found := strings.CutPrefix(string(line), "HTTP/1.1 ")
	number, name, _ := strings.Cut(text, " ")
	status, err := strconv.Atoi(number)
	if _, known := unreadStatuses[status]; !found || err != nil || !known {
		return 0, "", false
	}
	_, reason, _ = strings.Cut(name, ": ")
	return status, reason, true
}

// refuseUnread logs and counts a refusal, and writes the whole answer. The path is not known, so it is always in the
// envelope of /v1, with the code invalid_header, since these statuses have no codes of their own.
func (s *Server) refuseUnread(stack string) func(status int, reason string) []byte {
	return func(status int, reason string) []byte {
		id := newRequestID()
		about := unreadStatuses[status]
		refused := v1.Error{Code: v1.InvalidHeader, Field: about.field, Message: about.message + "."}
		if status == http.StatusBadRequest && reason != "" {
			refused.Message = about.message + ": " + reason + "." // one of net/http's constants
			if strings.Contains(reason, "Host header") {
				refused.Field = "Host"
			}
		}
		s.metrics.observe(seriesKey{operation: unread, status: status}, 0)
		line := httplog.Request{At: s.config.Service.Clock().Now(), Op: unread, Status: status, Stack: stack, ID: id}
		line.Write(s.config.Logger)

		body := v1.AppendErrors(nil, status, v1.Errors{refused}, s.config.BaseURL)
		head := http.Header{
			"Connection": {"close"}, "Date": {s.config.Service.Clock().Now().UTC().Format(http.TimeFormat)}, "X-Request-Id": {id},
			"Content-Type": {"application/json"}, "Content-Language": {"en"}, "Content-Length": {strconv.Itoa(len(body))}, "X-Content-Type-Options": {"nosniff"}, "Cache-Control": {"no-store"},
		}
		var answer bytes.Buffer
		answer.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
		_ = head.Write(&answer) // a buffer takes everything
		answer.WriteString("\r\n")
		answer.Write(body)
		return answer.Bytes()
	}
}
