package weigh

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestElementsHaveTheirWeights(t *testing.T) {
	for header, want := range map[string][]string{
		"":                                   nil,
		" , ,":                               nil,
		"gzip":                               {"gzip 1"},
		"zstd;q=0.5, gzip ; Q=0.125,br;q=0.": {"zstd 0.5", "gzip 0.125", "br 0"},
		"*;q=1.000,fr_FR, de-CH;q=0":         {"* 1", "fr_FR 1", "de-CH 0"},
		"fr;q=2, de;q=0.1234, en;level=1":    {"fr;q=2 -1", "de;q=0.1234 -1", "en;level=1 -1"},
	} {
		var got []string
		for name, weight := range List(header) {
			got = append(got, fmt.Sprint(name, " ", weight))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
	}
}
