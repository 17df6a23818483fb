package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestASaleFromTheItemToTheRating(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		item := a.lists(t, servertest.FixedPrice(map[string]any{"quantity": 3}))
		seen := a.does(t, "read", map[string]any{"operation": "getItem", "id": item})
		changed := a.does(t, "change", map[string]any{
			"operation": "updateItem", "id": item, "if_match": seen.ETag, "body": map[string]any{"price": map[string]any{"amount": "40.00"}},
		})
		stale := a.fails(t, "change", map[string]any{
			"operation": "updateItem", "id": item, "if_match": seen.ETag, "body": map[string]any{"price": map[string]any{"amount": "39.00"}},
		})
		if changed.Status != http.StatusOK || changed.ETag == seen.ETag || !slices.Equal(stale.codes(), []string{"precondition_failed If-Match"}) {
			t.Errorf("the change: %d %s, the stale one: %v", changed.Status, changed.ETag, stale.codes())
		}
		sale := data[struct {
			ID     string `json:"id"`
			BillID string `json:"bill_id"`
		}](t, a.does(t, "sandbox", map[string]any{"operation": "simulatePurchase", "id": item}))
		for _, operation := range []string{"simulateInvoice", "simulatePayment"} {
			a.does(t, "sandbox", map[string]any{"operation": operation, "id": sale.BillID})
		}
		tracking := map[string]any{"delivery_service_id": "142", "number": "RR123456785BE"}
		a.does(t, "ship", map[string]any{"operation": "addTracking", "id": sale.BillID, "body": tracking})
		a.does(t, "ship", map[string]any{"operation": "markBillSent", "id": sale.BillID})
		a.does(t, "rate", map[string]any{"operation": "rateBuyer", "id": sale.ID, "body": map[string]any{"score": 100, "comment": "Paid at once"}})
		bill := data[struct {
			Status string `json:"status"`
		}](t, a.does(t, "read", map[string]any{"operation": "getBill", "id": sale.BillID}))
		trackings := data[struct {
			Results []struct {
				Number string `json:"number"`
			} `json:"results"`
		}](t, a.does(t, "browse", map[string]any{"operation": "browseTrackings", "id": sale.BillID}))
		rating := data[struct {
			Score int `json:"score"`
		}](t, a.does(t, "read", map[string]any{"operation": "getRating", "id": sale.ID}))
		got := fmt.Sprintf("%s %v %d", bill.Status, trackings.Results, rating.Score)
		if diff := cmp.Diff("sent [{RR123456785BE}] 100", got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if log := a.log.String(); strings.Contains(log, w.Key) || strings.Contains(log, "Paid at once") || strings.Contains(log, "RR123456785BE") ||
			!strings.Contains(log, "tool=rate operation=rateBuyer result=ok") || !strings.Contains(log, "operation=updateItem result=precondition_failed") {
			t.Errorf("the log has\n%s", log)
		}
	})
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		got := a.fails(t, "change", map[string]any{"operation": "closeItem", "id": "4711"})
		if len(got.Errors) != 1 || got.Status != http.StatusNotFound || got.Operation != "closeItem" {
			t.Fatalf("it answers %+v", got)
		}
		e := got.Errors[0]
		if e.Code != "item_not_found" || e.Message == "" || !strings.Contains(e.Mend, "Check the id") || !strings.HasSuffix(e.DocsURL, "/errors/item_not_found") {
			t.Errorf("the error is %+v", e)
		}
		foreign := a.fails(t, "read", map[string]any{"operation": "getItem", "id": "../account"})
		if foreign.Status != http.StatusNotFound {
			t.Errorf("an id with a path answers %d", foreign.Status)
		}
	})
}

// wire notes the Idempotency-Keys of requests, and loses answers.
type wire struct {
	mu   sync.Mutex
	keys map[string][]string // by method and path
	lose int                 // how many answers of POSTs are lost, after their work is done
}

func (w *wire) around(h http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		if w.keys == nil {
			w.keys = map[string][]string{}
		}
		lost := r.Method == http.MethodPost && r.URL.RawQuery == "" && w.lose > 0
		if r.Method == http.MethodPost {
			name := r.Method + " " + r.URL.RequestURI()
			w.keys[name] = append(w.keys[name], r.Header.Get("Idempotency-Key"))
		}
		if lost {
			w.lose--
		}
		w.mu.Unlock()
		if lost {
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		h.ServeHTTP(out, r)
	})
}

func TestAnAnswerThatIsLostIsAskedForUnderTheSameKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		wire := &wire{lose: 2}
		a := newAgent(t, w, wire.around)
		item := servertest.FixedPrice()
		first := a.does(t, "create_items", map[string]any{"items": []any{item}})
		again := a.does(t, "create_items", map[string]any{"items": []any{item}}) // as a host does that lost the answer
		other := a.does(t, "create_items", map[string]any{"items": []any{item}, "idempotency_key": "another-one"})
		one, same, two := data[submitted](t, first), data[submitted](t, again), data[submitted](t, other)
		if one.ID != same.ID || !first.Replayed || !again.Replayed || again.Note == "" || one.ID == two.ID || other.Replayed {
			t.Errorf("the first is %+v, again %+v, under another key %+v", first, again, other)
		}
		keys := wire.keys["POST /v1/items"]
		if len(keys) != 5 || keys[0] == "" || keys[0] != keys[1] || keys[0] != keys[2] || keys[0] != keys[3] || keys[4] != "another-one" || keys[0] != first.Key {
			t.Errorf("the keys on the wire are %q", keys)
		}
		if items := w.Count(t, "items", "1 = 1"); items != 2 {
			t.Errorf("there are %d items, want 2", items)
		}
	})
}

func TestKeysFollowFromTheCall(t *testing.T) {
	config := Config{BaseURL: "https://api.example.com", Key: testKey}
	s, _ := newServer(t, config, func() {})
	other, _ := newServer(t, config, func() {})
	key := func(s *Server, operation, arguments string) string {
		t.Helper()
		o := s.operation(operation)
		args, err := readArguments([]byte(arguments), s.tools[slices.IndexFunc(s.tools, func(t *tool) bool { return t.name == o.tool })])
		if err != nil {
			t.Fatal(err)
		}
		r, err := args.request(o)
		if err != nil {
			t.Fatal(err)
		}
		out := s.idempotencyKey(r, args)
		if err := args.first(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const call = `{"operation":"closeItem","id":"1","body":{"reason":"other","note":"x"}}`
	first := key(s, "closeItem", call)
	if same := key(s, "closeItem", `{"id":"1","body": {"note":"x", "reason":"other"},"operation":"closeItem"}`); same != first {
		t.Error("the order of members makes another key")
	}
	seen := map[string]string{first: call}
	for _, different := range []string{
		`{"operation":"closeItem","id":"2","body":{"reason":"other","note":"x"}}`,
		`{"operation":"closeItem","id":"1","body":{"reason":"other","note":"y"}}`,
		`{"operation":"closeItem","id":"1"}`,
		`{"operation":"closeItem","id":"1","if_match":"\"a\"","body":{"reason":"other","note":"x"}}`,
		`{"operation":"restartItem","id":"1"}`,
	} {
		operation := "closeItem"
		if strings.Contains(different, "restartItem") {
			operation = "restartItem"
		}
		got := key(s, operation, different)
		if before, known := seen[got]; known {
			t.Errorf("%s has the key of %s", different, before)
		}
		seen[got] = different
	}
	if key(other, "closeItem", call) == first {
		t.Error("another run of the program has the same keys")
	}
}

// scripted is a service that gives the same answer to everything.
func scripted(t *testing.T, answer http.HandlerFunc, patience time.Duration) *agent {
	t.Helper()
	service := httptest.NewServer(answer)
	t.Cleanup(service.Close)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	s, log := newServer(t, Config{BaseURL: service.URL, Key: testKey, Patience: patience, Now: clock}, func() {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(10 * time.Second)
	})
	return connect(t, s, log)
}

func TestAServiceThatFailsIsReported(t *testing.T) {
	status := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
		may    bool
	}{
		"it is busy for longer than a call takes": {status(503, `{"status_code":503,"errors":[{"code":"service_unavailable","message":"Later."}]}`), "service_unavailable", true},
		"too many requests":                       {status(429, `{"status_code":429,"errors":[{"code":"rate_limited","message":"Later."}]}`), "rate_limited", false},
		"something else answers":                  {status(404, `<html>`), "unexpected_answer", false},
		"it breaks every connection":              {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no_answer", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := scripted(t, test.answer, time.Minute)
			got := a.fails(t, "change", map[string]any{"operation": "closeItem", "id": "1"})
			if len(got.Errors) != 1 || got.Errors[0].Code != test.want || got.Errors[0].Mend == "" || got.MayBeDone != test.may || test.may != (got.Key != "") {
				t.Errorf("it answers %+v", got)
			}
			if log := a.log.String(); !strings.Contains(log, "result="+test.want) {
				t.Errorf("the log has\n%s", log)
			}
		})
	}
}

// TestNothingIsSentWithAWrongArgument counts the requests of calls that are wrong in what the tools alone read.
func TestNothingIsSentWithAWrongArgument(t *testing.T) {
	var requests atomic.Int64
	a := scripted(t, func(w http.ResponseWriter, _ *http.Request) { requests.Add(1); w.WriteHeader(500) }, time.Minute)
	for want, arguments := range map[string]map[string]any{
		"invalid_parameter show_secret":     {"operation": "updateWebhook", "id": "wh_1", "body": map[string]any{"rotate_secret": true}, "show_secret": "yes"},
		"missing_parameter show_secret":     {"operation": "updateWebhook", "id": "wh_1", "body": map[string]any{"rotate_secret": true}},
		"invalid_parameter idempotency_key": {"operation": "testWebhook", "id": "wh_1", "idempotency_key": "a\nb"},
	} {
		text, failed := a.callAnyhow(t, "webhooks", arguments)
		if got := read(t, text); !failed || !slices.Equal(got.codes(), []string{want}) || got.MayBeDone {
			t.Errorf("%v: %s", arguments, text)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestACallEndsWhenItsTimeIsUp(t *testing.T) {
	const patience = 300 * time.Millisecond
	a := scripted(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, patience)
	began := time.Now()
	got := a.fails(t, "read", map[string]any{"operation": "getItem", "id": "1"})
	if took := time.Since(began); got.Errors[0].Code != "no_answer" || took > 20*patience {
		t.Errorf("after %s it answers %+v", took, got)
	}
}

func TestTheKeyIsInNoAnswer(t *testing.T) {
	a := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `{"status_code":403,"errors":[{"code":"permission_denied","message":"The key %s may not."}]}`, r.Header.Get("X-Api-Key"))
	}, time.Minute)
	for _, call := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"read", map[string]any{"operation": "getAccount"}},
		{"translate", map[string]any{"request": "curl https://rest.delcampe.net/item/1?apikey=" + testKey}},
		{"guide", map[string]any{"section": testKey}},
		{"guide", map[string]any{"search": testKey}},
		{"errors", map[string]any{"code": testKey}},
	} {
		text, _ := a.call(t, call.tool, call.arguments)
		if strings.Contains(text, testKey) {
			t.Errorf("%s answers the key: %s", call.tool, text)
		}
	}
	if text, _ := a.callAnyhow(t, "read", map[string]any{testKey: 1}); strings.Contains(text, testKey) {
		t.Errorf("an argument with the name of the key: %s", text)
	}
	if strings.Contains(a.log.String(), testKey) {
		t.Errorf("the log has the key:\n%s", a.log)
	}
}

func TestASecretIsShownOnlyWhenItIsAskedFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		a := newAgent(t, w, plainly)
		create := map[string]any{"operation": "createWebhook", "body": map[string]any{"url": "https://shop.example.com/hook"}}
		type webhook struct {
			ID     string `json:"id"`
			Secret string `json:"secret"`
		}
		hidden := a.does(t, "webhooks", create)
		create["show_secret"] = true
		shown := a.does(t, "webhooks", create)
		one, two := data[webhook](t, hidden), data[webhook](t, shown)
		if one.Secret != hiddenSecret || !strings.Contains(hidden.Note, "show_secret") || one.ID != two.ID || !strings.HasPrefix(two.Secret, "whsec_") {
			t.Errorf("hidden %+v %q, shown %+v", one, hidden.Note, two)
		}
		rotate := map[string]any{"operation": "updateWebhook", "id": one.ID, "body": map[string]any{"rotate_secret": true}}
		if refused := a.fails(t, "webhooks", rotate); !slices.Equal(refused.codes(), []string{"missing_parameter show_secret"}) {
			t.Errorf("a rotation without show_secret is answered %+v", refused)
		}
		rotate["show_secret"] = true
		rotated := data[webhook](t, a.does(t, "webhooks", rotate))
		if rotated.Secret == two.Secret || !strings.HasPrefix(rotated.Secret, "whsec_") {
			t.Errorf("a new secret is %q", rotated.Secret)
		}
		listed := a.does(t, "browse", map[string]any{"operation": "browseWebhooks"})
		if strings.Contains(string(listed.Data), two.Secret) || !strings.Contains(string(listed.Data), `"secret":null`) {
			t.Errorf("the list has %s", listed.Data)
		}
	})
}

// refusing is a service that refuses everything.
func refusing(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"status_code":%d,"errors":[{"code":%q,"message":"No."}]}`, status, code)
	}
}

// TestACheckOfManyItemsEndsWhenItsTimeIsUp has a hundred items checked by a service that does not answer. They are one request.
func TestACheckOfManyItemsEndsWhenItsTimeIsUp(t *testing.T) {
	var requests atomic.Int32
	a := scripted(t, func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client leave
		<-r.Context().Done()
	}, 500*time.Millisecond)
	items := slices.Repeat([]any{servertest.FixedPrice()}, 100)
	got := a.fails(t, "create_items", map[string]any{"items": items})
	if n := requests.Load(); !slices.Equal(got.codes(), []string{"no_answer"}) || n != 1 {
		t.Errorf("after %d requests it answers %+v", n, got)
	}
}

// TestOnlyAWholeCheckIsFollowedByASubmission has two items checked by services that did not check them. Nothing is sent after that.
func TestOnlyAWholeCheckIsFollowedByASubmission(t *testing.T) {
	for name, test := range map[string]struct {
		status     int
		body, want string
	}{
		"an older service": {
			422, `{"status_code":422,"errors":[{"code":"unknown_parameter","field":"validate_only","message":"No."}]}`, "older than release 1.7.0",
		},
		"accepted":          {202, `{"status_code":202,"data":{"results":[{"errors":[]},{"errors":[]}]}}`, "internal_error"},
		"fewer results":     {200, `{"status_code":200,"data":{"results":[{"errors":[]}]}}`, "internal_error"},
		"more results":      {200, `{"status_code":200,"data":{"results":[{},{},{"errors":[{"code":"out_of_range","message":"No."}]}]}}`, "internal_error"},
		"a third item":      {422, `{"status_code":422,"errors":[{"code":"out_of_range","index":2,"message":"No."}]}`, "None was created"},
		"a request refused": {413, `{"status_code":413,"errors":[{"code":"payload_too_large","message":"No."}]}`, "None was created"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			a := scripted(t, func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}, time.Second)
			text, failed := a.callAnyhow(t, "create_items", map[string]any{"items": []any{servertest.FixedPrice(), servertest.FixedPrice()}, "only_clean": true})
			if n := requests.Load(); !failed || !strings.Contains(text, test.want) || n != 1 {
				t.Errorf("after %d requests it answers %s", n, text)
			}
		})
	}
}
