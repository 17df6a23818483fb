package legacy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/legacy"
	"sellerd/v1"
)

// elsewhere is an API without a service or a database, as one that reaches a service over HTTP would be: it answers with
// what it was given, and writes down what it was asked for.
type elsewhere struct {
	answers map[string]any // results and errors of operations, by name
	items   []v1.Item
	asked   []string
}

func (a *elsewhere) note(parts ...string) { a.asked = append(a.asked, strings.Join(parts, " ")) }

func (a *elsewhere) Within(ctx context.Context, o *v1.Operation, c *legacy.Call, work func(context.Context) (any, error)) (any, error) {
	out, err := work(ctx)
	if o != nil && o.Publishes {
		c.Meta.Store = &v1.StoreLimitState{OpenLimit: 10, OpenUsed: 3}
	}
	return out, err
}

func (a *elsewhere) Enter(_ context.Context, _ string, c *legacy.Call, shown legacy.Credentials) error {
	switch {
	case shown.Refused != nil:
		return shown.Refused
	case shown.Session != "" && !strings.HasPrefix(shown.Session, "session-of-"):
		return legacy.InvalidSession()
	}
	c.Caller, c.Key = v1.Caller{AccountID: 5, Owner: v1.OwnerOf(5, false), KeyID: "its-id"}, shown.Key+strings.TrimPrefix(shown.Session, "session-of-")
	c.Meta.Rate = &v1.RateState{Limit: 180, Remaining: 179, ResetAfter: time.Second}
	return nil
}

func (a *elsewhere) Drills(context.Context) v1.RunningDrills { return nil }

func (a *elsewhere) InDrill(context.Context, *legacy.Call, v1.RunningDrills, legacy.Credentials) bool {
	return false
}

func (a *elsewhere) NewSession(c *legacy.Call) string { return "session-of-" + c.Key }

func (a *elsewhere) Run(_ context.Context, o *v1.Operation, c *legacy.Call, path map[string]string, query string, body []byte) (any, error) {
	key := ""
	if c.Idempotency != nil {
		key, _, _ = strings.Cut(c.Idempotency.Key, "-")
	}
	a.note(c.Key, o.Name, path["id"], query, string(body), key)
	if err, refused := a.answers[o.Name].(error); refused {
		return nil, err
	}
	if o == v1.BrowseItems.Operation {
		page := &v1.Page[v1.Item]{Results: a.items[:1]}
		if !strings.HasPrefix(query, "after=") {
			page.NextCursor = v1.Some("second")
		}
		return page, nil
	}
	return a.answers[o.Name], nil
}

func (a *elsewhere) ItemWindow(_ context.Context, c *legacy.Call, in *v1.BrowseItemsInput, w v1.Window) ([]v1.Item, error) {
	a.note(c.Key, "ItemWindow", strings.Join(in.SaleType, "|"), strings.Join(in.Status, "|"), in.Sort)
	return a.items[w.Start : w.Start+w.Count], nil
}

func (a *elsewhere) SaleWindow(context.Context, *legacy.Call, *v1.BrowseSalesInput, v1.Window) ([]v1.Sale, error) {
	return nil, errors.New("there are no sales")
}

func (a *elsewhere) ItemsByID(context.Context, *legacy.Call, []v1.ID) (map[v1.ID]v1.Item, error) {
	return nil, errors.New("there are no sales, so there are no items of sales")
}

func (a *elsewhere) CountCall(_ context.Context, c *legacy.Call, id string, lossy []string) {
	a.note(c.Key, "counts", id, strings.Join(lossy, "|"))
}

func (a *elsewhere) CountRetired(c *legacy.Call, id string, _ legacy.Credentials, _ bool) {
	a.note(c.Key, "counts retired", id)
}

func (a *elsewhere) Refusal(_ context.Context, err error) v1.Errors {
	var known v1.Errors
	if errors.As(err, &known) {
		return known
	}
	return v1.Errors{{Code: v1.ServiceUnavailable, Message: "The service does not answer."}}
}

func (a *elsewhere) KnownLimits(context.Context) v1.Meta { return v1.Meta{} }

// always is a clock that stands.
type always time.Time

func (c always) Now() time.Time { return time.Time(c) }

func TestAnotherAPIServesTheCallsWithoutAService(t *testing.T) {
	items := []v1.Item{{ID: 1000001, Title: "One"}, {ID: 1000002, Title: "Two"}, {ID: 1000003, Title: "Three"}}
	for _, test := range []struct {
		name, method, path, form string
		answers                  map[string]any
		status                   int
		body                     string // a part of it
		header                   [2]string
		asked                    []string
	}{
		{
			"a login answers the API's token", "POST", "/rest/seller", "apikey=K", nil,
			200, "<token>session-of-K</token>",
			[2]string{"X-Ratelimit-Remaining", "179"},
			[]string{"K counts login "},
		},
		{
			"a session is the key again", "GET", "/rest/item/1000001?token=session-of-K", "",
			map[string]any{"GetItem": &items[0]},
			200, "<title>One</title>",
			[2]string{"X-Ratelimit-Reset", "1790000001"},
			[]string{"K counts item ", "K GetItem 1000001   "},
		},
		{
			"a token of another API is refused", "GET", "/rest/item/1000001?token=K", "", nil,
			401, "log in again",
			[2]string{"WWW-Authenticate", "ApiKey"},
			nil,
		},
		{
			"a create comes with the key derived of it, and shows the limits", "POST", "/rest/item?token=session-of-K",
			"title=Lot&id_category=1010101&personal_reference=R1&fixed_price=12.5&currency=EUR&colour=red",
			map[string]any{"SubmitItem": &v1.Submission{PersonalReference: v1.Some("R1")}},
			200, "<personal_reference>R1</personal_reference>",
			[2]string{"X-Storelimit-Remaining", "7"},
			[]string{
				"K counts item-create colour",
				`K SubmitItem   {"sale_type":"fixed_price","category_id":"1010101","title":"Lot","personal_reference":"R1","price":{"amount":"12.50","currency":"EUR"}} rest`,
			},
		},
		{
			"a reference keeps its comma on every page", "GET", "/rest/item/reference/a,b?token=session-of-K", "", nil,
			200, "<title>One</title>",
			[2]string{},
			[]string{
				"K counts item-by-reference ",
				"K BrowseItems  exact_reference=a%2Cb&limit=200  ",
				"K BrowseItems  after=second&exact_reference=a%2Cb&limit=200  ",
			},
		},
		{
			"a list is a window", "GET", "/rest/item/auction/opened?token=session-of-K&startingItem=1&numberOfItems=2&order=DESC", "", nil,
			200, "<title>Three</title>",
			[2]string{},
			[]string{"K counts auction-opened startingItem", "K ItemWindow auction open created_at_desc"},
		},
		{
			"a refusal keeps its code", "DELETE", "/rest/item/1000001?token=session-of-K", "reason=TestItem",
			map[string]any{"CloseItem": v1.Errors{{Code: v1.ItemHasBids}}},
			409, "<errorCode>item_has_bids</errorCode>",
			[2]string{},
			[]string{"K counts item-close ", `K CloseItem 1000001  {"reason":"test"} `},
		},
		{
			"a failure is what the API says of it", "GET", "/rest/seller?token=session-of-K", "",
			map[string]any{"GetAccount": errors.New("connection refused")},
			503, "<errorCode>service_unavailable</errorCode>",
			[2]string{},
			[]string{"K counts seller ", "K GetAccount    "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			api := &elsewhere{answers: test.answers, items: items}
			h, err := legacy.New(legacy.Config{API: api, Clock: always(time.Unix(1790000000, 0)), BaseURL: "https://bridge.example"})
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.form))
			r.Header.Set("Content-Type", form)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.body) {
				t.Errorf("%d instead of %d with %s:\n%s", w.Code, test.status, test.body, w.Body)
			}
			if name := test.header[0]; name != "" && w.Header().Get(name) != test.header[1] {
				t.Errorf("%s: %q instead of %q", http.CanonicalHeaderKey(name), w.Header().Get(name), test.header[1])
			}
			if diff := cmp.Diff(test.asked, api.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}
