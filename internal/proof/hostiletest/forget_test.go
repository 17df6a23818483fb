package hostiletest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/store"
)

// personal are words in what is personal about buyer n, which nothing else has. Most formats leave words as they are, so the search
// for them is quick.
func personal(n int) (words []string) {
	for _, what := range []string{"nick", "mail", "first", "last", "phone", "name", "street", "city"} {
		words = append(words, fmt.Sprintf("zq%s%dx", what, n))
	}
	return words
}

func buyer(n int) map[string]any {
	p := personal(n)
	return map[string]any{
		"nickname": p[0] + ".é", "email": p[1] + "+box@example.org", "first_name": p[2] + " Ü", "last_name": p[3] + ` & "O'Neil"`, "phone": p[4], "country": "BE",
		"address": map[string]any{"name": p[5] + " Łódź", "line1": p[6] + " 7", "city": p[7] + " Ö", "country": "BE"},
	}
}

// forgetting is an attack on the command that forgets buyers: sellers' tools work on while it runs.
type forgetting struct {
	*testing.T
	server *blackbox.Server
	seller *blackbox.Seller
	lesser *blackbox.Client // has a key that may not read sales
	items  []string

	requests, sent atomic.Int64
	over           atomic.Bool

	mu    sync.Mutex
	busy  map[int]*sync.WaitGroup // of the buyers who may still buy: the purchases under way
	next  int
	bills map[int][]string // by buyer
	ids   map[int]string
}

// TestAForgottenBuyerIsGoneWhateverHappensMeanwhile forgets buyers while others buy, bills are sent, and events are sent and sent again
// to receivers that repeat them late. At the end it looks for the forgotten buyers in every column of the database, and on SQLite in
// the bytes of its files.
func TestAForgottenBuyerIsGoneWhateverHappensMeanwhile(t *testing.T) {
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			t.Parallel()
			buyers := 4
			if *long {
				buyers = 12 // the search for what is left takes their number times the size of the database
			}
			url := database.url(t)
			f := &forgetting{
				T: t, server: blackbox.NewServer(t, url),
				busy: map[int]*sync.WaitGroup{}, bills: map[int][]string{}, ids: map[int]string{},
			}
			f.server.Start(t)
			f.seller = blackbox.NewSeller(t, f.server, "attacker")
			f.lesser = &blackbox.Client{Server: f.server, Key: f.lesserKey()}
			f.items = f.seller.Publish(t, 40)
			for i, format := range []string{"standard", "standard", "legacy_xml", "legacy_xml"} {
				blackbox.Call[blackbox.Webhook](t, f.seller.Client, http.MethodPost, "/v1/webhooks", map[string]any{
					"url": f.echo(i%2 == 0), "format": format,
				})
			}
			forgotten := f.run(buyers)

			const patience = 60 * time.Second
			db, err := store.Open(t.Context(), store.Config{URL: url, Existing: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var texts []string
			for _, n := range forgotten {
				texts = append(texts, personal(n)...)
			}
			look := func() []string {
				left := servertest.Traces(t, db, texts...)
				if file := servertest.DatabaseFile(t, db); file != "" {
					left = append(left, servertest.FileTraces(t, file, texts...)...)
				}
				return left
			}
			began := time.Now()
			left := look()
			for ; len(left) > 0 && time.Since(began) < patience && *long; left = look() {
				time.Sleep(time.Second)
			}
			if len(left) > 0 {
				t.Errorf("%d places have something left of %d forgotten buyers:\n%s", len(left), len(forgotten), strings.Join(left, "\n"))
			}
			if known := servertest.Traces(t, db, personal(f.anyKnown())...); len(known) < 5 {
				t.Errorf("the search finds a buyer who is not forgotten in %d places only", len(known))
			}
			if f.sent.Load() < 20 {
				t.Errorf("only %d events were sent", f.sent.Load())
			}
			t.Logf("%d buyers forgotten during %d requests and %d attempts", len(forgotten), f.requests.Load(), f.sent.Load())
			blackbox.Record(t, blackbox.Figure{
				Number: "P1", What: "texts of forgotten buyers in the database and its files, attempts under way, " + database.name,
				Aim: "0", Measured: fmt.Sprintf("%d of %d buyers", len(left), len(forgotten)), Reached: len(left) == 0,
			})
		})
	}
}

// lesserKey is a key that may send events again, and may not read them.
func (f *forgetting) lesserKey() string {
	return blackbox.Operate[blackbox.Key](f, f.server, http.MethodPost, "/operator/accounts/"+f.seller.Account+"/keys", map[string]any{
		"mode": "test", "permissions": []string{"webhooks:write"},
	}).Key
}

// echo is a receiver that answers late, with what it was sent in some form, and now and then fails.
func (f *forgetting) echo(encoded bool) string {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the server may be killed
		f.sent.Add(1)
		time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
		if rand.IntN(10) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		switch decoded, err := url.QueryUnescape(string(body)); {
		case encoded && rand.IntN(2) == 0:
			_, _ = io.WriteString(w, base64.StdEncoding.EncodeToString(body))
		case encoded && err == nil:
			_, _ = io.WriteString(w, decoded)
		default:
			_, _ = w.Write(body)
		}
	}))
	f.Cleanup(receiver.Close)
	return receiver.URL
}

// attackTime bounds the attack, and with it the database that is searched for what is left.
const attackTime = time.Minute

// run works until some buyers are forgotten, or the time is over, and returns them.
func (f *forgetting) run(buyers int) (forgotten []int) {
	for range 12 {
		f.newBuyer()
	}
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(worker)))
			for n := 0; !f.over.Load(); n++ {
				f.work(rng, fmt.Sprintf("w%d-%d", worker, n))
			}
		})
	}
	// The command takes longer, the larger the database is that the others fill meanwhile.
	for began := time.Now(); len(forgotten) < buyers && time.Since(began) < attackTime && !f.Failed(); {
		if n := f.retire(); n != 0 {
			f.newBuyer()
			f.forget(n)
			forgotten = append(forgotten, n)
		}
	}
	f.over.Store(true)
	all.Wait()
	return forgotten
}

func (f *forgetting) newBuyer() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	f.busy[f.next] = &sync.WaitGroup{}
}

// anyKnown is a buyer who is not forgotten and has bought.
func (f *forgetting) anyKnown() int {
	for n := range f.busy {
		if len(f.bills[n]) > 0 {
			return n
		}
	}
	return 0
}

// work does what a seller's tool, or the marketplace, might do.
func (f *forgetting) work(rng *rand.Rand, key string) {
	f.requests.Add(1)
	switch rng.IntN(4) {
	case 0, 1:
		f.buy(rng, key)
	case 2:
		f.mu.Lock()
		var bill string
		for _, bills := range f.bills {
			bill = bills[rng.IntN(len(bills))]
			break
		}
		f.mu.Unlock()
		if bill != "" {
			f.send(bill, key)
		}
	default:
		var page struct{ Results []struct{ ID string } }
		got, err := f.seller.Do(http.MethodGet, "/v1/webhook-deliveries?limit=50", "", nil)
		if err != nil || json.Unmarshal(got.Data, &page) != nil || len(page.Results) == 0 {
			return
		}
		path := "/v1/webhook-deliveries/" + page.Results[rng.IntN(len(page.Results))].ID + "/redeliver"
		for _, client := range []*blackbox.Client{f.seller.Client, f.lesser} {
			f.try(client, path, key, nil)
		}
	}
}

// try sends a POST, which the state of an object may refuse.
func (f *forgetting) try(client *blackbox.Client, path, key string, body any) (got blackbox.Answer) {
	text, _ := json.Marshal(body)
	if body == nil {
		text = nil
	}
	got, err := client.Do(http.MethodPost, path, key, text)
	if err != nil || got.Status >= 500 {
		f.Errorf("POST %s: %d %s %v", path, got.Status, got.Errors, err)
	}
	return got
}

func (f *forgetting) buy(rng *rand.Rand, key string) {
	f.mu.Lock()
	known := make([]int, 0, len(f.busy))
	for n := range f.busy {
		known = append(known, n)
	}
	slices.Sort(known)
	n := known[rng.IntN(len(known))]
	under := f.busy[n]
	under.Add(1)
	f.mu.Unlock()
	defer under.Done()
	got := f.try(f.seller.Client, "/v1/test/items/"+f.items[rng.IntN(len(f.items))]+"/purchase", key, map[string]any{"buyer": buyer(n)})
	var sale struct {
		ID     string
		BillID string `json:"bill_id"`
		Buyer  struct{ ID string }
	}
	if json.Unmarshal(got.Data, &sale) != nil || sale.ID == "" {
		return
	}
	if rng.IntN(4) == 0 {
		f.try(f.seller.Client, "/v1/sales/"+sale.ID+"/rating", key+"-rating", map[string]any{"score": 100})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids[n] = sale.Buyer.ID
	if !slices.Contains(f.bills[n], sale.BillID) {
		f.bills[n] = append(f.bills[n], sale.BillID)
	}
}

// send takes a bill to its end, as far as it is not there yet.
func (f *forgetting) send(bill, key string) {
	f.try(f.seller.Client, "/v1/test/bills/"+bill+"/invoice", key+"-invoice", nil)
	f.try(f.seller.Client, "/v1/test/bills/"+bill+"/pay", key+"-pay", nil)
	f.try(f.seller.Client, "/v1/bills/"+bill+"/mark-sent", key+"-sent", nil)
}

// retire chooses a buyer who buys nothing more, and returns when everything that the buyer has bought is sent. It is 0 if nobody has
// bought.
func (f *forgetting) retire() int {
	f.mu.Lock()
	n := f.anyKnown()
	under := f.busy[n]
	delete(f.busy, n)
	f.mu.Unlock()
	if n == 0 {
		return 0
	}
	under.Wait()
	f.mu.Lock() // the others write to the map for buyers of their own
	bills := f.bills[n]
	f.mu.Unlock()
	for _, bill := range bills {
		f.send(bill, "retire-"+bill)
	}
	return n
}

// forget runs the command beside the server.
func (f *forgetting) forget(n int) {
	f.mu.Lock()
	id := f.ids[n]
	f.mu.Unlock()
	if out, err := f.server.Command("accounts", "forget-buyer", "--buyer", id); err != nil {
		f.Errorf("forget buyer %s: %v\n%s", id, err, out)
	}
}
