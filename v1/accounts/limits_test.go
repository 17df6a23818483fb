package accounts_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
	"sellerd/v1/accounts"
)

// The limits of an account and those of the service have the same highest values.
func TestLimitsEndWhereThoseOfTheServiceDo(t *testing.T) {
	got := map[string]string{}
	limits := reflect.TypeFor[accounts.LimitSettings]()
	for i := range limits.NumField() {
		got[limits.Field(i).Name] = limits.Field(i).Tag.Get("validate")
	}
	want := map[string]string{
		"RequestsPerMinute": fmt.Sprintf("omitnil,min=0,max=%d", v1.MaxRequestsPerMinute),
		"OpenItems":         fmt.Sprintf("omitnil,min=0,max=%d", v1.MaxItemLimit),
		"NewItemsPerDay":    fmt.Sprintf("omitnil,min=0,max=%d", v1.MaxItemLimit),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
