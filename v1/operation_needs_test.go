package v1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "sellerd/v1"
)

func TestEachOperationNeedsAPermissionOrReadsReferenceData(t *testing.T) {
	for _, o := range v1.Operations {
		needed := o.Needs.Names()
		verb := ":write"
		if o.Method == "GET" {
			verb = ":read"
		}
		if len(needed) > 1 || len(needed) == 1 && !strings.HasSuffix(needed[0], verb) {
			t.Errorf("%s needs %q, want one permission that ends with %s", o.Name, needed, verb)
		}
	}
	var free []string
	for _, o := range v1.Operations {
		if o.Needs == 0 {
			free = append(free, o.Name)
		}
	}
	if diff := cmp.Diff([]string{"BrowseCategories", "BrowseShippingModels", "BrowseDeliveryServices"}, free); diff != "" {
		t.Errorf("operations that need no permission (-want +got):\n%s", diff)
	}
	for _, o := range v1.OperatorOperations {
		if o.Needs != 0 {
			t.Errorf("%s needs %s, but the operator has a token and no key", o.Name, o.Needs)
		}
	}
}
