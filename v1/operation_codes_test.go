package v1_test

import (
	"slices"
	"testing"

	v1 "sellerd/v1"
)

func TestEveryErrorCodeIsAnsweredBySomeOperation(t *testing.T) {
	answered := []v1.Code{v1.RouteNotFound, v1.MethodNotAllowed} // where there is no operation
	for _, o := range v1.Operations {
		answered = append(answered, o.Codes()...)
	}
	never := []v1.Code{
		v1.MissingParameter, // no parameter is required yet
		v1.LegacyAPIRetired, // the legacy interface's
	}
	for _, info := range v1.ErrorCatalogue {
		if want := info.Status != 0 && !slices.Contains(never, info.Code); want != slices.Contains(answered, info.Code) {
			t.Errorf("%s: an operation answers it: %v", info.Code, !want)
		}
	}
}
