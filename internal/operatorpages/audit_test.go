package operatorpages

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

func TestAChangeIsShownMemberByMember(t *testing.T) {
	for name, test := range map[string]struct {
		before, after string
		want          []changedMember
	}{
		"made":    {"", `{"id":"1","rating":null,"limits":{"open_items":5,"new_items_per_day":null}}`, []changedMember{{"limits.open_items", "", "5"}}},
		"changed": {`{"status":"active","limits":{"open_items":null}}`, `{"status":"suspended","limits":{"open_items":5}}`, []changedMember{{"limits.open_items", "none", "5"}, {"status", "active", "suspended"}}},
		"removed": {`{"permissions":["items:read","sales:read"]}`, "", []changedMember{{"permissions", "items:read, sales:read", "none"}}},
		"erased":  {"", "", nil},
		"an object in place of nothing": {
			`{"cost":null,"updated_at":"2026-11-21T12:00:00Z","limits":{"open_items":null,"rate":1}}`,
			`{"cost":{"amount":"4.50"},"updated_at":"2026-11-21T12:00:01Z","limits":{"open_items":null,"rate":2}}`,
			[]changedMember{{"cost.amount", "none", "4.50"}, {"limits.rate", "1", "2"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c v1.AuditedChange
			c.Before.V.Text, c.Before.Set = test.before, test.before != ""
			c.After.V.Text, c.After.Set = test.after, test.after != ""
			if diff := cmp.Diff(test.want, changedMembers(c)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnActionIsShownInWords(t *testing.T) {
	for name, want := range map[string]string{
		"OperatorUpdateAccount": "update account", "RotateKey": "rotate key", "accounts create": "accounts create", "system": "system",
	} {
		if got := actionWords(name); got != want {
			t.Errorf("%s is shown as %q, not %q", name, got, want)
		}
	}
}
