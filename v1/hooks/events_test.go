package hooks

import (
	"slices"
	"strings"
	"testing"

	"sellerd/v1/cause"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"

	"github.com/google/go-cmp/cmp"
)

// A program of a later release may have stored events that this one does not know.
func TestAnUnknownEventNeedsEveryPermission(t *testing.T) {
	for pattern, want := range map[string]permission.Set{
		"sale.rated": permission.All, "item.closed": permission.ItemsRead, "item.*": permission.ItemsRead | permission.SalesRead | permission.BuyersRead,
	} {
		if got := eventNeeds(pattern); got != want {
			t.Errorf("%s needs %s instead of %s", pattern, got, want)
		}
	}
}

// FuzzWebhookEvents looks for lists of events whose normal form wants something else than they do, or is not one.
func FuzzWebhookEvents(f *testing.F) {
	for _, seed := range []string{
		"", "*", "item.*", "item.sold", "item.sold,sale.cancelled,item.sold", "sale.*,item.sold,item.*", "*,item.sold", ".*", "*.*", "item",
		"item.", "Item.sold", "item.sold\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		wanted := strings.Split(text, ",")
		var problems refusal.Problems
		normal := checkEvents(wanted, &problems)
		if problems.Err() != nil {
			return
		}
		for _, e := range EventTypes {
			if cause.Matches(wanted, e.Name) != cause.Matches(normal, e.Name) {
				t.Fatalf("%q and %q differ about %s", wanted, normal, e.Name)
			}
		}
		slices.Reverse(wanted)
		for _, same := range [][]string{wanted, normal, append(normal, normal...)} {
			if diff := cmp.Diff(normal, checkEvents(same, &problems)); diff != "" || problems.Err() != nil {
				t.Fatalf("the normal form of %q (-want +got): %v\n%s", same, problems.Err(), diff)
			}
		}
		if len(normal) == 0 || len(eventsKey(normal)) > 500 {
			t.Fatalf("%q has the normal form %q", wanted, normal)
		}
	})
}
