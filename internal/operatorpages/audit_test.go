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
		"made":    {"", `{"id":"1","rating":null,"limits":{"open_items":5,"new_items_per_day":null}}`, []changedMember{{"id", "", "1"}, {"limits.open_items", "", "5"}}},
		"changed": {`{"status":"active","limits":{"open_items":null}}`, `{"status":"suspended","limits":{"open_items":5}}`, []changedMember{{"limits.open_items", "none", "5"}, {"status", "active", "suspended"}}},
		"removed": {`{"permissions":["items:read"]}`, "", []changedMember{{"permissions", `["items:read"]`, "none"}}},
		"erased":  {"", "", nil},
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
