package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// wire stands between a service and PostgreSQL, and counts what requests cost there: statements, and the locks that each
// transaction holds before it ends. It reads the protocol's messages and passes them on as they are. Before a message that
// ends a transaction it waits until the server has carried out all before it, and asks for the locks over a connection of its
// own; so it is slow while it counts.
type wire struct {
	server   string // address
	listener net.Listener
	locks    *pgx.Conn
	links    sync.WaitGroup

	mu       sync.Mutex
	counting bool
	counted  wireCount
	open     map[net.Conn]bool
	failed   error
}

// wireCount is what went over a wire.
type wireCount struct {
	statements int // BEGIN and COMMIT included
	locks      int // of all transactions, each at its end; a statement outside of transactions is one
}

// newWire starts a proxy in front of the server of a URL. It returns the URL of the proxy.
func newWire(ctx context.Context, serverURL string) (w *wire, through string, err error) {
	parsed, err := url.Parse(serverURL)
	if err != nil {
		return nil, "", err
	}
	w = &wire{server: parsed.Host, open: map[net.Conn]bool{}}
	if w.locks, err = pgx.Connect(ctx, serverURL); err != nil {
		return nil, "", err
	}
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, "", errors.Join(err, w.locks.Close(ctx))
	}
	parsed.Host = w.listener.Addr().String()
	w.links.Go(func() { w.serve(ctx) })
	return w, parsed.String(), nil
}

// close ends all connections.
func (w *wire) close(ctx context.Context) error {
	err := w.listener.Close()
	w.mu.Lock()
	for conn := range w.open {
		_ = conn.Close()
	}
	w.mu.Unlock()
	w.links.Wait()
	return errors.Join(err, w.locks.Close(ctx))
}

// count begins at zero, or ends and returns what was counted.
func (w *wire) count(begin bool) (wireCount, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	counted := w.counted
	w.counting, w.counted = begin, wireCount{}
	return counted, w.failed
}

// add counts something, if that is wanted.
func (w *wire) add(statements, locks int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counting {
		w.counted.statements += statements
		w.counted.locks += locks
	}
}

func (w *wire) isCounting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counting
}

func (w *wire) serve(ctx context.Context) {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		server, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		w.mu.Lock()
		w.open[client], w.open[server] = true, true
		w.mu.Unlock()
		l := &link{wire: w, client: client, server: server, prepared: map[string]string{}}
		l.changed.L = &l.mu
		w.links.Go(func() { w.note(l.down(), l) })
		w.links.Go(func() { w.note(l.up(ctx), l) })
	}
}

// note ends a link, and keeps the reason unless a side has closed its connection.
func (w *wire) note(err error, l *link) {
	l.end()
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = errors.Join(w.failed, err)
}

// link is one connection through a wire.
type link struct {
	wire           *wire
	client, server net.Conn
	prepared       map[string]string // statements by their names

	mu      sync.Mutex
	changed sync.Cond
	process uint32
	idle    bool // no transaction is open
	done    int  // statements that were carried out since the server was last ready
	failed  bool // one of them has failed, or the connection has ended
}

// end closes both sides.
func (l *link) end() {
	_, _ = l.client.Close(), l.server.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	l.changed.Broadcast()
}

// down passes on what the server says, until a side ends.
func (l *link) down() error {
	for {
		kind, message, err := readMessage(l.server)
		if err != nil {
			return err
		}
		l.mu.Lock()
		switch kind {
		case 'K':
			l.process = binary.BigEndian.Uint32(message[5:])
		case 'Z':
			l.idle, l.done, l.failed = message[5] == 'I', 0, false
		case 'C', 'I', 's':
			l.done++
		case 'E':
			l.failed = true
		}
		l.changed.Broadcast()
		l.mu.Unlock()
		if _, err := l.client.Write(message); err != nil {
			return err
		}
	}
}

// up passes on what the client says and counts it, until a side ends.
func (l *link) up(ctx context.Context) error {
	var head [4]byte // the first message has no kind
	if _, err := io.ReadFull(l.client, head[:]); err != nil {
		return err
	}
	rest := make([]byte, binary.BigEndian.Uint32(head[:])-4)
	if _, err := io.ReadFull(l.client, rest); err != nil {
		return err
	}
	if _, err := l.server.Write(append(head[:], rest...)); err != nil {
		return err
	}
	bound, sent, ended := "", 0, false // sent since the last Sync
	for {
		kind, message, err := readMessage(l.client)
		if err != nil {
			return err
		}
		switch kind {
		case 'P':
			name, text, _ := bytes.Cut(message[5:], []byte{0})
			text, _, _ = bytes.Cut(text, []byte{0})
			l.prepared[string(name)] = string(text)
		case 'B':
			_, name, _ := bytes.Cut(message[5:], []byte{0})
			name, _, _ = bytes.Cut(name, []byte{0})
			bound = l.prepared[string(name)]
		case 'E':
			if endsTransaction(bound) {
				if err := l.countLocks(ctx, sent); err != nil {
					return err
				}
				ended = true
			}
			sent++
			l.wire.add(1, 0)
		case 'Q':
			if endsTransaction(string(bytes.TrimRight(message[5:], "\x00"))) {
				if err := l.countLocks(ctx, 0); err != nil {
					return err
				}
			}
			l.wire.add(1, 0)
		case 'S':
			l.mu.Lock()
			alone := l.idle
			l.mu.Unlock()
			if alone && !ended && sent > 0 {
				if err := l.countLocks(ctx, sent); err != nil {
					return err
				}
			}
			sent, ended = 0, false
		}
		if _, err := l.server.Write(message); err != nil {
			return err
		}
	}
}

// endsTransaction says whether a statement ends a transaction well.
func endsTransaction(statement string) bool {
	return strings.EqualFold(strings.Trim(statement, " ;\n"), "commit")
}

// countLocks counts the locks of the connection's transaction, as soon as the server has carried out so many statements.
func (l *link) countLocks(ctx context.Context, statements int) error {
	if !l.wire.isCounting() {
		return nil
	}
	if statements > 0 {
		if _, err := l.server.Write([]byte{'H', 0, 0, 0, 4}); err != nil {
			return err
		}
	}
	l.mu.Lock()
	for l.done < statements && !l.failed {
		l.changed.Wait()
	}
	process := l.process
	l.mu.Unlock()
	locks := 0
	l.wire.mu.Lock()
	err := l.wire.locks.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE pid = $1", int64(process)).Scan(&locks)
	l.wire.mu.Unlock()
	if err != nil {
		return fmt.Errorf("count locks: %w", err)
	}
	l.wire.add(0, locks)
	return nil
}

// readMessage reads one message of PostgreSQL's protocol: its kind, and all of it.
func readMessage(from io.Reader) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size < 4 || size > 1<<28 {
		return 0, nil, fmt.Errorf("a message of PostgreSQL's protocol has %d bytes", size)
	}
	message = append(head, make([]byte, size-4)...)
	_, err = io.ReadFull(from, message[5:])
	return head[0], message, err
}
