package gate_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate/openapi"
	v1openapi "sellerd/v1/openapi"
)

// silent is the last release whose documents did not say how long texts and how wide numbers can be.
const silent = "1.2.0"

// released is a document of a release.
func released(t *testing.T, version, file string) document {
	t.Helper()
	files, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(files, "released/"+version+"/"+file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func parse(t *testing.T, text []byte) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWhatTheReleaseKeptMayBeWrittenDown compares a document that named no limits with one that does. Each limit excludes
// nothing that the release took.
func TestWhatTheReleaseKeptMayBeWrittenDown(t *testing.T) {
	before := released(t, silent, gate.Document)
	if _, said := before.at(itemIn + " properties category_id")["maxLength"]; said {
		t.Fatalf("%s was not silent", silent)
	}
	after := today(t)
	for path, name := range map[string]string{
		itemIn + " properties category_id":                 "maxLength", // of an id
		itemIn + " properties starts_at":                   "maxLength", // of the body
		items + " parameters q schema":                     "maxLength", // of the head
		"components schemas WebhookInput properties url":   "maxLength", // of a target
		"components schemas BuyerInput properties country": "maxLength", // of a pattern
		itemIn + " properties quantity":                    "format",
		itemOut + " properties bid_count":                  "format",
	} {
		if after.at(path)[name] == nil {
			t.Errorf("%s has no %s", path, name)
		}
	}
	for _, c := range compare(t, before, after) {
		if c.Kind == changelog.Breaking {
			t.Errorf("this is said to break %s: %s", silent, c.Text)
		}
	}
	for _, c := range compare(t, released(t, silent, gate.LegacyDocument), parse(t, openapi.Document("/"))) {
		if c.Kind == changelog.Breaking && aboutLimits(c) { // corrections name the others
			t.Errorf("this is said to break /rest: %s", c.Text)
		}
	}
}

// aboutLimits says whether a change is one of the length of texts or of the width of numbers.
func aboutLimits(c gate.Change) bool {
	return strings.Contains(c.Rule, "max-length") || strings.Contains(c.Rule, "-type-") || strings.Contains(c.Rule, "format")
}

// unkept is what a document may say, and no release kept.
type unkept struct {
	path, name string
	value      any
}

// TestWhatTheReleaseDidNotKeepIsNotWrittenDown: a limit that excludes something is a new one, and the comparison meets it.
func TestWhatTheReleaseDidNotKeepIsNotWrittenDown(t *testing.T) {
	for file, mistakes := range map[string]map[string]unkept{
		gate.Document: {
			"an id that is shorter than the longest":   {itemIn + " properties category_id", "maxLength", 19.0},
			"the id of an answer, too":                 {"components schemas Webhook properties id", "maxLength", 15.0},
			"the id of a path, too":                    {"paths /v1/webhooks/{id} patch parameters id schema", "maxLength", 15.0},
			"a shorter time of day":                    {itemIn + " properties preferred_end_time", "maxLength", 4.0},
			"a shorter country":                        {"components schemas BuyerInput properties country", "maxLength", 1.0},
			"a shorter URL":                            {"components schemas WebhookInput properties url", "maxLength", 2047.0},
			"less than the body":                       {"components schemas Shipment properties sent_at", "maxLength", 64<<10 - 1.0},
			"less than the largest of several bodies":  {"components schemas MoneyInput properties amount", "maxLength", 64 << 10},
			"less than the head":                       {items + " parameters q schema", "maxLength", 24<<10 - 1.0},
			"less than the head, of a header":          {"components parameters IfMatch schema", "maxLength", 1000.0},
			"the body's limit where there is no body":  {"components schemas Item properties title", "maxLength", 64 << 10},
			"what is in no list":                       {"components schemas Item properties url", "maxLength", 2048.0},
			"a pattern":                                {itemIn + " properties title", "pattern", "^[A-Z]+$"},
			"a least length":                           {itemIn + " properties description", "minLength", 1.0},
			"a narrow format for any number":           {itemOut + " properties bid_count", "format", "int32"},
			"a narrow format for a header":             {"components headers X-RateLimit-Reset schema", "format", "int32"},
			"a format that numbers do not have":        {itemIn + " properties quantity", "format", "even"},
			"a format of texts":                        {itemIn + " properties title", "format", "uuid"},
			"a format of texts that means nothing yet": {"components schemas Closing properties note", "format", "int64"},
		},
		gate.LegacyDocument: {
			"less than the head": {"paths /rest/item/{id_item} get parameters id_item schema", "maxLength", 24<<10 - 1.0},
			"less than the form": {"paths /rest/seller post requestBody content multipart/form-data schema properties apikey", "maxLength", 3*64<<10 - 1.0},
			"a shorter date":     {"paths /rest/item post requestBody content multipart/form-data schema properties date_end", "maxLength", 18.0},
			"less than the form of many": {
				"paths /rest/items post requestBody content multipart/form-data schema properties items items properties id_category",
				"maxLength", 3 * 64 << 10,
			},
		},
	} {
		now := map[string][]byte{gate.Document: v1openapi.Document("/"), gate.LegacyDocument: openapi.Document("/")}[file]
		for name, mistake := range mistakes {
			t.Run(file+": "+name, func(t *testing.T) {
				t.Parallel()
				mutant := parse(t, now)
				mutant.at(mistake.path)[mistake.name] = mistake.value
				text, err := gate.BreakSilence(encode(t, released(t, silent, file)), encode(t, mutant))
				if err != nil {
					t.Fatal(err)
				}
				if said, ok := parse(t, text).at(mistake.path)[mistake.name]; ok {
					t.Errorf("the release is said to have kept %v", said)
				}
			})
		}
	}
}

// TestWhatIsNotWrittenDownIsRefused is the same through the comparison as a whole.
func TestWhatIsNotWrittenDownIsRefused(t *testing.T) {
	mutant := today(t)
	mutant.at("components schemas MoneyInput properties amount")["maxLength"] = 64 << 10
	if got := gate.Verdict(compare(t, released(t, silent, gate.Document), mutant)); got != changelog.Breaking {
		t.Errorf("taken for: %s", got)
	}
	mutant = parse(t, openapi.Document("/"))
	mutant.at("paths /rest/item/{id_item} get parameters id_item schema")["maxLength"] = 20
	if changes := compare(t, released(t, silent, gate.LegacyDocument), mutant); !slices.ContainsFunc(changes, aboutLimits) {
		t.Error("/rest is taken for the same")
	}
}

// TestAnAnswerMayStillNotLoseALimit: silence is broken in one direction only.
func TestAnAnswerMayStillNotLoseALimit(t *testing.T) {
	mutant := today(t)
	mutant.without("components schemas Webhook properties id", "maxLength")
	if got := gate.Verdict(compare(t, today(t), mutant)); got != changelog.Breaking {
		t.Errorf("taken for: %s", got)
	}
}
