package operatorpages

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
)

func TestHowLongAnswersTook(t *testing.T) {
	histogram := func(answers uint64, within ...uint64) *dto.Histogram {
		h := &dto.Histogram{SampleCount: &answers}
		for i, bound := range []float64{.5, 2, 4} {
			if i < len(within) {
				h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: &within[i]})
			}
		}
		return h
	}
	for name, test := range map[string]struct {
		of             *dto.Histogram
		within, beyond time.Duration
	}{
		"nearly all soon":       {histogram(100, 99, 100, 100), 500 * time.Millisecond, 0},
		"some later":            {histogram(100, 98, 99, 100), 2 * time.Second, 0},
		"too many after it all": {histogram(100, 90, 95, 98), 0, 4 * time.Second},
		"no answers":            {histogram(0, 0, 0, 0), 0, 0},
		"no buckets":            {histogram(100), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOperation("")
			o.observe(test.of)
			got := o.done()
			if diff := cmp.Diff([]time.Duration{test.within, test.beyond}, []time.Duration{got.Within, got.Beyond}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
