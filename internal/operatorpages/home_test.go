package operatorpages

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"sellerd/v1"
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

func TestTheOverviewSaysFirstWhatIsWrong(t *testing.T) {
	failed := traffic{All: operation{Requests: 10, Failed: 1}}
	held := &v1.OperatorBacklog{}
	held.Waiting, held.Held, held.OldestDue = 1, 2, 5*time.Minute
	for name, test := range map[string]struct {
		backlog *v1.OperatorBacklog
		seen    traffic
		want    []string
	}{
		"nothing":          {&v1.OperatorBacklog{Submissions: 3, OldestSubmission: v1.WaitingSubmission{Age: time.Minute}}, traffic{}, nil},
		"no database":      {nil, traffic{}, []string{"bad waiting"}},
		"late submissions": {&v1.OperatorBacklog{Submissions: 3, OldestSubmission: v1.WaitingSubmission{Age: 15 * time.Minute}}, traffic{}, []string{"bad waiting"}},
		"late, failed, and held": {
			held, failed,
			[]string{"bad waiting", "bad metrics", "wait waiting"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, a := range alertsOf(test.backlog, test.seen) {
				got = append(got, a.State+" "+a.Section)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
