package v1_test

import (
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// TestAKeyThatOnlyLooksRightCountsNothing counts a call with the id of a key, another secret, and the right checksum.
func TestAKeyThatOnlyLooksRightCountsNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for key, want := range map[string]int{probe.ForgedKey("test", strings.Split(w.Key, "_")[2]): 0, w.Key: 1} {
			w.Service.CountLegacyKey(key, v1.LegacyCall{Call: "item"})
			n, err := w.Service.FlushLegacyUsageOnce(t.Context())
			if n != want || err != nil {
				t.Errorf("%d rows were stored, not %d: %v", n, want, err)
			}
		}
	})
}
