package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// wire stands between a service and PostgreSQL, and counts what requests cost there: statements, and the locks that each
// transaction holds before it ends. It reads the protocol's messages and passes them on as they are, in turn: those of the client up to
// one that the server answers, then the answers. Before a message that ends a transaction it has the server carry out all before it, and
// asks for the locks over a connection of its own; so it is slow while it counts.
type wire struct {
	server   string // address
	listener net.Listener
	running  sync.WaitGroup

	mu         sync.Mutex
	locker     *pgx.Conn
	counting   bool
	statements int // BEGIN and COMMIT included
	locks      int // of all transactions, each at its end; a statement outside of transactions is one
	open       []net.Conn
	failed     error
}

// newWire starts a proxy in front of the server of a URL. It returns the URL of the proxy.
func newWire(ctx context.Context, serverURL string) (w *wire, through string, err error) {
	w = &wire{}
	if w.locker, err = pgx.Connect(ctx, serverURL); err != nil {
		return nil, "", err
	}
	w.server = fmt.Sprintf("%s:%d", w.locker.Config().Host, w.locker.Config().Port)
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, "", errors.Join(err, w.locker.Close(ctx))
	}
	w.running.Go(func() {
		for {
			client, err := w.listener.Accept()
			if err != nil {
				return // closed
			}
			w.running.Go(func() { w.join(client) })
		}
	})
	return w, strings.Replace(serverURL, w.server, w.listener.Addr().String(), 1), nil
}

// close ends all connections.
func (w *wire) close() error {
	if w == nil {
		return nil
	}
	err := w.listener.Close()
	w.mu.Lock()
	for _, conn := range w.open {
		_ = conn.Close()
	}
	w.mu.Unlock()
	w.running.Wait()
	return errors.Join(err, w.locker.Close(context.Background()))
}

// count begins to count, or ends and returns what was counted. Without a wire nothing is counted.
func (w *wire) count(begin bool) (statements, locks float64, err error) {
	if w == nil {
		return 0, 0, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	statements, locks = float64(w.statements), float64(w.locks)
	w.counting, w.statements, w.locks = begin, 0, 0
	return statements, locks, w.failed
}

// join connects a client with the server until one of them ends the connection.
func (w *wire) join(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	w.mu.Lock()
	w.open = append(w.open, client, server)
	w.mu.Unlock()
	err = (&link{wire: w, client: client, server: server, prepared: map[string]string{}}).run()
	ends := []error{io.EOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE}
	if !slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) }) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failed = errors.Join(w.failed, err)
	}
}

// link is one connection through a wire.
type link struct {
	*wire
	client, server net.Conn
	prepared       map[string]string // statements by their names
	process        uint32
	idle           bool // no transaction is open
	sent, done     int  // statements since the server was last ready: sent to it, and carried out
	refused        bool // one of them has failed
}

func (l *link) run() error {
	bound, counted := "", false
	for first := true; ; first = false {
		kind, message, err := readMessage(l.client, first)
		if err != nil {
			return err
		}
		word := func(n int) string { return string(bytes.Split(message[5:], []byte{0})[n]) }
		switch kind {
		case 'P':
			l.prepared[word(0)] = word(1)
		case 'B':
			bound = l.prepared[word(1)]
		case 'Q':
			bound = word(0)
		}
		// A transaction ends with a COMMIT, and a statement outside of transactions with its Sync.
		runs, alone := kind == 'E' || kind == 'Q', kind == 'S' && l.idle && l.sent > 0
		if runs && strings.EqualFold(strings.Trim(bound, " ;\n"), "commit") || alone && !counted {
			if err := l.countLocks(); err != nil {
				return err
			}
			counted = true
		}
		if runs {
			l.sent++
			l.mu.Lock()
			if l.counting {
				l.statements++
			}
			l.mu.Unlock()
		}
		if _, err := l.server.Write(message); err != nil {
			return err
		}
		if first || kind == 'Q' || kind == 'S' || kind == 'p' {
			if err := l.answer(func(waits bool) bool { return waits }); err != nil {
				return err
			}
			l.sent, l.done, l.refused, counted = 0, 0, false, false
		}
	}
}

// answer passes on what the server says until that is enough. The server waits for the client when it is ready, or asks for a password.
func (l *link) answer(enough func(waits bool) bool) error {
	for waits := false; !enough(waits); {
		kind, message, err := readMessage(l.server, false)
		if err != nil {
			return err
		}
		switch kind {
		case 'K':
			l.process = binary.BigEndian.Uint32(message[5:])
		case 'R': // all is well, or the last message of SCRAM, or a demand
			code := binary.BigEndian.Uint32(message[5:])
			waits = code != 0 && code != 12
		case 'Z':
			l.idle, waits = message[5] == 'I', true
		case 'C', 'I', 's':
			l.done++
		case 'E':
			l.refused = true
		}
		if _, err := l.client.Write(message); err != nil {
			return err
		}
	}
	return nil
}

// countLocks counts the locks of the connection's transaction, as soon as the server has carried out the statements that were sent.
func (l *link) countLocks() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.counting {
		return nil
	}
	if l.sent > 0 {
		if _, err := l.server.Write([]byte{'H', 0, 0, 0, 4}); err != nil {
			return err
		}
	}
	if err := l.answer(func(bool) bool { return l.done >= l.sent || l.refused }); err != nil {
		return err
	}
	locks := 0
	err := l.locker.QueryRow(context.Background(), "SELECT count(*) FROM pg_locks WHERE pid = $1", int64(l.process)).Scan(&locks)
	l.locks += locks
	return err
}

// readMessage reads one message of PostgreSQL's protocol: its kind, and all of it. The first of a client has no kind.
func readMessage(from io.Reader, first bool) (kind byte, message []byte, err error) {
	head := 5
	if first {
		head = 4
	}
	message = make([]byte, head)
	if _, err := io.ReadFull(from, message); err != nil {
		return 0, nil, err
	}
	if !first {
		kind = message[0]
	}
	size := binary.BigEndian.Uint32(message[head-4:])
	if size < 4 || size > 1<<28 {
		return 0, nil, fmt.Errorf("a message of PostgreSQL's protocol has %d bytes", size)
	}
	message = append(message, make([]byte, size-4)...)
	_, err = io.ReadFull(from, message[head:])
	return kind, message, err
}
