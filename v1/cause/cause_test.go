package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestACauseComesBackFromItsText(t *testing.T) {
	for _, want := range []Cause{
		{},
		{Via: ByMarketplace},
		{Via: ByV1, KeyID: "AbCdEfGhIjKl", RequestID: "req_1"},
		{Trace: "00-1-2-01"},
		{Via: ByV1, KeyID: "AbCdEfGhIjKl", RequestID: "req_1", Trace: "00-1-2-01"},
		{Via: ByOperator, RequestID: "request-1"},
		{Via: ByRest, KeyID: "0123456789ab"},
	} {
		text := want.Text()
		if diff := cmp.Diff(want, Parse(&text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := Parse(nil); got != (Cause{}) {
		t.Errorf("of no text: %+v", got)
	}
}

func TestAFilterWantsEvents(t *testing.T) {
	nothing, stock := "", "quantity quantity_available"
	for name, test := range map[string]struct {
		filter Filter
		event  Event
		want   bool
	}{
		"no filter":                        {Filter{}, Event{Type: Narrowed, KeyID: "a"}, true},
		"a key that is skipped":            {Filter{SkipKeys: []string{"b", "a"}}, Event{Type: "item.closed", KeyID: "a"}, false},
		"another key":                      {Filter{SkipKeys: []string{"b"}}, Event{Type: Narrowed, KeyID: "a"}, true},
		"no key":                           {Filter{SkipKeys: []string{""}}, Event{Type: Narrowed}, true},
		"a member that changed":            {Filter{Changed: []string{"price", "quantity"}}, Event{Type: Narrowed, Changed: &stock}, true},
		"the beginning of a member's name": {Filter{Changed: []string{"quan"}}, Event{Type: Narrowed, Changed: &stock}, false},
		"other members":                    {Filter{Changed: []string{"price"}}, Event{Type: Narrowed, Changed: &stock}, false},
		"no change":                        {Filter{Changed: []string{"price"}}, Event{Type: Narrowed, Changed: &nothing}, false},
		"what always changes":              {Filter{Changed: []string{Always}}, Event{Type: Narrowed, Changed: &nothing}, true},
		"another event":                    {Filter{Changed: []string{"price"}}, Event{Type: "item.moved"}, true},
		"a body with the member":           {Filter{Changed: []string{"price"}}, Event{Type: Narrowed, Body: `{"data":{"previous":{"price":null}}}`}, true},
		"a body without the member":        {Filter{Changed: []string{"price"}}, Event{Type: Narrowed, Body: `{"data":{"previous":{}}}`}, false},
		"a body that was too large":        {Filter{Changed: []string{"price"}}, Event{Type: Narrowed, Body: `{"data":{"truncated":["previous"]}}`}, true},
		"a body that is not read yet":      {Filter{Changed: []string{"price"}}, Event{Type: Narrowed}, true},
	} {
		if got := test.filter.Wants(&test.event); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
