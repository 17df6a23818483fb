package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkWrite measures one small write by the number of callers; group is how many of them share a commit.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			db := newSQLite(b)
			ctx, cancel := context.WithCancel(b.Context()) // as requests have
			defer cancel()
			var next atomic.Int64
			var all sync.WaitGroup
			b.ReportAllocs()
			b.ResetTimer()
			for range callers {
				all.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if err := db.Write(ctx, insert(fmt.Sprint(i))); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			s := db.Stats()
			b.ReportMetric(float64(s.Writes)/float64(s.Commits), "group")
		})
	}
}
