package hostiletest

import (
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/installed"
)

// everywhere makes every address of IPv4 and IPv6 one of this machine, so that whatever listens answers at all of them.
func everywhere(t *testing.T) {
	t.Helper()
	ip := installed.Path(t, "NO ADDRESS WAS TRIED", "ip")
	for _, command := range []string{"link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo"} {
		if out, err := exec.Command(ip, strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v\n%s", command, err, out)
		}
	}
}

// canary listens on a port of all addresses. It hands on connections to one address, if there is one, and counts all others.
type canary struct {
	net.Listener
	permitted netip.Addr

	mu   sync.Mutex
	hits []netip.AddrPort // where connections arrived
}

func newCanary(t *testing.T, port string, permitted netip.Addr) *canary {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort("::", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return &canary{Listener: listener, permitted: permitted}
}

// Accept returns the next connection to the permitted address.
func (c *canary) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		at := conn.LocalAddr().(*net.TCPAddr).AddrPort()
		if at.Addr().Unmap() == c.permitted {
			return conn, nil
		}
		c.mu.Lock()
		c.hits = append(c.hits, at)
		c.mu.Unlock()
		conn.Close()
	}
}

// take returns where connections arrived since its last call. It makes one itself: connections are accepted in their order, so when its own
// has arrived, all earlier ones have.
func (c *canary) take(t *testing.T) []netip.AddrPort {
	t.Helper()
	const own = "127.99.99.99" // which no target is
	conn, err := net.Dial("tcp", net.JoinHostPort(own, portOf(c)))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for {
		c.mu.Lock()
		if n := len(c.hits); n > 0 && c.hits[n-1].Addr().Unmap() == netip.MustParseAddr(own) {
			hits := c.hits[:n-1]
			c.hits = nil
			c.mu.Unlock()
			return hits
		}
		c.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
}

// countAll counts connections until the listener is closed.
func (c *canary) countAll() {
	for {
		if _, err := c.Accept(); err != nil {
			return
		}
	}
}

// portOf is where a canary listens.
func portOf(c *canary) string { return strconv.Itoa(c.Addr().(*net.TCPAddr).Port) }
