package hooktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

const (
	outageAim      = 5 * time.Second
	outageLimit    = 30 * time.Second // for the short test, which judges no times closely: half of the shortest lease
	outageClients  = 4
	outagePause    = 50 * time.Millisecond  // of a client between two items: a webhook gets about half of what its attempts at a time carry
	outagePicture  = 800 * time.Millisecond // a picture takes, so that some are being fetched at any time
	outagePictures = 300 * time.Millisecond // between two items with a picture: four at a time are fetched for a seller
	outageReceipt  = 20 * time.Millisecond  // the receiver takes, so that some attempts are on their way at any time
)

// TestOutage takes the database away under load and gives it back. Whatever was acknowledged before, and is in hand when
// it goes, must not wait for the lease of a worker that lived on.
func TestOutage(t *testing.T) {
	outage := func(name string, times int, away time.Duration) {
		t.Run(name, func(t *testing.T) {
			beside(t)
			cluster := pgtest.Own(t, pgtest.Options{Durable: true}) // what is acknowledged must survive a crash
			o := newOutage(t, cluster.AdminURL(), 2)
			worst := late{}
			for range times {
				worst.note(o.run(t, func() {
					if err := cluster.Interrupt(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(away)
					if err := cluster.Resume(t.Context()); err != nil {
						t.Fatal(err)
					}
				}))
			}
			worst.record(t, fmt.Sprintf("PostgreSQL crashes under 2 processes, %d times, and is away for %s", times, away))
		})
	}
	outage("it restarts", size(1, 5), 0)
	outage("it is away", 1, time.Duration(size(2, 30))*time.Second)
}

// TestSteppingDown ends one of two processes on PostgreSQL as an operator does. The other takes on what it had in hand.
func TestSteppingDown(t *testing.T) {
	beside(t)
	o := newOutage(t, postgres(t), 2)
	worst := late{}
	for range size(1, 5) {
		worst.note(o.run(t, func() {
			leaving := o.servers[1]
			o.ask(o.servers[0])
			leaving.Stop(t)
		}))
		o.servers[1].Start(t)
	}
	worst.record(t, "one of 2 processes on PostgreSQL ends by SIGTERM")
}

// beside runs a small test beside others.
func beside(t *testing.T) {
	t.Helper()
	if !*long {
		t.Parallel()
	}
}

// outageLoad is a seller whose items are submitted by a few clients, some with pictures.
type outageLoad struct {
	servers  []*blackbox.Server
	seller   *blackbox.Seller
	receiver *blackbox.Receiver
	pictures string
	item     string // that is on sale from the beginning

	mu       sync.Mutex
	asked    []*blackbox.Client
	accepted []string // the ids of submissions that were acknowledged
	looked   int      // how many of them were looked at
	sent     int
	refused  int       // requests that were answered 503
	pictured time.Time // when an item with a picture was submitted
}

func newOutage(t *testing.T, database string, processes int) *outageLoad {
	t.Helper()
	o := &outageLoad{}
	for range processes {
		server := blackbox.NewServer(t, database)
		server.Start(t)
		o.servers = append(o.servers, server)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(outagePicture)
		_, _ = w.Write(picture.Bytes())
	}))
	t.Cleanup(pictures.Close)
	o.pictures = pictures.URL
	o.receiver = blackbox.NewReceiver(t, func(*http.Request, *blackbox.Receipt) int {
		time.Sleep(outageReceipt)
		return http.StatusOK
	})
	o.seller = blackbox.NewSeller(t, o.servers[0], "patient")
	for n := range 8 {
		o.seller.Subscribe(t, o.receiver, fmt.Sprint(n))
	}
	o.item = o.seller.Publish(t, 1)[0]
	o.ask(o.servers...)
	return o
}

// ask has the clients ask these servers.
func (o *outageLoad) ask(servers ...*blackbox.Server) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = nil
	for _, server := range servers {
		o.asked = append(o.asked, &blackbox.Client{Server: server, Key: o.seller.Key, Fresh: true})
	}
}

// submit submits an item under its key until it is acknowledged.
func (o *outageLoad) submit(ctx context.Context, t *testing.T) {
	o.mu.Lock()
	o.sent++
	n, pictured := o.sent, time.Since(o.pictured) >= outagePictures
	if pictured {
		o.pictured = time.Now()
	}
	o.mu.Unlock()
	item := blackbox.Item(fmt.Sprint(n))
	if pictured {
		item["images"] = []string{fmt.Sprintf("%s/%d.png", o.pictures, n)}
	}
	body, err := json.Marshal(item)
	if err != nil {
		t.Error(err)
		return
	}
	for try := 0; ; try++ {
		o.mu.Lock()
		client := o.asked[(n+try)%len(o.asked)]
		o.mu.Unlock()
		got, err := client.Do(http.MethodPost, "/v1/items", fmt.Sprintf("outage-%d", n), body)
		var submission struct{ ID string }
		switch {
		case err == nil && got.Status == http.StatusAccepted:
			if err := json.Unmarshal(got.Data, &submission); err != nil {
				t.Error(err)
			}
			o.mu.Lock()
			o.accepted = append(o.accepted, submission.ID)
			o.mu.Unlock()
			return
		case err == nil && got.Status != http.StatusServiceUnavailable && !twinRuns(got):
			t.Errorf("submit item %d: %d %s", n, got.Status, got.Errors)
			return
		case ctx.Err() != nil:
			return // it was never acknowledged
		}
		if err == nil && got.Status == http.StatusServiceUnavailable {
			o.mu.Lock()
			o.refused++
			o.mu.Unlock()
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// twinRuns says whether a request was refused because the one that it repeats has not ended.
func twinRuns(got blackbox.Answer) bool {
	return got.Status == http.StatusConflict && strings.Contains(fmt.Sprint(got.Errors), "idempotency_key_in_progress")
}

type outageSubmission struct {
	Status      string
	CreatedAt   time.Time `json:"created_at"`
	CompletedAt time.Time `json:"completed_at"`
}

// run keeps the load up during an outage, and a second longer, and says what came late of what was acknowledged.
func (o *outageLoad) run(t *testing.T, outage func()) late {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var clients sync.WaitGroup
	for range outageClients {
		clients.Go(func() {
			for ctx.Err() == nil {
				o.submit(ctx, t)
				time.Sleep(outagePause)
			}
		})
	}
	time.Sleep(2 * time.Second)
	outage()
	back := time.Now()
	time.Sleep(time.Second)
	stop()
	clients.Wait()

	found := late{submissions: len(o.accepted) - o.looked}
	for _, id := range o.accepted[o.looked:] {
		var s outageSubmission
		blackbox.Eventually(t, 3*time.Minute, "submission "+id+" is published", func() bool {
			s = blackbox.Call[outageSubmission](t, o.seller.Client, http.MethodGet, "/v1/item-submissions/"+id, nil)
			return s.CompletedAt != (time.Time{})
		})
		if s.Status != "published" {
			t.Errorf("submission %s is %s", id, s.Status)
		}
		found.publication = max(found.publication, since(s.CompletedAt, s.CreatedAt, back))
	}
	o.looked = len(o.accepted)
	o.seller.AwaitDelivered(t, 3*time.Minute)
	found.settled = time.Since(back)
	for _, r := range o.receiver.Receipts() {
		if r.Times == 1 {
			found.receipt = max(found.receipt, since(r.At, r.Created, back))
		}
	}
	return found
}

// since is how long after its beginning, or after the database was back, something came.
func since(at, began, back time.Time) time.Duration {
	if began.After(back) {
		return at.Sub(began)
	}
	return at.Sub(back)
}

// late is what came last.
type late struct {
	submissions          int
	publication, receipt time.Duration
	settled              time.Duration // after which no attempt was on its way any more
}

func (l *late) note(other late) {
	l.submissions += other.submissions
	l.publication, l.receipt = max(l.publication, other.publication), max(l.receipt, other.receipt)
	l.settled = max(l.settled, other.settled)
}

func (l *late) record(t *testing.T, what string) {
	t.Helper()
	limit := outageLimit
	if *long {
		limit = outageAim
	}
	blackbox.Record(t, blackbox.Figure{
		Number: "F2", What: what, Aim: "published and delivered ≤ 5 s after it is back",
		Measured: fmt.Sprintf("%s submissions acknowledged, the last published after %s, its event delivered after %s, no attempt on its way after %s",
			blackbox.Thousands(int64(l.submissions)), blackbox.Milliseconds(l.publication), blackbox.Milliseconds(l.receipt), blackbox.Milliseconds(l.settled)),
		Reached: l.publication <= limit && l.receipt <= limit && l.settled <= limit+time.Second,
	})
}
