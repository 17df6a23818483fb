package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"sellerd/translate/command"
	"sellerd/v1"
)

// translation is an answer of the tool translate.
type translation struct {
	Call          string `json:"call"`
	NothingToCall string `json:"nothing_to_call"`
	Instead       string `json:"instead"`
	Steps         []step `json:"steps"`
	Notes         []note `json:"notes"`
}

type step struct {
	Method    string         `json:"method"`
	Path      string         `json:"path"`
	Query     string         `json:"query"`
	Body      jsontext.Value `json:"body"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
}

type note struct{ Field, Kind, Text string }

func TestATranslationNamesTheToolThatDoesTheSame(t *testing.T) {
	a := offline(t)
	for name, test := range map[string]struct {
		request string
		want    []string // tools with their arguments
	}{
		"an item": {
			"curl -X POST https://rest.delcampe.net/item -d 'token=abc&title=Postcard&id_category=1010101&personal_reference=A-1&fixed_price=4.50'",
			[]string{`create_items {"items":[{"sale_type":"fixed_price","category_id":"1010101","title":"Postcard","personal_reference":"A-1","price":{"amount":"4.50","currency":"EUR"}}]}`},
		},
		"a change":   {"PUT /rest/item/4711?fixed_price=5.00", []string{`change {"operation":"updateItem","id":"4711","body":{"price":{"amount":"5.00"}}}`}},
		"a close":    {"DELETE /rest/item/4711?reason=TestItem", []string{`change {"operation":"closeItem","id":"4711","body":{"reason":"test"}}`}},
		"a list":     {"GET /rest/item/fixedprice/opened?numberOfItems=10", []string{`browse {"operation":"browseItems","status":["open"],"sale_type":["fixed_price"],"limit":10}`}},
		"an account": {"GET /rest/seller", []string{`read {"operation":"getAccount"}`}},
		"two steps": {"POST /rest/item/4711/feedback?feedback=100&comment=Thanks", []string{
			`browse {"operation":"browseSales","item_id":["4711"],"cancellation_status":["none","requested","refused"],"rating_status":"unrated","limit":1}`,
			`rate {"operation":"rateBuyer","id":"{sale_id}","body":{"score":100,"comment":"Thanks"}}`,
		}},
		"a setting": {
			"curl https://rest.delcampe.net/notification/settings -d notificationType=Curl_Seller_Item_Close_Sold -d destination=https://shop.example.com/hook",
			[]string{`webhooks {"operation":"createWebhook","body":{"events":["item.sold"],"url":"https://shop.example.com/hook","format":"legacy_xml"}}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := decoded[translation](t, a.tells(t, "translate", map[string]any{"request": test.request}))
			var calls []string
			for _, step := range got.Steps {
				calls = append(calls, step.Tool+" "+string(step.Arguments))
			}
			if diff := cmp.Diff(test.want, calls); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestACallWithoutASuccessorSaysWhatToDo(t *testing.T) {
	got := decoded[translation](t, offline(t).tells(t, "translate", map[string]any{"request": "POST /rest/seller?apikey=abc"}))
	if got.Call != "login" || got.Steps != nil || got.NothingToCall == "" || got.Instead == "" {
		t.Errorf("it answers %+v", got)
	}
}

// TestEveryOldCallLeadsToATool translates the samples of all calls. The arguments must be as the schema of the tool says, but for what a
// step before finds.
func TestEveryOldCallLeadsToATool(t *testing.T) {
	a := offline(t)
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	steps := 0
	for _, plan := range s.table.Plans {
		for i := range plan.Samples {
			text, failed := a.call(t, "translate", map[string]any{"request": command.Legacy(plan, &plan.Samples[i])})
			if failed {
				continue // a sample of a refusal
			}
			got := decoded[translation](t, text)
			if got.Call != plan.ID {
				continue // a sample that another call takes
			}
			for _, step := range got.Steps {
				steps++
				if step.Tool == "" {
					t.Errorf("%s: no tool does %s %s", plan.ID, step.Method, step.Path)
					continue
				}
				if !strings.Contains(string(step.Arguments), "{") || strings.ContainsAny(step.Path+step.Query, "{") || strings.Contains(string(step.Body), "{other") {
					continue
				}
				err := a.schemas[step.Tool].Validate(instance(t, step.Arguments))
				if err != nil && !strings.Contains(err.Error(), "missing propert") { // which the sample leaves out
					t.Errorf("%s: %s does not take %s: %v", plan.ID, step.Tool, step.Arguments, err)
				}
			}
		}
	}
	if steps < len(s.table.Plans) {
		t.Errorf("only %d steps were looked at", steps)
	}
}

func TestTheGuideIsReadAndSearched(t *testing.T) {
	a := offline(t)
	index := a.tells(t, "guide", map[string]any{})
	for _, want := range []string{"`POST /rest/item`", "item-create", "phase-keys", "differences"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %s", want)
		}
	}
	section := a.tells(t, "guide", map[string]any{"section": "item-close"})
	if !strings.HasPrefix(section, "### Take an item off sale") || !strings.Contains(section, "POST /v1/items/{id}/close") || !strings.Contains(section, "not_available") ||
		!strings.Contains(section, "**Refusals**") || strings.Contains(section, "### Sell an item again") {
		t.Errorf("the section is\n%s", section)
	}
	found := a.tells(t, "guide", map[string]any{"search": "Take off sale"})
	if !strings.Contains(found, "- Take an item off sale (section item-close): `DELETE /rest/item/{id_item}`") || strings.Contains(found, "section item-create") {
		t.Errorf("the search finds\n%s", found)
	}
	if none := a.tells(t, "guide", map[string]any{"search": "zeppelin"}); !strings.Contains(none, "No section") {
		t.Errorf("a search in vain: %s", none)
	}
	reference := a.tells(t, "guide", map[string]any{"operation": "submitItem"})
	for _, want := range []string{"POST /v1/items", "The tool create_items calls it.", "items:write", "`validate_only`", `"personal_reference"`, "unknown_category"} {
		if !strings.Contains(reference, want) {
			t.Errorf("the reference has no %s", want)
		}
	}
}

func TestErrorsAreExplained(t *testing.T) {
	a := offline(t)
	one := a.tells(t, "errors", map[string]any{"code": "item_not_open"})
	for _, want := range []string{"The item is not open.", "Read the item's status first.", "Status: 409", "https://api.example.com/errors/item_not_open", "closeItem"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q in\n%s", want, one)
		}
	}
	all := a.tells(t, "errors", map[string]any{})
	for _, info := range v1.ErrorCatalogue {
		if !strings.Contains(all, "- "+string(info.Code)) {
			t.Errorf("the list has no %s", info.Code)
		}
	}
	of := a.tells(t, "errors", map[string]any{"operation": "closeItem"})
	if !strings.Contains(of, "item_has_bids") || strings.Contains(of, "rating_exists") {
		t.Errorf("the errors of closeItem are\n%s", of)
	}
	i := slices.IndexFunc(v1.ErrorCatalogue, func(info v1.ErrorInfo) bool { return len(oldTexts(info.Code)) > 0 })
	info := v1.ErrorCatalogue[i]
	if found := a.tells(t, "errors", map[string]any{"search": oldTexts(info.Code)[0]}); !strings.Contains(found, string(info.Code)) {
		t.Errorf("a text of /rest does not find %s: %s", info.Code, found)
	}
	if ours := a.tells(t, "errors", map[string]any{"code": "no_answer"}); !strings.Contains(ours, "Then repeat the same call") {
		t.Errorf("a code of the tools: %s", ours)
	}
}
