package command_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

func newTable(t *testing.T) *translate.Table {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// decoded returns what a request of /rest means. ok is false if it is refused.
func decoded(t *testing.T, p *translate.Plan, path map[string]string, form string) (r *translate.Request, ok bool) {
	t.Helper()
	fields, err := translate.NewFields(pairsOf(t, form))
	if err != nil {
		t.Fatal(err)
	}
	r, errs := p.Decode(path, fields)
	return r, len(errs) == 0
}

// printed returns the requests of /v1 that a request of /rest means.
func printed(t *testing.T, id string, path map[string]string, form string) []command.Request {
	t.Helper()
	p := newTable(t).Lookup(id)
	r, ok := decoded(t, p, path, form)
	if !ok {
		t.Fatalf("%s is refused", form)
	}
	return command.Requests(p, r)
}

// parts are the parts of a printed request that a reader sees.
type parts struct {
	Request string
	Headers []string
	Key     string
	Body    string
}

func partsOf(requests []command.Request) (all []parts) {
	for _, r := range requests {
		all = append(all, parts{r.Step.Operation.Method + " " + r.Address, r.Headers, r.Key, r.Body})
	}
	return all
}

func TestRequestsOfCalls(t *testing.T) {
	item := map[string]string{"id_item": "4711"}
	for name, test := range map[string]struct {
		call string
		path map[string]string
		form string
		want []parts
	}{
		"a new item is one POST whose key names its reference": {
			"item-create", nil, "id_category=1021&title=Stamp&personal_reference=FR+1849/20c&fixed_price=4.5&currency=EUR",
			[]parts{{
				"POST /v1/items", nil, "list-FR-1849-20c-{act}",
				`{"sale_type":"fixed_price","category_id":"1021","title":"Stamp","personal_reference":"FR 1849/20c","price":{"amount":"4.50","currency":"EUR"}}`,
			}},
		},
		"a change is a PATCH, which needs no key": {
			"item-update", item, "title=Stamp", []parts{{"PATCH /v1/items/4711", nil, "", `{"title":"Stamp"}`}},
		},
		"a body that is empty and optional is left out": {
			"item-close", item, "", []parts{{"POST /v1/items/4711/close", nil, "close-4711-{act}", ""}},
		},
		"a body with a field is sent": {
			"item-close", item, "reason=LostOrBrokenItem",
			[]parts{{"POST /v1/items/4711/close", nil, "close-4711-{act}", `{"reason":"lost_or_broken"}`}},
		},
		"what the first step finds is a name in the second": {
			"item-feedback", item, "feedback=100",
			[]parts{
				{"GET /v1/sales?item_id=4711&rating_status=unrated&cancellation_status=none,requested,refused&limit=1", nil, "", ""},
				{"POST /v1/sales/{sale_id}/rating", nil, "rate-{sale_id}-{act}", `{"score":100}`},
			},
		},
		"the newest first is another sort, and a window has the limit of a page": {
			"auction-closed", nil, "startingItem=0&numberOfItems=1000&order=DESC",
			[]parts{{"GET /v1/items?sale_type=auction&status=unsold,closed&sort=created_at_desc&limit=200", nil, "", ""}},
		},
		"the oldest first is the usual sort": {
			"auction-closed", nil, "numberOfItems=20", []parts{{"GET /v1/items?sale_type=auction&status=unsold,closed&limit=20", nil, "", ""}},
		},
		"a language is a header": {
			"categories", nil, "language=F", []parts{{"GET /v1/categories", []string{"Accept-Language: fr"}, "", ""}},
		},
		"a call without an operation means no request": {"server-time", nil, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, partsOf(printed(t, test.call, test.path, test.form))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLinesLeaveOutTheKey(t *testing.T) {
	p := newTable(t).Lookup("item-close")
	r, _ := decoded(t, p, map[string]string{"id_item": "4711"}, "reason=LostOrBrokenItem")
	if diff := cmp.Diff([]string{"POST /v1/items/4711/close", `{"reason":"lost_or_broken"}`}, command.Requests(p, r)[0].Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABulkIsSentInBatches(t *testing.T) {
	const entries = v1.MaxBatch + 1
	var form strings.Builder
	for i := range entries {
		fmt.Fprintf(&form, "&items[%d][id_category]=1021&items[%d][title]=Stamp&items[%d][personal_reference]=A-%d&items[%d][fixed_price]=1", i, i, i, i, i)
	}
	batches := printed(t, "item-bulk", nil, form.String()[1:])
	if len(batches) != 2 {
		t.Fatalf("there are %d batches", len(batches))
	}
	if got := strings.Count(batches[0].Body, `"title":"Stamp"`); got != v1.MaxBatch || !strings.HasPrefix(batches[0].Body, `{"items":[{`) {
		t.Errorf("the first batch has %d items: %.40s", got, batches[0].Body)
	}
	if got := strings.Count(batches[1].Body, `"title":"Stamp"`); got != 1 || !strings.Contains(batches[1].Body, `"personal_reference":"A-100"`) {
		t.Errorf("the second batch has %d items: %s", got, batches[1].Body)
	}
	if diff := cmp.Diff([]string{"list-A-0-and-99-more-batch-1-{act}", "list-A-100-batch-2-{act}"}, []string{batches[0].Key, batches[1].Key}); diff != "" {
		t.Errorf("the keys (-want +got):\n%s", diff)
	}
}

func TestALongFieldIsCutInTheKey(t *testing.T) {
	long := strings.Repeat("9", 80) + "x"
	p := newTable(t).Lookup("item-restart")
	step := &p.Target.Steps[0]
	requests := command.Requests(p, &translate.Request{Path: map[string]string{"id": long}})
	if want := strings.NewReplacer("{id}", long[:64]).Replace(step.Act) + "-{act}"; requests[0].Key != want {
		t.Errorf("the key is %s, not %s", requests[0].Key, want)
	}
}

// TestEveryPOSTHasAKeyThatV1Accepts prints the requests of all samples.
func TestEveryPOSTHasAKeyThatV1Accepts(t *testing.T) {
	keys := 0
	for _, p := range newTable(t).Plans {
		for i := range p.Samples {
			sample := &p.Samples[i]
			r, ok := decoded(t, p, sample.Path, sample.Form)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			for _, request := range command.Requests(p, r) {
				if request.Step.Operation.Method != http.MethodPost {
					if request.Key != "" {
						t.Errorf("%s, %s: a %s has the key %s", p.ID, sample.Name, request.Step.Operation.Method, request.Key)
					}
					continue
				}
				keys++
				visible := !strings.ContainsFunc(request.Key, func(r rune) bool { return r <= ' ' || r > '~' })
				if !visible || len(request.Key) > 200 || !strings.HasSuffix(request.Key, "-"+command.ActPart) || seen[request.Key] {
					t.Errorf("%s, %s: the key %q is no key, or that of another request: %v", p.ID, sample.Name, request.Key, slices.Sorted(maps.Keys(seen)))
				}
				seen[request.Key] = true
			}
		}
	}
	if keys == 0 {
		t.Error("no sample is a POST of /v1")
	}
}

func TestAKeyHasNoEmptyParts(t *testing.T) {
	if got := command.CleanKey("list--A---1-{act}"); got != "list-A-1-{act}" {
		t.Errorf("%s", got)
	}
}
