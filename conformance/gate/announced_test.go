package gate_test

import (
	"slices"
	"testing"

	"sellerd/changelog"
	"sellerd/conformance/gate"
)

func TestAnEntryCallsChangesWhatTheyAre(t *testing.T) {
	addition := []gate.Change{{Text: "a member more", Rule: "response-property-added", Kind: changelog.Addition}}
	deprecation := []gate.Change{{Text: "an operation will end", Rule: "endpoint-deprecated", Kind: changelog.Deprecation}}
	both := slices.Concat(addition, deprecation)
	for name, c := range map[string]struct {
		kind       changelog.Kind
		categories []string
		changes    []gate.Change
		right      bool
	}{
		"an addition":                            {changelog.Addition, nil, addition, true},
		"a fix that changes nothing else":        {changelog.Fix, nil, nil, true},
		"a fix that says that it adds":           {changelog.Fix, []string{"addition"}, addition, true},
		"a fix that hides what it adds":          {changelog.Fix, []string{"v1"}, addition, false},
		"an addition that adds nothing":          {changelog.Addition, nil, nil, false},
		"a fix that hides a deprecation":         {changelog.Fix, []string{"addition"}, deprecation, false},
		"a deprecation":                          {changelog.Deprecation, nil, deprecation, true},
		"an addition that also deprecates":       {changelog.Addition, []string{"deprecation"}, both, true},
		"an addition that hides a deprecation":   {changelog.Addition, nil, both, false},
		"a fix that adds and deprecates":         {changelog.Fix, []string{"addition", "deprecation"}, both, true},
		"a fix with a category that is not used": {changelog.Fix, []string{"addition"}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			err := gate.Announced(changelog.Release{Version: "1.2.1", Kind: c.kind, Categories: c.categories}, c.changes)
			if (err == nil) != c.right {
				t.Errorf("Announced says %v", err)
			}
		})
	}
}
