package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

func TestBracketsOfAListAreExplained(t *testing.T) {
	for query, want := range map[string]string{
		"status[0]=open": "is not a parameter of this operation; write status= without brackets, with a comma between several values",
		"status[]=open":  "is not a parameter of this operation; write status= without brackets, with a comma between several values",
		"limit[0]=5":     "is not a parameter of this operation; write limit= without brackets",
		"colour[0]=red":  "is not a parameter of this operation",
		"statuses=open":  "is not a parameter of this operation",
	} {
		var into struct {
			Status []string      `query:"status"`
			Limit  wire.Opt[int] `query:"limit"`
		}
		var problems refusal.Problems
		if err := wire.BindQuery(query, &into, &problems); err != nil {
			t.Fatal(err)
		}
		var got string
		for _, p := range problems.Entries() {
			got += p.Message
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}
