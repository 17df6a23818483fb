package outagetest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

var (
	rounds = flag.Int("rounds", 5, "how often a long run takes the primary away from TestPatroni")
	etcd3  = flag.Bool("etcd3", false, "TestPatroni uses etcd by its newer interface, which takes Patroni 3.0.3")
)

// What an automatic failover may take.
const (
	takeoverLimit  = time.Minute      // until another machine is the primary; a longer wait ends the test
	silenceLimit   = 30 * time.Second // until the first success
	automaticLimit = 10 * time.Second // until everything acknowledged is published
)

// TestPatroni builds the setting of docs/deploy/patroni: three machines with etcd, Patroni and PostgreSQL, and three processes, two of
// which ask HAProxy for the primary. Under load it takes the primary away, in five ways in turn, and nobody promotes by hand.
func TestPatroni(t *testing.T) {
	if !*long {
		return // a failover waits for the lease of the primary, 20 s
	}
	if os.Geteuid() != 0 {
		t.Fatal("machines with disks and networks of their own take the rights of root")
	}
	if !blackbox.Inside(t, "-long", fmt.Sprintf("-rounds=%d", *rounds), fmt.Sprintf("-etcd3=%t", *etcd3)) {
		return
	}
	p := newPatroni(t)
	balanced, named, reads := p.settings()
	servers := []*blackbox.Server{
		blackbox.NewServer(t, balanced), blackbox.NewServer(t, balanced).With("--db-read=" + reads), blackbox.NewServer(t, named),
	}
	for _, s := range servers {
		s.Start(t)
	}
	losses := []loss{
		{"is killed (SIGKILL of all its processes)", (*machine).kill, (*machine).start},
		{"freezes (SIGSTOP of all its processes)", (*machine).freeze, (*machine).thaw},
		{"has no space left on its disk", (*machine).fill, (*machine).free},
		{"is cut off from the network", (*machine).cut, (*machine).join},
		{"has its PostgreSQL killed, and not Patroni", (*machine).crash, func(*machine) {}},
	}
	t.Run("etcd freezes", func(t *testing.T) {
		p.of(t)
		p.awaitWhole()
		primary := p.primary()
		o := underLoad(t, servers, outageStep{disturb: func(*load) []time.Time { return []time.Time{p.withoutEtcd()} }})
		if p.primary() != primary {
			t.Errorf("%s is not the primary any more", primary.name)
		}
		record(t, fmt.Sprintf("etcd frozen (SIGSTOP) on all machines for %s, the primary goes on", etcdAway), []outcome{o})
	})
	outcomes := make([][]outcome, len(losses))
	for round := range *rounds {
		kind := round % len(losses)
		loss := losses[kind]
		t.Run(fmt.Sprintf("%d: the primary %s", round, loss.name), func(t *testing.T) {
			p.of(t)
			p.awaitWhole()
			o := underLoad(t, servers, outageStep{held: true, disturb: func(*load) []time.Time { return []time.Time{p.replaced(loss)} }})
			t.Logf("%s; without a success for %s, the slowest answer %.1f s, all published after %.1f s", o, seconds(o.silences), o.slowest.Seconds(), o.published.Seconds())
			outcomes[kind] = append(outcomes[kind], o)
		})
	}
	p.of(t)
	for kind, loss := range losses {
		if len(outcomes[kind]) > 0 {
			record(t, fmt.Sprintf("%d times the primary %s", len(outcomes[kind]), loss.name), outcomes[kind])
		}
	}
}

// loss is a way to lose the primary, and to get the machine back.
type loss struct {
	name        string
	away, again func(*machine)
}

func seconds(all []time.Duration) string {
	var texts []string
	for _, d := range all {
		texts = append(texts, fmt.Sprintf("%.1f", d.Seconds()))
	}
	return strings.Join(texts, ", ") + " s"
}

// etcdAway is longer than the lease of a primary.
const etcdAway = 30 * time.Second

// withoutEtcd stops etcd on all machines for a while. It returns when it stopped, because the service should go on.
func (p *patroni) withoutEtcd() time.Time {
	for _, m := range p.machines {
		m.inside("pkill -STOP -x etcd")
	}
	stopped := time.Now()
	time.Sleep(etcdAway)
	for _, m := range p.machines {
		m.inside("pkill -CONT -x etcd")
	}
	p.awaitWhole()
	return stopped
}

// replaced takes the primary away, waits until another machine has its place, and brings the first one back. It returns when there was
// a new primary.
func (p *patroni) replaced(l loss) time.Time {
	p.t.Helper()
	old := p.primary()
	began := time.Now()
	l.away(old)
	blackbox.Eventually(p.t, takeoverLimit, "another machine is the primary", func() bool {
		now := p.primary()
		return now != nil && now != old
	})
	back := time.Now()
	p.t.Logf("%s in place of %s after %.1f s", p.primary().name, old.name, back.Sub(began).Seconds())
	time.Sleep(10 * time.Second) // the others go on without it
	l.again(old)
	p.awaitWhole() // under load
	return back
}

// record writes the worst of the outcomes of one kind.
func record(t *testing.T, name string, outcomes []outcome) {
	t.Helper()
	var sum outcome
	var balanced, named time.Duration
	for _, o := range outcomes {
		sum.items, sum.sales, sum.changes, sum.events, sum.refusals = sum.items+o.items, sum.sales+o.sales, sum.changes+o.changes, sum.events+o.events, sum.refusals+o.refusals
		sum.slowest, sum.published = max(sum.slowest, o.slowest), max(sum.published, o.published)
		balanced, named = max(balanced, o.silences[0], o.silences[1]), max(named, o.silences[2])
	}
	blackbox.Record(t, blackbox.Figure{
		Number: "F9", What: "Patroni: " + name,
		Aim: "as F1, but first success ≤ 30 s, all published ≤ 10 s",
		Measured: fmt.Sprintf("%s; first success after %.1f s (HAProxy) and %.1f s (three names), the slowest answer %.1f s, all published after %.1f s", sum,
			balanced.Seconds(), named.Seconds(), sum.slowest.Seconds(), sum.published.Seconds()),
		Reached: !t.Failed() && max(balanced, named) <= silenceLimit && sum.slowest <= answerLimit && sum.published <= automaticLimit,
	})
}
