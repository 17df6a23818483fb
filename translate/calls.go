package translate

import (
	"slices"
	"strings"
)

// Calls is the whole legacy interface, in the order of its documentation.
var Calls = slices.Concat(accountCalls, itemCalls, saleCalls, referenceCalls, notificationCalls)

// eachValue makes a sample for each value of an enumeration. The form holds the legacy word in place of %s, and the last line
// of the /v1 request holds /v1's word. Each pair is "legacy v1".
func eachValue(name string, path map[string]string, form string, lines []string, pairs ...string) []Sample {
	samples := make([]Sample, len(pairs))
	for i, pair := range pairs {
		legacy, word, _ := strings.Cut(pair, " ")
		v1 := slices.Clone(lines)
		last := len(v1) - 1
		v1[last] = strings.ReplaceAll(v1[last], "%s", word)
		samples[i] = Sample{Name: strings.TrimSpace(name + " " + legacy), Path: path, Form: strings.ReplaceAll(form, "%s", legacy), V1: v1}
	}
	return samples
}
