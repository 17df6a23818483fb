package hostiletest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	dripPace  = 4 * time.Second        // between two bytes of a connection
	dripParts = 16                     // the crowd acts in so many parts, one after the other, so that the load is even
	lookPace  = 500 * time.Millisecond // between two looks at the server's connections
	smallRoom = 2048                   // bytes that the kernel keeps for a slow reader
)

// attack is a way to keep a connection busy at no cost.
type attack struct {
	name  string
	limit time.Duration // by which the server should have closed the connection; it runs from the beginning of the connection
	begin string        // what is sent at once
	drip  string        // what is sent every dripPace; nothing if the connection reads a byte instead
	grace time.Duration // how much longer than the limit the crowd waits
}

// crowd is a number of connections that make the same attack.
type crowd struct {
	attack
	address string // of the server

	mu      sync.Mutex
	callers []*caller
	byPort  map[string]*caller // the newest: once the server has reset a connection, the kernel gives its port to another
}

type caller struct {
	conn   net.Conn
	opened time.Time
	held   time.Time // when the server was last seen to hold the connection
}

// press opens n connections in a time, each of which then attacks until the server closes it. It returns when all are closed, or
// the grace after the last should have been.
func (c *crowd) press(tb testing.TB, n int, in time.Duration) {
	tb.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	c.byPort = map[string]*caller{}
	working.Go(func() { every(ctx, dripPace/dripParts, c.drips()) })
	tick := time.NewTicker(in / time.Duration(n))
	defer tick.Stop()
	looked := time.Now()
	look := func() (held int) {
		looked = time.Now()
		held, err := c.look()
		if err != nil {
			tb.Fatal(err)
		}
		return held
	}
	for range n {
		<-tick.C
		if err := c.open(); err != nil {
			tb.Fatal(err)
		}
		if time.Since(looked) >= lookPace {
			look()
		}
	}
	for end := time.Now().Add(c.limit + c.grace); look() > 0 && time.Now().Before(end); {
		time.Sleep(lookPace)
	}
	stop()
	for _, caller := range c.callers {
		caller.conn.Close()
	}
}

// open opens a connection and begins the attack.
func (c *crowd) open() error {
	dialer := net.Dialer{}
	if c.drip == "" {
		dialer.Control = func(_, _ string, raw syscall.RawConn) (err error) {
			controlErr := raw.Control(func(fd uintptr) {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, smallRoom)
			})
			if controlErr != nil {
				return controlErr
			}
			return err
		}
	}
	opened := time.Now()
	conn, err := dialer.Dial("tcp4", c.address)
	if err != nil {
		return err
	}
	if _, err := conn.Write([]byte(c.begin)); err != nil {
		conn.Close()
		return err
	}
	_, port, err := net.SplitHostPort(conn.LocalAddr().String())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byPort[port] = &caller{conn: conn, opened: opened}
	c.callers = append(c.callers, c.byPort[port])
	return err
}

// drips is the next act of the crowd: one part of it sends or reads a byte. What has been closed fails, which needs no answer.
func (c *crowd) drips() (next func()) {
	part := 0
	one := make([]byte, 1)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i := part; i < len(c.callers); i += dripParts {
			conn := c.callers[i].conn
			if c.drip != "" {
				_, _ = conn.Write([]byte(c.drip))
				continue
			}
			_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
			_, _ = conn.Read(one)
		}
		part = (part + 1) % dripParts
	}
}

// look notes which connections the server holds, and says how many these are. The kernel knows it: a caller that does not read
// would learn of the end only after all the bytes before it.
func (c *crowd) look() (held int, err error) {
	_, port, err := net.SplitHostPort(c.address)
	if err != nil {
		return 0, err
	}
	owned, err := ownedPeers(port)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for port, caller := range c.byPort {
		if owned[port] {
			caller.held = now
			held++
		}
	}
	return held, nil
}

// ownedPeers are the ports at the other end of all connections to a local port that belong to a process. A connection that its
// process has closed belongs to the kernel alone, and its socket has no number.
func ownedPeers(local string) (map[string]bool, error) {
	number, err := strconv.Atoi(local)
	if err != nil {
		return nil, err
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return nil, err
	}
	const localAddress, peerAddress, socket = 1, 2, 9
	peers, suffix := map[string]bool{}, fmt.Sprintf(":%04X", number)
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) <= socket || !strings.HasSuffix(fields[localAddress], suffix) || fields[socket] == "0" {
			continue
		}
		_, hex, _ := strings.Cut(fields[peerAddress], ":")
		peer, err := strconv.ParseUint(hex, 16, 16)
		if err != nil {
			return nil, err
		}
		peers[strconv.FormatUint(peer, 10)] = true
	}
	return peers, nil
}

// longest is how long the server held a connection at most, and how many of all it was seen to hold. A connection counts until the
// look after the last one that saw it.
func (c *crowd) longest() (most time.Duration, seen int) {
	for _, caller := range c.callers {
		if !caller.held.IsZero() {
			seen++
			most = max(most, caller.held.Sub(caller.opened)+lookPace)
		}
	}
	return most, seen
}

// every does something at a pace until ctx ends.
func every(ctx context.Context, pace time.Duration, do func()) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do()
		case <-ctx.Done():
			return
		}
	}
}
