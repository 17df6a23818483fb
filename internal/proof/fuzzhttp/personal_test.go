package fuzzhttp_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// This file sends generated requests with keys that may do everything but read the personal data of buyers, and looks for that data in every
// answer, and in what the webhooks of such keys are sent.

// mark is in every planted text about a buyer, and in nothing else.
const mark = "zq9xk7w"

// plantedBuyer is a buyer whose personal data all have the mark. The nickname is not hidden.
var plantedBuyer = map[string]any{
	"nickname": "collector", "email": mark + ".mail@example.org", "first_name": mark + " É", "last_name": "O'" + mark, "phone": "+32 " + mark, "country": "BE",
	"address": plantedAddress,
}

var plantedAddress = map[string]any{
	"name": mark + " Łódź", "line1": "Rue " + mark + " & 7", "line2": mark + " <2>", "postal_code": mark + " 1", "city": "Sint-" + mark, "state": mark, "country": "BE",
	"phone": mark + " 2",
}

// plantedHook is the path of the webhook that another key has made, which is sent everything.
const plantedHook = "/of-another-key"

// personal looks for the data of buyers.
type personal struct {
	t     testing.TB
	marks [][]byte
	full  [2]string // the key of the sequence's seller that reads everything, on each service

	mu       sync.Mutex
	leaks    []string
	hidden   int // buyers in answers whose data were hidden
	received int // events of plantedHook with a buyer
}

func newPersonal(t testing.TB) *personal {
	p := &personal{t: t, marks: servertest.Spellings(mark)}
	for i := range v1.SandboxBuyers { // who buy where the request names nobody
		name, _, _ := strings.Cut(v1.SandboxBuyers[i].Email, "@")
		p.marks = append(p.marks, []byte(name))
	}
	return p
}

// has says whether a text has personal data.
func (p *personal) has(text []byte) bool {
	text = bytes.ToLower(text)
	return slices.ContainsFunc(p.marks, func(mark []byte) bool { return bytes.Contains(text, mark) })
}

func (p *personal) leak(format string, values ...any) {
	p.leaks = append(p.leaks, fmt.Sprintf(format, values...))
}

// RoundTrip receives webhooks. It repeats what it gets.
func (p *personal) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text, _ := url.QueryUnescape(string(body))
	switch found := p.has(body) || p.has([]byte(text)); {
	case r.URL.Path == plantedHook && found:
		p.received++
	case found && !strings.Contains(text, "buyer@example.com"): // of a sample
		p.leak("%s was sent %.2000s", r.URL, body)
	}
	return &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// look is a fault that changes nothing, and looks at the answer.
func (p *personal) look(_ *planted, r *http.Request, answer *httptest.ResponseRecorder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	headers := fmt.Sprint(answer.Header())
	if p.has(answer.Body.Bytes()) || p.has([]byte(headers)) {
		p.leak("%s %s answers %d %s %.3000s", r.Method, r.URL, answer.Code, headers, answer.Body)
		return
	}
	p.walk(r, "", parse(answer.Body.String()))
}

// personalMembers are the members of an answer's objects that must be null, by the name of the object; nil for all.
var personalMembers = map[string][]string{"buyer": {"email", "first_name", "last_name", "phone"}, "shipping_address": nil}

// walk looks at the form of an answer: what was not planted is hidden, too.
func (p *personal) walk(r *http.Request, name string, value any) {
	switch v := value.(type) {
	case []any:
		for i := range v {
			p.walk(r, name, v[i])
		}
	case map[string]any:
		members, of := personalMembers[name]
		if of && members == nil {
			members = slices.Collect(maps.Keys(v))
		}
		for _, member := range members {
			if shown := v[member]; shown != nil {
				p.leak("%s %s shows %s.%s: %v", r.Method, r.URL, name, member, shown)
			}
		}
		if of {
			p.hidden++
		}
		for member := range v {
			p.walk(r, member, v[member])
		}
	}
}

// plant lets another key of the account sell to the planted buyer in every way, and returns a key that may do everything but read that, and
// what was made.
func (p *personal) plant(f *fuzzer, world int, account int64, key string) (lesser string, made map[string][]string) {
	w := f.worlds[world]
	lesser, _, err := w.Service.CreateKey(p.t.Context(), v1.NewKey{
		Account: account, Mode: "test", Permissions: v1.Some(v1.AllPermissions &^ buyers(p.t)),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.full[world] = key
	return lesser, p.plantObjects(w, key)
}

// buyers is the permission that the keys lack.
func buyers(t testing.TB) v1.Permissions {
	set, err := v1.ParsePermissions([]string{"buyers:read"})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (p *personal) plantObjects(w *servertest.World, key string) (made map[string][]string) {
	made = map[string][]string{}
	keys := 0
	done := func(path string, body any) map[string]any {
		p.t.Helper()
		keys++
		header := map[string]string{"Idempotency-Key": fmt.Sprintf("key-%d", keys%12)} // which the fuzzer uses, too
		got := w.Do(p.t, servertest.Request{Method: http.MethodPost, Path: path, Body: body, Key: key, Header: header})
		if got.Status >= 300 {
			p.t.Fatalf("POST %s: %d %s", path, got.Status, got.Body)
		}
		return servertest.Into[map[string]any](p.t, got)
	}
	text := func(object map[string]any, member string) string { return object[member].(string) }
	list := func(item map[string]any) string {
		submission := text(done("/v1/items", item), "id")
		w.Publish(p.t)
		got := w.Do(p.t, servertest.Request{Path: "/v1/item-submissions/" + submission, Key: key})
		id := text(servertest.Into[map[string]any](p.t, got), "item_id")
		made["items"] = append(made["items"], id)
		return id
	}
	done("/v1/webhooks", map[string]any{"url": "https://hooks.example.com" + plantedHook})
	item := list(servertest.FixedPrice(map[string]any{"quantity": 40}))
	buy := func() map[string]any {
		sold := done("/v1/test/items/"+item+"/purchase", map[string]any{"buyer": plantedBuyer, "shipping_address": plantedAddress})
		made["sales"], made["bills"] = append(made["sales"], text(sold, "id")), append(made["bills"], text(sold, "bill_id"))
		return sold
	}
	done("/v1/test/sales/"+text(buy(), "id")+"/cancel", nil)
	bill := text(buy(), "bill_id")
	done("/v1/test/bills/"+bill+"/invoice", nil)
	done("/v1/test/bills/"+bill+"/pay", nil)
	buy()
	auction := list(servertest.Auction())
	done("/v1/test/items/"+auction+"/bids", map[string]any{"buyer": plantedBuyer})
	done("/v1/test/items/"+auction+"/end", nil)
	for {
		n, err := w.Service.DeliverOnce(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	got := servertest.Into[struct {
		Results []map[string]any `json:"results"`
	}](p.t, w.Do(p.t, servertest.Request{Path: "/v1/events?type=item.sold,sale.*,payment.*", Key: key}))
	for _, event := range got.Results {
		made["events"] = append(made["events"], text(event, "id"))
	}
	return made
}

// markBuyers puts the mark into the buyers of generated requests. What else has a name, such as a key, keeps its own: a key without buyers
// reads that.
func markBuyers(d *document) {
	for _, planted := range []map[string]any{plantedAddress, plantedBuyer} {
		for member, text := range planted {
			if member != "name" && member != "nickname" && member != "country" && member != "address" {
				d.known[member] = []any{text}
			}
		}
	}
	for _, o := range d.operations {
		for i := range o.examples {
			o.examples[i] = marked("", o.examples[i])
		}
	}
}

func marked(name string, value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := maps.Clone(object)
	for member := range object {
		switch {
		case member == "buyer":
			out[member] = plantedBuyer
		case member == "shipping_address":
			out[member] = plantedAddress
		default:
			out[member] = marked(member, object[member])
		}
	}
	return out
}

// newPersonalFuzzer makes a fuzzer with such keys. Its services show answers to requests that begin so as the account's other key sees them;
// none is empty.
func newPersonalFuzzer(t *testing.T, p *personal, shown string) *fuzzer {
	f := newFuzzer(t, 0, func(c *v1.Config) { c.Webhooks = &http.Client{Transport: p} })
	markBuyers(f.v1)
	f.plant = p.plant
	for i, service := range f.handlers {
		if shown != "" {
			service = newPlanted(service, func(service *planted, r *http.Request, answer *httptest.ResponseRecorder) {
				if !strings.HasPrefix(r.URL.Path, shown) || answer.Code >= 300 {
					return
				}
				again := get(r)
				if r.Method == http.MethodPost { // of the sandbox: the sale that it has made
					again.URL.Path = "/v1/sales/" + evaluate("$response.body#/data/id", nil, parse(answer.Body.String()))
				}
				if whole := service.ask(valid(again, "", "X-Api-Key", p.full[i])); whole.Code < 300 {
					*answer = *whole
				}
			})
		}
		f.handlers[i] = newPlanted(service, p.look)
	}
	return f
}

// TestAKeyWithoutBuyersIsShownNone is the fuzzer with keys that may not read buyers.
func TestAKeyWithoutBuyersIsShownNone(t *testing.T) {
	servertest.Postgres(t)
	p := newPersonal(t)
	seed, sent := *firstSeed, 0
	for sent < *requests && !t.Failed() {
		f := newPersonalFuzzer(t, p, "")
		for f.requests < worldLasts && sent+f.requests < *requests && !t.Failed() {
			// What the webhook of the other key is sent at the same time is logged in an order that differs from service to service.
			if failed, log := f.run(t, steps(seed, stepsOfASequence)); failed != nil && failed.check != "same_on_both_databases" {
				t.Error(failed.report(seed, log))
			}
			for _, leak := range p.leaks {
				t.Errorf("seed %d: %s", seed, leak)
			}
			seed++
		}
		sent += f.requests
	}
	t.Logf("%d requests to each database, %d buyers were hidden, %d events had buyers", sent, p.hidden, p.received)
	if p.hidden < sent/6 || p.received == 0 {
		t.Errorf("%d buyers were hidden in %d answers, and %d events had buyers: the test looks at little", p.hidden, sent, p.received)
	}
}

// TestAPathThatShowsBuyersIsFound has services that show one kind of answer as the account's other key sees it.
func TestAPathThatShowsBuyersIsFound(t *testing.T) {
	servertest.Postgres(t)
	for _, path := range []string{"/v1/sales", "/v1/events", "/v1/test/", "/rest/item/fixedprice/sold"} {
		t.Run(path, func(t *testing.T) {
			p := newPersonal(t)
			f := newPersonalFuzzer(t, p, path)
			for seed := uint64(1); len(p.leaks) == 0; seed++ {
				if f.requests > findsWithin {
					t.Fatalf("nothing is found by %d requests", f.requests)
				}
				_, _ = f.run(t, steps(seed, stepsOfASequence))
			}
			t.Logf("found after %d requests: %.300s", f.requests, p.leaks[0])
		})
	}
}
