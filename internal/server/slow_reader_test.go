package server_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// The kernel would take a large answer as a whole for a caller who does not read. Then it would count as sent, and the write timeout,
// which ends the connections of such callers, would never apply.
func TestASlowReaderBlocksTheAnswer(t *testing.T) {
	_, s, log := served(t)
	public, _ := running(t, s)
	const id = "the-slow-reader"
	connection := readingNothing(t, public, id)
	if _, err := io.ReadFull(connection, make([]byte, 1)); err != nil { // the answer has begun
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if strings.Contains(log.String(), id) {
		t.Error("the answer counts as sent")
	}
}

// readingNothing asks for a large answer, over a connection that takes little of it until it is read.
func readingNothing(t *testing.T, address, id string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	if err := connection.(*net.TCPConn).SetReadBuffer(2048); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, "GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: "+id+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return connection
}
