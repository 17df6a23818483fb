package v1_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
)

// echoed is the part of a delivery that says what was sent, and what a receiver repeated of it.
type echoed struct {
	ID          string  `json:"id"`
	EventType   string  `json:"event_type"`
	RequestBody *string `json:"request_body"`
	Response    struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	} `json:"response"`
}

// TestAnEchoIsHiddenWithWhatItRepeats looks at the deliveries of every event to a receiver that answers with what it gets, by keys
// with every choice of permissions to read.
func TestAnEchoIsHiddenWithWhatItRepeats(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				t.Errorf("read: %v", err)
			}
			answer.Write(body)
		}))
		t.Cleanup(receiver.Close)
		w.Subscribe(t, object{"url": receiver.URL})
		playEverything(t, w)
		for w.DeliverOnce(t) > 0 {
		}
		key := w.LesserKey(t, permission.WebhooksRead)
		reads := []permission.Set{permission.ItemsRead, permission.SalesRead, permission.BillsRead, permission.BuyersRead}
		of := map[string]permission.Set{
			"item": permission.ItemsRead, "submission": permission.ItemsRead,
			"sale": permission.SalesRead | permission.BuyersRead, "bill": permission.BillsRead | permission.BuyersRead,
		}
		carried := map[string]permission.Set{}
		for _, event := range v1.EventTypes {
			for member := range strings.FieldsSeq(event.Data) {
				carried[event.Name] |= of[member]
			}
		}
		for choice := range 1 << len(reads) {
			may := permission.WebhooksRead
			for i, one := range reads {
				if choice&(1<<i) != 0 {
					may |= one
				}
			}
			w.Permit(t, key, may)
			found := servertest.Into[pageOf[echoed]](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?limit=200", Key: key})).Results
			types := map[string]bool{}
			for _, d := range found {
				types[d.EventType] = true
				alone := servertest.Into[echoed](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries/" + d.ID, Key: key}))
				if diff := cmp.Diff(d, alone); diff != "" {
					t.Errorf("%s in the list, and alone (-list +alone):\n%s", d.EventType, diff)
				}
				hidden := may.Missing(carried[d.EventType]) != 0
				if d.Response.Status != 200 || hidden != (d.RequestBody == nil) || hidden != (d.Response.Body == "") {
					t.Errorf("%s with %v: request %t, answer %d %q", d.EventType, may.Names(), d.RequestBody != nil, d.Response.Status, d.Response.Body)
				}
			}
			if len(types) != len(v1.EventTypes) {
				t.Errorf("there are deliveries of %d types of event, not %d", len(types), len(v1.EventTypes))
			}
		}
	})
}

// TestAShortAnswerIsShownToEveryKey sends an event to receivers that answer with a word, with what they get, or with a part of it, and
// reads the deliveries with a key that may not read what was sent.
func TestAShortAnswerIsShownToEveryKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				t.Errorf("read: %v", err)
			}
			switch said := request.URL.Query().Get("say"); said {
			case "all":
				answer.Write(body)
			case "part":
				answer.Write(body[len(body)/2:])
			default:
				io.WriteString(answer, said)
			}
		}))
		t.Cleanup(receiver.Close)
		want := map[string]string{ // what a receiver says, and what the key sees of it
			"OK": "OK", "ok": "ok", "accepted": "accepted", "{}": "{}", "true": "true",
			"all": "", "part": "", "": "", "OK Anna": "", "anna@example.com": "",
		}
		for said := range want {
			w.Subscribe(t, object{"url": receiver.URL + "?say=" + url.QueryEscape(said), "events": []string{"item.published"}})
		}
		w.List(t, servertest.FixedPrice(nil))
		for w.DeliverOnce(t) > 0 {
		}
		key := w.LesserKey(t, permission.WebhooksRead)
		type addressed struct {
			URL string `json:"url"`
			echoed
		}
		got := map[string]string{}
		for _, d := range servertest.Into[pageOf[addressed]](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?limit=200", Key: key})).Results {
			target, err := url.Parse(d.URL)
			if err != nil || d.RequestBody != nil || d.Response.Status != 200 {
				t.Errorf("%s: %v, request %v, answer %d", d.URL, err, d.RequestBody, d.Response.Status)
				continue
			}
			got[target.Query().Get("say")] = d.Response.Body
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers that the key sees (-want +got):\n%s", diff)
		}
	})
}
