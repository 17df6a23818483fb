package guide

import "testing"

func TestAnOperationOfANewFamilyIsShownInTheLastGroup(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/bills/{id}":        "Bills and trackings: what to send, and what was sent",
		"/v1/items/{id}/visits": "More operations",
		"/v1/coupons":           "More operations",
	} {
		if got := newGroups[groupOf(path)].title; got != want {
			t.Errorf("%s is in the group %q, not %q", path, got, want)
		}
	}
}
