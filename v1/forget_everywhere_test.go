package v1_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/privacy"
	"sellerd/v1/probe"
)

// zoesTraces are what is personal about zoe, in texts that nothing else has.
var zoesTraces = []string{
	"zoë-z'q", "zq.mail+box@example.org", "Zqfirst É", `Zqlast & "O'Neil"`, "+32 470 998877", "Zqname Łódź", "Zqstraße 7", "Zqfloor 3", "ZQ 1000", "Zqcité", "Zqstate",
	"+32 470 776655",
}

func buyerZoe() object {
	return object{
		"nickname": zoesTraces[0], "email": zoesTraces[1], "first_name": zoesTraces[2], "last_name": zoesTraces[3], "phone": zoesTraces[4],
		"language": "nl", "country": "BE",
		"address": object{
			"name": zoesTraces[5], "line1": zoesTraces[6], "line2": zoesTraces[7], "postal_code": zoesTraces[8], "city": zoesTraces[9],
			"state": zoesTraces[10], "country": "BE", "phone": zoesTraces[11],
		},
	}
}

// echo is a receiver that answers what it was sent, in some form.
func echo(t *testing.T, form func(body []byte) string) *httptest.Server {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("receive: %v", err)
		}
		_, _ = io.WriteString(w, form(body))
	}))
	t.Cleanup(receiver.Close)
	return receiver
}

// done sends a POST that must succeed.
func done(t *testing.T, w *servertest.World, r servertest.Request) object {
	t.Helper()
	got := w.Do(t, r)
	if got.Status/100 != 2 {
		t.Fatalf("POST %s: %d %s", r.Path, got.Status, got.Body)
	}
	return servertest.Into[object](t, got)
}

// plantZoe lets zoe's data come to every place that could keep them: she buys, each request has an Idempotency-Key, receivers
// repeat what they are sent, and everything is sent again. It returns her id, and how the redeliveries were asked for.
func plantZoe(t *testing.T, w *servertest.World) (id v1.ID, redeliveries []servertest.Request) {
	t.Helper()
	raw := func(body []byte) string { return string(body) }
	decoded := func(body []byte) string { text, _ := url.QueryUnescape(string(body)); return text }
	hooks := []object{{"url": echo(t, raw).URL}, {"url": echo(t, base64.StdEncoding.EncodeToString).URL}}
	if w.Config.LegacyNotifications != nil {
		hooks = append(hooks, object{"url": echo(t, raw).URL, "format": "legacy_xml"}, object{"url": echo(t, decoded).URL, "format": "legacy_xml"})
	}
	for i, hook := range hooks {
		made := w.Subscribe(t, hook)
		done(t, w, servertest.Keyed("test-"+strconv.Itoa(i), "/v1/webhooks/"+made.ID+"/test", object{"event": "item.sold"}))
	}
	purchase := func(key string) object {
		item := w.List(t, servertest.FixedPrice())
		return done(t, w, servertest.Keyed(key, "/v1/test/items/"+item+"/purchase", object{"buyer": buyerZoe()}))
	}
	sold := purchase("purchase")
	bill := "/v1/bills/" + sold["bill_id"].(string)
	done(t, w, servertest.Keyed("tracking", bill+"/trackings", object{"delivery_service_id": "142", "number": "123456789012345678901234"}))
	done(t, w, servertest.Keyed("invoice", "/v1/test/bills/"+sold["bill_id"].(string)+"/invoice", nil))
	done(t, w, servertest.Keyed("pay", "/v1/test/bills/"+sold["bill_id"].(string)+"/pay", nil))
	done(t, w, servertest.Keyed("sent", bill+"/mark-sent", nil))
	done(t, w, servertest.Keyed("rating", "/v1/sales/"+sold["id"].(string)+"/rating", object{"score": 100, "comment": "Thanks, Zoe of the old name"}))
	auction := w.List(t, servertest.Auction())
	done(t, w, servertest.Keyed("bid", "/v1/test/items/"+auction+"/bids", object{"buyer": buyerZoe()}))
	done(t, w, servertest.Keyed("end", "/v1/test/items/"+auction+"/end", nil))
	won := servertest.Into[page](t, w.Do(t, servertest.Request{Path: "/v1/sales?item_id=" + auction})).Results[0]
	for i, cancelled := range []object{purchase("another-purchase"), won} {
		done(t, w, servertest.Keyed("cancel-"+strconv.Itoa(i), "/v1/test/sales/"+cancelled["id"].(string)+"/cancel", nil))
	}
	servertest.DeliverAll(t, w.Service)
	for i, sent := range w.Deliveries(t, "") {
		again := servertest.Keyed("again-"+strconv.Itoa(i), "/v1/webhook-deliveries/"+sent.ID+"/redeliver", nil)
		done(t, w, again)
		redeliveries = append(redeliveries, again)
	}
	servertest.DeliverAll(t, w.Service)
	number, err := strconv.ParseInt(sold["buyer"].(object)["id"].(string), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v1.ID(number), redeliveries
}

// page is a list as callers see it.
type page struct {
	Results []object `json:"results"`
}

func TestAForgottenBuyerIsNowhereInTheDatabase(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		zoe, redeliveries := plantZoe(t, w)
		if w.Store.Dialect() == dialect.Postgres {
			fill(t, w, "ANALYZE") // the planner's samples have the data, too
		}
		if before := servertest.Traces(t, w.Store, zoesTraces...); len(before) < 20 {
			t.Fatalf("zoe's data are in too few places: %q", before)
		}
		answers := w.Count(t, "idempotency_keys", "1 = 1")
		got, err := w.Service.ForgetBuyer(t.Context(), zoe)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string(nil), servertest.Traces(t, w.Store, zoesTraces...)); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
		if file := servertest.DatabaseFile(t, w.Store); file != "" {
			if diff := cmp.Diff([]string(nil), servertest.FileTraces(t, file, zoesTraces...)); diff != "" {
				t.Errorf("what is left in the files (-want +got):\n%s", diff)
			}
		}
		if left := w.Count(t, "idempotency_keys", "1 = 1"); left != answers {
			t.Errorf("%d of %d keys are left", left, answers)
		}
		if n := w.Count(t, "ratings", "comment = 'Thanks, Zoe of the old name'"); n != 1 {
			t.Error("free text was changed")
		}

		t.Run("requests that are sent again are not carried out again", func(t *testing.T) {
			attempts := w.Count(t, "deliveries", "1 = 1")
			purchase := servertest.Keyed("purchase", "/v1/test/items/"+soldItem(t, w, zoe)+"/purchase", object{"buyer": buyerZoe()})
			for _, again := range append(redeliveries, purchase) {
				answer := w.Do(t, again)
				if answer.Status/100 != 2 || answer.Header.Get("Idempotent-Replayed") != "true" {
					t.Errorf("%s: %d %s", again.Path, answer.Status, answer.Body)
				}
			}
			if left := servertest.Traces(t, w.Store, zoesTraces...); len(left) > 0 || w.Count(t, "deliveries", "1 = 1") != attempts {
				t.Errorf("%q is back, and there are %d attempts after %d", left, w.Count(t, "deliveries", "1 = 1"), attempts)
			}
		})

		t.Run("one more run finds nothing to do", func(t *testing.T) {
			again, err := w.Service.ForgetBuyer(t.Context(), zoe)
			want := &privacy.ForgottenBuyer{ID: zoe, Nickname: got.Nickname, ForgottenAt: got.ForgottenAt}
			if diff := cmp.Diff(want, again); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	})
}

// soldItem is the item of a buyer's first sale.
func soldItem(t *testing.T, w *servertest.World, buyer v1.ID) string {
	t.Helper()
	sales := servertest.Into[page](t, w.Do(t, servertest.Request{Path: "/v1/sales?sort=sold_at_asc&buyer_id=" + buyer.String()})).Results
	return sales[0]["item_id"].(string)
}

// Older programs, which may run beside this one during an upgrade, do not note whom an answer shows.
func TestAnswersThatAnOlderProgramStoredForgetTheBuyer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		zoe, _ := plantZoe(t, w)
		dora := w.List(t, servertest.FixedPrice())
		done(t, w, servertest.Keyed("dora", "/v1/test/items/"+dora+"/purchase", object{"buyer": object{"nickname": "dora", "country": "FR"}}))
		fill(t, w, "UPDATE idempotency_keys SET buyer_id = NULL")
		if _, err := w.Service.ForgetBuyer(t.Context(), zoe); err != nil {
			t.Fatal(err)
		}
		if left := servertest.Traces(t, w.Store, zoesTraces...); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
		if n := w.Count(t, "idempotency_keys", "body LIKE '%\"nickname\":\"dora\"%'"); n != 1 {
			t.Errorf("the answer about dora: %d", n)
		}
	})
}

func TestAnAttemptUnderWayKeepsNothingOfAForgottenBuyer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		received, held := make(chan struct{}), make(chan struct{})
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Errorf("receive: %v", err)
			}
			close(received)
			<-held
			_, _ = w.Write(body)
		}))
		t.Cleanup(receiver.Close)
		sold := done(t, w, servertest.Request{
			Path: "/v1/test/items/" + w.List(t, servertest.FixedPrice()) + "/purchase", Body: object{"buyer": buyerZoe()},
		})
		hook := w.Subscribe(t, object{"url": receiver.URL, "events": []string{"sale.cancelled"}})
		done(t, w, servertest.Request{Path: "/v1/test/sales/" + sold["id"].(string) + "/cancel", Method: "POST"})
		sent := make(chan error, 1)
		go func() {
			_, err := w.Service.DeliverOnce(t.Context())
			sent <- err
		}()
		<-received
		number, err := strconv.ParseInt(sold["buyer"].(object)["id"].(string), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		forgotten, err := w.Service.ForgetBuyer(t.Context(), v1.ID(number))
		close(held)
		if err := errors.Join(err, <-sent); err != nil {
			t.Fatal(err)
		}
		if forgotten.UnderWay != 1 || forgotten.Responses != 0 {
			t.Errorf("%d attempts are under way, and %d responses emptied", forgotten.UnderWay, forgotten.Responses)
		}
		if left := servertest.Traces(t, w.Store, zoesTraces...); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
		log := w.Deliveries(t, "?webhook_id="+hook.ID)
		if len(log) != 1 || log[0].Status != "succeeded" || log[0].Response == nil || log[0].Response.Body != "" {
			t.Errorf("the log: %+v", log)
		}
	})
}

// Who is shown in an answer must be known when it is stored, so that no answer has to be searched.
func TestEveryStoredAnswerNamesTheBuyerWhomItShows(t *testing.T) {
	buyer, sent := reflect.TypeFor[v1.Buyer](), reflect.TypeFor[v1.Delivery]()
	for _, o := range slices.Concat(v1.Operations, v1.OperatorOperations) {
		if o.Method == "POST" && shows(o.Out, buyer) && !probe.NamesBuyer(reflect.New(o.Out).Interface()) {
			t.Errorf("the answer of %s shows a buyer, whom it does not name", o.Name)
		}
		if o.Method == "POST" && shows(o.Out, sent) && o.Out != sent {
			t.Errorf("the answer of %s has deliveries, which only sendByHand marks", o.Name)
		}
	}
}

// shows says whether values of a type can have values of another in them.
func shows(in, what reflect.Type) bool {
	switch {
	case in == what:
		return true
	case in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice || in.Kind() == reflect.Map:
		return shows(in.Elem(), what)
	case in.Kind() == reflect.Struct:
		for i := range in.NumField() {
			if shows(in.Field(i).Type, what) {
				return true
			}
		}
	}
	return false
}

// What a reset and the purger delete is promised to nobody by name, and still does not stay on the disk.
func TestDeletedTestDataAreGoneFromTheFile(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	plantZoe(t, w)
	if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/reset"}); got.Status != http.StatusAccepted {
		t.Fatalf("reset: %d %s", got.Status, got.Body)
	}
	for n := 1; n > 0; {
		var err error
		if n, err = w.Service.ResetOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := servertest.Traces(t, w.Store, zoesTraces...); len(left) > 0 {
		t.Fatalf("the reset left %q", left)
	}
	if _, err := w.Service.EraseOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := servertest.FileTraces(t, servertest.DatabaseFile(t, w.Store), zoesTraces...); len(left) > 0 {
		t.Errorf("left in the files: %q", left)
	}
}
