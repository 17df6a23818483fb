package crashtest

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/base/crash"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var purges = flag.Bool("purges", false, "after each jump of the clock, wait until the workers that delete have looked, which takes a minute")

const (
	purgeEvery    = 62 * time.Second        // in which the workers that delete have looked once
	clockTrusted  = 24 * time.Hour          // a clock that moved by more stops them
	stubbornItems = 2                       // whose events are refused; with five in a row the endpoint would rest
	heldFor       = 1500 * time.Millisecond // a receiver takes, so that an attempt is on its way when the clock jumps
	leaseLimit    = 30 * time.Second        // half of a lease: no worker waited for it to end
)

const day = 24 * time.Hour

// jumps are how far the clock is set wrong, one after the other. Each time it is set right again. Without -purges, which takes a
// quarter of an hour, the shortest and the longest are enough: the others differ from them in size alone.
func jumps() []time.Duration {
	if *purges {
		return []time.Duration{time.Hour, -time.Hour, day, -day, 365 * day}
	}
	return []time.Duration{time.Hour, 365 * day}
}

// TestClockJumps sets the clock of the running program wrong, and right again. Whatever the clock shows:
//
//   - no event, attempt or idempotency key is deleted, and a webhook that fails is not disabled;
//   - events that wait for their next attempt are tried once more at most, and not again and again;
//   - what was in hand when the clock jumped is finished, also if its worker died;
//   - items are published and their events arrive.
func TestClockJumps(t *testing.T) {
	program := blackbox.DyingProgram(t, crash.Variable, crash.ClockVariable)
	t.Run("databases", func(t *testing.T) {
		t.Run("SQLite", func(t *testing.T) {
			t.Parallel()
			testClockJumps(t, program, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"), "SQLite")
		})
		t.Run("PostgreSQL", func(t *testing.T) {
			t.Parallel()
			testClockJumps(t, program, pgtest.URL(t, nil), "PostgreSQL")
		})
	})
}

// clockTest is a seller with three endpoints: one that takes everything, one that takes its time, and one that refuses the events of
// some items.
type clockTest struct {
	*testing.T
	program, database string
	server            *blackbox.Server
	seller            *blackbox.Seller
	receiver          *blackbox.Receiver
	hooks             map[string]blackbox.Webhook // by endpoint

	mu       sync.Mutex
	stubborn map[string]bool // the resources whose events are refused

	published, finished time.Duration // the longest
	tries               int           // of one event in one state of the clock, at most
}

func testClockJumps(t *testing.T, program, database, name string) {
	c := &clockTest{T: t, program: program, database: database, hooks: map[string]blackbox.Webhook{}, stubborn: map[string]bool{}}
	c.server = blackbox.NewServer(t, database).Of(program)
	c.server.Start(t)
	c.seller = blackbox.NewSeller(t, c.server, "punctual")
	// Events of test data would have four attempts, which would hide a storm.
	c.seller.Key = blackbox.Operate[blackbox.Key](t, c.server, http.MethodPost, "/operator/accounts/"+c.seller.Account+"/keys", map[string]any{"mode": "live"}).Key
	c.receiver = blackbox.NewReceiver(t, c.answer)
	c.receiver.TrustAnyTime() // a receiver with the right clock would refuse what comes while the server's is wrong
	for _, endpoint := range []string{"all", "slow", "choosy"} {
		c.hooks[endpoint] = c.seller.Subscribe(t, c.receiver, endpoint)
	}
	keyed, err := c.seller.Do(http.MethodPost, "/v1/items", "before-the-jumps", itemText(t))
	if err != nil || keyed.Status != http.StatusAccepted {
		t.Fatalf("submit: %d %s %v", keyed.Status, keyed.Errors, err)
	}
	c.beStubborn()
	before := c.count()
	for _, by := range jumps() {
		t.Logf("the clock jumps by %s", by)
		kept := c.count() // the feed shows no event that is too old by the clock, so it is compared when the clock is right
		c.jump(by)
		c.setRight(keyed, kept)
	}
	after := c.count()
	if after.Events <= before.Events || after.Attempts <= before.Attempts {
		t.Errorf("there were %+v, and are %+v", before, after)
	}
	c.checkHooks()
	c.server.Stop(t)
	blackbox.Record(t, blackbox.Figure{
		Number: "R10", What: fmt.Sprintf("the clock jumps by %s, and back each time, %s", joined(jumps()), name),
		Aim: "no early purge, no retry storm, leases still end",
		Measured: fmt.Sprintf("%d events, %d attempts and the key all kept; an event that waits tried %d× at most after a jump; what was in hand finished within %.1f s, "+
			"items published within %.1f s", after.Events, after.Attempts, c.tries, c.finished.Seconds(), c.published.Seconds()),
		Reached: !t.Failed(),
	})
}

// joined names the jumps.
func joined(jumps []time.Duration) string {
	var names []string
	for _, by := range jumps {
		names = append(names, fmt.Sprintf("%+.0f h", by.Hours()))
	}
	return strings.Join(names, ", ")
}

func itemText(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(blackbox.Item("keyed"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// answer is what the receiver answers.
func (c *clockTest) answer(request *http.Request, r *blackbox.Receipt) int {
	c.mu.Lock()
	refused := r.Endpoint == "choosy" && c.stubborn[r.Resource]
	c.mu.Unlock()
	switch {
	case refused:
		return http.StatusInternalServerError
	case r.Endpoint == "slow" && r.Times == 1:
		select {
		case <-time.After(heldFor):
		case <-request.Context().Done(): // its sender died
		}
	}
	return http.StatusOK
}

// beStubborn changes items whose events are refused from then on, and waits for the two attempts that each has before any jump.
func (c *clockTest) beStubborn() {
	c.Helper()
	items := c.seller.Publish(c, stubbornItems)
	c.awaitSent("all")
	c.mu.Lock()
	for _, item := range items {
		c.stubborn["item/"+item] = true
	}
	c.mu.Unlock()
	for _, item := range items {
		c.change(c.seller.Client, item)
	}
	blackbox.Eventually(c, leaseLimit, "each refused event came twice", func() bool {
		twice := 0
		for _, n := range c.refusals(0) {
			if n == 2 {
				twice++
			}
		}
		return twice == stubbornItems
	})
}

func (c *clockTest) change(client *blackbox.Client, item string) {
	c.Helper()
	got, err := client.Do(http.MethodPatch, "/v1/items/"+item, "", fmt.Appendf(nil, `{"title":"Ceres at %d"}`, time.Now().UnixNano()))
	if err != nil || got.Status != http.StatusOK {
		c.Fatalf("change an item: %d %s %v", got.Status, got.Errors, err)
	}
}

// refusals is how often each event that is refused came since the first receipts, which do not count.
func (c *clockTest) refusals(since int) map[string]int {
	times := map[string]int{}
	for _, r := range c.receiver.Receipts()[since:] {
		if r.Status == http.StatusInternalServerError {
			times[r.Event]++
		}
	}
	return times
}

// jump sets the clock wrong while an attempt is on its way, and checks what comes of it and of new items.
func (c *clockTest) jump(by time.Duration) {
	c.Helper()
	receipts := len(c.receiver.Receipts())
	item := c.seller.Publish(c, 1)[0]
	c.leaveBehind(item)
	c.await("an attempt is on its way", func() bool { return len(c.deliveries("slow", "sending")) > 0 })
	c.server.SetClock(c, by)
	jumped := time.Now()
	c.awaitSent("slow")
	c.awaitSent("all")
	c.finished = max(c.finished, time.Since(jumped))
	began := time.Now()
	c.seller.Publish(c, 2)
	c.published = max(c.published, time.Since(began))
	c.awaitSent("all")
	c.awaitPurge(by)
	c.checkTries(receipts, by.String())
}

// leaveBehind lets a second process on PostgreSQL die with an attempt in hand.
func (c *clockTest) leaveBehind(item string) {
	c.Helper()
	if !strings.HasPrefix(c.database, "postgres") {
		c.change(c.seller.Client, item)
		return
	}
	c.awaitSent("slow")
	mortal := blackbox.NewServer(c, c.database).Of(c.program)
	mortal.Start(c)
	c.change(&blackbox.Client{Server: mortal, Key: c.seller.Key}, item)
	c.await("an attempt is on its way", func() bool { return len(c.deliveries("slow", "sending")) > 0 })
	mortal.Kill(c)
}

// setRight sets the clock right, and checks that nothing was lost.
func (c *clockTest) setRight(keyed blackbox.Answer, before kept) {
	c.Helper()
	receipts := len(c.receiver.Receipts())
	c.server.SetClock(c, 0)
	c.seller.Publish(c, 1)
	c.awaitSent("all")
	c.awaitSent("slow")
	c.awaitPurge(0)
	if after := c.count(); after.Events <= before.Events || after.Attempts <= before.Attempts {
		c.Errorf("there are %+v, and there were %+v", after, before)
	}
	c.checkTries(receipts, "the right time")
	again, err := c.seller.Do(http.MethodPost, "/v1/items", "before-the-jumps", itemText(c.T))
	if err != nil || !again.Replayed || string(again.Data) != string(keyed.Data) {
		c.Errorf("the key does not replay its answer: %d %s %s %v", again.Status, again.Data, again.Errors, err)
	}
}

// awaitPurge waits until the workers that delete have looked. If the clock has moved by too much, they have to say so.
func (c *clockTest) awaitPurge(by time.Duration) {
	c.Helper()
	switch {
	case !*purges:
	case by.Abs() > clockTrusted:
		blackbox.Eventually(c, purgeEvery+leaseLimit, "the workers that delete refuse to", func() bool {
			log := c.server.Complaints()
			return strings.Contains(log, `"worker":"purger","error":"the clock moved`) && strings.Contains(log, `"worker":"sweeper","error":"the clock moved`)
		})
	default:
		time.Sleep(purgeEvery)
	}
}

// kept is how many rows of each kind the API shows.
type kept struct{ Events, Attempts int }

func (c *clockTest) count() (n kept) {
	c.Helper()
	after := ""
	for { // the feed has no last page: it ends with one without events
		page := blackbox.Call[struct {
			Results    []struct{ ID string }
			NextCursor string `json:"next_cursor"`
		}](c, c.seller.Client, http.MethodGet, "/v1/events?limit=200"+after, nil)
		if len(page.Results) == 0 {
			break
		}
		n.Events += len(page.Results)
		after = "&after=" + url.QueryEscape(page.NextCursor)
	}
	n.Attempts = len(c.seller.Deliveries(c, ""))
	return n
}

// checkTries checks how often events that had been refused before were tried again, since a number of receipts.
func (c *clockTest) checkTries(since int, when string) {
	c.Helper()
	for event, n := range c.refusals(since) {
		if c.tries = max(c.tries, n); n > 1 {
			c.Errorf("at %s event %s was tried %d times", when, event, n)
		}
	}
}

// awaitSent waits until an endpoint has everything.
func (c *clockTest) awaitSent(endpoint string) {
	c.Helper()
	defer func() {
		if left := c.deliveries(endpoint, "scheduled,sending"); c.Failed() && len(left) > 0 {
			c.Logf("on its way to %s, at most: %+v", endpoint, left)
		}
	}()
	c.await("everything is at the endpoint "+endpoint, func() bool { return len(c.deliveries(endpoint, "scheduled,sending")) == 0 })
}

func (c *clockTest) await(what string, isSo func() bool) {
	c.Helper()
	blackbox.Eventually(c, leaseLimit, what, isSo)
}

// deliveries is the first page of an endpoint's attempts of some statuses.
func (c *clockTest) deliveries(endpoint, statuses string) []blackbox.Delivery {
	c.Helper()
	return blackbox.Call[struct{ Results []blackbox.Delivery }](c, c.seller.Client, http.MethodGet,
		"/v1/webhook-deliveries?webhook_id="+c.hooks[endpoint].ID+"&status="+statuses, nil).Results
}

// checkHooks checks that no webhook was disabled, and that each delivery has its attempt in the log.
func (c *clockTest) checkHooks() {
	c.Helper()
	for endpoint, hook := range c.hooks {
		got := blackbox.Call[struct{ Status string }](c, c.seller.Client, http.MethodGet, "/v1/webhooks/"+hook.ID, nil)
		if got.Status != "active" {
			c.Errorf("the webhook of %s is %s", endpoint, got.Status)
		}
	}
	attempts, arrivals := map[string]int{}, map[string]int{}
	for _, d := range c.seller.Deliveries(c, "") {
		attempts[d.WebhookID+" "+d.EventID]++
	}
	for _, r := range c.receiver.Receipts() {
		arrivals[c.hooks[r.Endpoint].ID+" "+r.Event]++
	}
	for key, n := range arrivals {
		if n > attempts[key] {
			c.Errorf("%s arrived %d times with %d attempts in the log", key, n, attempts[key])
		}
	}
}
