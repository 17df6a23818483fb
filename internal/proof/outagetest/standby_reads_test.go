package outagetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// readLimit is how long a read may take beside a standby that does not answer. The read itself waits for 50 ms; the rest is for
// a busy machine.
const readLimit = 2 * time.Second

// standbyCaller writes through one process and reads through another, which reads from a standby.
type standbyCaller struct {
	t            *testing.T
	writer       *blackbox.Seller
	reader       *blackbox.Client
	item, cursor string
	price        int
}

// change changes the price of the item, and checks that the item, the list and the feed show it at once.
func (c *standbyCaller) change(prices int) {
	c.t.Helper()
	for range prices {
		c.price++
		amount := fmt.Sprintf("%d.00", c.price)
		blackbox.Call[struct{}](c.t, c.writer.Client, http.MethodPatch, "/v1/items/"+c.item, map[string]any{"price": map[string]any{"amount": amount, "currency": "EUR"}})
		c.shows("/v1/items/"+c.item, amount)
		c.shows("/v1/items?sale_type=fixed_price&status=open", amount)
		page := c.shows("/v1/events?after="+c.cursor, "item.updated")
		var events struct {
			Results    []json.RawMessage `json:"results"`
			NextCursor string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(page, &events); err != nil {
			c.t.Fatal(err)
		}
		if len(events.Results) != 1 {
			c.t.Errorf("the feed shows %d events after the change to %s", len(events.Results), amount)
		}
		c.cursor = events.NextCursor
	}
}

// shows reads an answer that must come in time and show a text.
func (c *standbyCaller) shows(path, text string) json.RawMessage {
	c.t.Helper()
	began := time.Now()
	got, err := c.reader.Do(http.MethodGet, path, "", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if took := time.Since(began); got.Status != http.StatusOK || took > readLimit {
		c.t.Errorf("GET %s: %d after %s", path, got.Status, took)
	}
	if !strings.Contains(string(got.Data), text) {
		c.t.Errorf("GET %s does not show %s, which was acknowledged before: %s", path, text, got.Data)
	}
	return got.Data
}

// TestReadsFromAStandby has a caller write through one process and read through another, which has --db-read, while the standby
// is well and while it is not.
func TestReadsFromAStandby(t *testing.T) {
	t.Parallel()
	primary := pgtest.Own(t, pgtest.Options{Durable: true})
	standby := primary.Standby(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(primary.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"))
	writing := blackbox.NewServer(t, primary.AdminURL()).With("--rate-limit=1000000")
	writing.Start(t)
	reading := blackbox.NewServer(t, primary.AdminURL()).With("--rate-limit=1000000", "--db-read="+standby.AdminURL())
	reading.Start(t)
	c := &standbyCaller{t: t, writer: blackbox.NewSeller(t, writing, "anna"), price: 10}
	c.reader = &blackbox.Client{Server: reading, Key: c.writer.Key}
	c.item = c.writer.Publish(t, 1)[0]
	c.cursor = blackbox.Call[struct {
		NextCursor string `json:"next_cursor"`
	}](t, c.reader, http.MethodGet, "/v1/events?after=latest", nil).NextCursor

	step := func(name string, away bool, disturb, restore func()) {
		t.Run(name, func(t *testing.T) {
			c.t = t
			disturb()
			before := reading.Metric(t, "sellerd_standby_reads_total")
			answered := func() bool {
				c.change(20)
				return reading.Metric(t, "sellerd_standby_reads_total") > before
			}
			if !away { // on a busy machine the standby may be late, and then the primary answers
				blackbox.Eventually(t, 30*time.Second, "the standby answers", answered)
			} else if answered() {
				t.Error("the standby answers")
			}
			restore()
		})
	}
	inUse := func() {
		blackbox.Eventually(t, 30*time.Second, "the standby is in use", func() bool { return reading.Metric(t, "sellerd_standby_in_use") == 1 })
	}
	inUse()
	step("the standby is well", false, func() {}, func() {})
	step("the standby does not replay", true, func() { must(standby.Execute(t.Context(), "SELECT pg_wal_replay_pause()")) },
		func() { must(standby.Execute(t.Context(), "SELECT pg_wal_replay_resume()")); inUse() })
	step("the standby is frozen", true, func() { must(standby.Freeze()) }, func() { must(standby.Thaw()); inUse() })
	step("the standby is killed", true, func() { must(standby.Kill()) }, func() { must(standby.Resume(t.Context())); inUse() })
	step("the standby is well again", false, func() {}, func() {})
	t.Run("a key that is revoked counts at once", func(t *testing.T) {
		key := c.writer.NewKey(t)
		client := &blackbox.Client{Server: reading, Key: key.Key}
		blackbox.Call[struct{}](t, client, http.MethodGet, "/v1/items/"+c.item, nil)
		if out, err := writing.Command("keys", "revoke", key.ID); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, err := client.Do(http.MethodGet, "/v1/items/"+c.item, "", nil); err != nil || got.Status != http.StatusUnauthorized {
			t.Errorf("%v, status %d", err, got.Status)
		}
	})
	step("the standby is promoted", true, func() { must(standby.Promote(t.Context())) }, func() {})
	if strings.Contains(reading.Complaints(), standby.Password()) {
		t.Error("the log has the password of the standby")
	}
}
