package v1_test

import (
	"fmt"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// TestRemovingWordsMeetsFewPages changes titles of a seller who has many items, whatever PostgreSQL believes about their words.
func TestRemovingWordsMeetsFewPages(t *testing.T) {
	plantest.EachBelief(t, func(t *testing.T, w *servertest.World, costs *plantest.Costs) {
		owner := int64(v1.OwnerOf(w.Account, true))
		var given []any
		for i := range 8 {
			given = append(given, owner, fmt.Sprintf("word-%d", i), 1000+i)
		}
		removal := probe.WordRemoval(given)
		costs.Prepare(t, "removal", removal.Text, removal.Args)
		plantest.Fill(t, w, plantest.Numbered(1, 20_000)+fmt.Sprintf(`INSERT INTO item_words (owner, word, item_id) SELECT %d, 'word-' || i %% 100, i FROM n`, owner))
		costs.Filled(t)
		if plan, pages := costs.Of(t, "removal"); pages > 100 {
			t.Errorf("it meets %d pages:\n%s", pages, plan)
		}
	})
}
