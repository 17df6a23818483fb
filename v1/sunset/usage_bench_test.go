package sunset_test

import (
	"context"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// BenchmarkCountingACall counts calls of fifty keys, and stores the counts once for a thousand calls of them: as
// a server does that answers two hundred a second.
func BenchmarkCountingACall(b *testing.B) {
	w := servertest.New(b, servertest.SQLite(b))
	owner := v1.OwnerOf(w.Account, true)
	keys := make([]string, 50)
	for i := range keys {
		keys[i] = "key0000000" + string(rune('0'+i/10)) + string(rune('0'+i%10))
	}
	for n := 0; b.Loop(); n++ {
		w.Service.CountLegacyCall(v1.LegacyCall{Owner: owner, KeyID: keys[n%len(keys)], Call: "item"})
		if n%1000 == 999 {
			if _, err := w.Service.FlushLegacyUsageOnce(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
