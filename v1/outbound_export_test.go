package v1

import (
	"net"
	"net/netip"
	"testing"
)

// What tests outside the package need of the outbound guard's: its list of forbidden targets, and the machinery that
// tells whether one was reached.

// ForbiddenTarget is a target that must never be reached. Some are refused by their text, the others only their resolver
// gives away.
type ForbiddenTarget struct {
	URL          string
	ByText       bool
	ResolvesInto []netip.Addr
}

// ForbiddenTargets is the list, for a canary's port.
func ForbiddenTargets(t *testing.T, port string) []ForbiddenTarget {
	var out []ForbiddenTarget
	for _, target := range readOutboundTargets(t, "testdata/forbidden_targets.txt", port) {
		out = append(out, ForbiddenTarget{target.url, !target.needsResolver, target.addrs})
	}
	return out
}

// Canary counts the connections to a port of loopback addresses.
type Canary = canary

// NewCanary starts one.
func NewCanary(t *testing.T) *Canary { return newCanary(t) }

// Port is where it listens.
func (c *canary) Port() string { return c.port }

// Visitors is how many came until now.
func (c *canary) Visitors(t *testing.T) int { return c.visitors(t) }

// FakeDNS resolves every name to what a test wants.
type FakeDNS = fakeDNS

// NewFakeDNS starts one.
func NewFakeDNS(t *testing.T) *FakeDNS { return newFakeDNS(t) }

// Resolver asks it.
func (d *fakeDNS) Resolver() *net.Resolver { return d.resolver }

// Answer makes every name resolve to addresses from now on.
func (d *fakeDNS) Answer(addrs ...netip.Addr) { d.answer(addrs...) }
