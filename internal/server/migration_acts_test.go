package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/guide"
)

// This file repeats commands of the migration guide, and reads what they answer where the guide says that it stands.

// TestTheGuideRatesOneBuyerAfterTheOther follows the guide's commands about feedback twice, for an item with two sales: the
// second one asks for the sale that is answered by the first.
func TestTheGuideRatesOneBuyerAfterTheOther(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		r := newReader(t, database(t))
		find, rate, ok := strings.Cut(r.guide.Call("item-feedback").Example.V1, "\n# rate its buyer\n")
		if !ok {
			t.Fatalf("the guide does not print two commands:\n%s", r.guide.Call("item-feedback").Example.V1)
		}
		sales := map[string]bool{}
		for range 2 {
			said, code := r.shell(t, "SALE=$("+find+" | first)\necho $SALE\n"+rate)
			sale, answer, _ := strings.Cut(said, "\n")
			if code != 0 || !strings.Contains(answer, `"status_code":201`) {
				t.Errorf("the commands ended with %d for the sale %q: %s", code, sale, answer)
			}
			sales[sale] = true
		}
		if len(sales) != 2 {
			t.Errorf("the sales that were rated are %v", sales)
		}
	})
}

// TestACommandOfTheGuideIsRepeatedAsOneAct runs a command that lists an item again and again: with the same ACT the item is
// listed once, and with another one it is another act.
func TestACommandOfTheGuideIsRepeatedAsOneAct(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		r := newReader(t, database(t))
		command := r.guide.Call("item-create").Example.V1
		before := r.w.Count(t, "submissions", "1 = 1")
		for i, test := range []struct {
			act      string
			replayed bool
		}{{"", false}, {"", true}, {"ACT=another-one\n", false}, {"ACT=another-one\n", true}} {
			said, code := r.shell(t, test.act+strings.Replace(command, "curl ", "curl -i ", 1))
			if got := strings.Contains(strings.ToLower(said), "idempotent-replayed: true"); code != 0 || got != test.replayed {
				t.Errorf("time %d ended with %d, replayed: %v\n%s", i+1, code, got, said)
			}
		}
		if listed := r.w.Count(t, "submissions", "1 = 1") - before; listed != 2 {
			t.Errorf("two acts listed %d items", listed)
		}
	})
}

// TestSalesAndBillsHaveTheNamesWhereTheGuideSays reads title and reference of a sold item through /rest, and finds them in
// /v1 where the tables, and with them the guide's sections, say that they stand.
func TestSalesAndBillsHaveTheNamesWhereTheGuideSays(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		table, err := translate.New()
		if err != nil {
			t.Fatal(err)
		}
		page := guide.New(table, w.Config.BaseURL)
		lot := w.List(t, servertest.FixedPrice(map[string]any{"title": "Postcard, Ghent", "personal_reference": "PC-77"}))
		if r := w.Do(t, servertest.Request{Path: "/v1/test/items/" + lot + "/purchase", Body: `{}`}); r.Status != 200 {
			t.Fatalf("purchase: %d %s", r.Status, r.Body)
		}
		sold := w.Rest(t, "GET", "/rest/item/fixedprice/sold", "", "X-Api-Key", w.Key)
		want := map[string]string{"title": sold.Text("body/item/title"), "personal_reference": sold.Text("body/item/personal_reference")}
		if want["title"] != "Postcard, Ghent" || want["personal_reference"] != "PC-77" {
			t.Fatalf("/rest says %q", want)
		}
		for _, id := range []string{"auction-sold", "fixedprice-sold", "item-buyer"} {
			found := map[string]map[string]string{}
			notes := strings.Join(page.Call(id).Notes, "\n")
			for _, place := range table.Lookup(id).Names {
				var answer struct {
					Results []any `json:"results"`
				}
				if err := json.Unmarshal(w.Do(t, servertest.Request{Path: place.Operation.Pattern}).Data, &answer); err != nil || len(answer.Results) != 1 {
					t.Fatalf("%s: %v, %d results", place.Operation.Pattern, err, len(answer.Results))
				}
				value, last := answer.Results[0], ""
				for last = range strings.SplitSeq(place.Path, ".") {
					name, list := strings.CutSuffix(last, "[]")
					object, _ := value.(map[string]any)
					if value = object[name]; list {
						value = value.([]any)[0]
					}
				}
				if found[place.Operation.Pattern] == nil {
					found[place.Operation.Pattern] = map[string]string{}
				}
				found[place.Operation.Pattern][last], _ = value.(string)
				object := map[string]string{"/v1/sales": "sale", "/v1/bills": "bill"}[place.Operation.Pattern]
				if !strings.Contains(notes, "`"+object+"."+place.Path+"`") || !strings.Contains(notes, "`GET "+place.Operation.Pattern+"`") {
					t.Errorf("the guide's section about %s does not name %s.%s of %s:\n%s", id, object, place.Path, place.Operation.Pattern, notes)
				}
			}
			if diff := cmp.Diff(map[string]map[string]string{"/v1/sales": want, "/v1/bills": want}, found); diff != "" {
				t.Errorf("%s (-/rest +/v1):\n%s", id, diff)
			}
		}
		for _, phase := range page.Phases {
			if text := strings.Join(phase.Text, " "); strings.Contains(text, "GET /v1/bills") && !strings.Contains(text, "`bill.sales[].title`") {
				t.Errorf("where the guide speaks of bills it does not say where the title is: %s", text)
			}
		}
	})
}
