package certificate

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
)

// This file serves TLS. net/http would do it by itself, but only on connections that are its own: then nobody could replace what it
// answers to requests that it rejects. So a listener decrypts, and net/http takes what comes for a plain connection of HTTP/1.1 or HTTP/2.

// secureListener is a listener whose connections speak TLS, by a configuration that is not nil.
type secureListener struct {
	net.Listener
	config *tls.Config
}

// Secured is a listener that speaks TLS where there is a configuration.
func Secured(listener net.Listener, config *tls.Config) net.Listener {
	if config == nil {
		return listener
	}
	return secureListener{listener, config}
}

// Accept implements net.Listener. The handshake comes with the first read, so it has the time that the head of a request has.
func (l secureListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &secureConn{Conn: tls.Server(c, l.config)}, nil
}

// secureConn is a connection that explains itself to callers who speak plain HTTP. It hides the methods by which net/http would know TLS.
type secureConn struct {
	net.Conn
	told bool // net/http reads again after the error
}

const plainAnswer = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nThis port speaks https.\n"

// Read implements io.Reader.
func (c *secureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if record := (tls.RecordHeaderError{}); errors.As(err, &record) && record.Conn != nil && !c.told && looksLikeHTTP(record.RecordHeader) {
		c.told = true
		_, _ = io.WriteString(record.Conn, plainAnswer)
	}
	return n, err
}

// looksLikeHTTP says whether the first bytes of a connection are those of a method of HTTP.
func looksLikeHTTP(head [5]byte) bool {
	switch string(head[:4]) {
	case "GET ", "HEAD", "POST", "PUT ", "PATC", "DELE", "OPTI":
		return true
	}
	return false
}

// CloseWrite ends what is sent, so that the caller can read the last answer.
func (c *secureConn) CloseWrite() error { return c.tls().CloseWrite() }

func (c *secureConn) tls() *tls.Conn { return c.Conn.(*tls.Conn) }

// StateOf is the state of TLS of a connection that a listener of Secured accepted, nil of others.
func StateOf(c net.Conn) *tls.ConnectionState {
	if secure, ok := c.(*secureConn); ok {
		state := secure.tls().ConnectionState()
		return &state
	}
	return nil
}

// Speaking sets what a server speaks on its connections: HTTP/1.1, and by TLS HTTP/2, too.
func Speaking(server *http.Server, config *tls.Config) *http.Server {
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(config != nil) // decrypted before
	return server
}
