package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMigratingNotesTheModelsOfWhatWaits brings a database with submissions in every state to the present schema. What is not noted
// of one that waits is taken for any model.
func TestMigratingNotesTheModelsOfWhatWaits(t *testing.T) {
	before := `INSERT INTO submissions (id, owner, status, draft, created_at, publish_deadline, due_at, completed_at) VALUES
 (1, 4, 'pending', '{"title":"Stamp","shipping_model_id":"1000017","weight_grams":3}', 1, 2, 1, NULL),
 (2, 4, 'processing', '{"title":"Stamp","shipping_model_id":"9223372036854775807"}', 1, 2, 1, NULL),
 (3, 4, 'pending', '{"title":"Stamp","shipping_model_id":null}', 1, 2, 1, NULL),
 (4, 5, 'pending', '{"title":"Stamp","description":"\"shipping_model_id\":\"1000017\"","shipping_model_id":"1000018"}', 1, 2, 1, NULL),
 (5, 5, 'pending', '{"title":"Stamp","description":"\"shipping_model_id\":\"1000017\"","shipping_model_id":null}', 1, 2, 1, NULL),
 (8, 5, 'pending', '{"title', 1, 2, 1, NULL),
 (6, 5, 'published', '', 1, 2, 1, 2),
 (7, 5, 'rejected', '', 1, 2, 1, 2)`
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 14, database, before)
		open(t, Config{URL: database.url})
		got := linesOf(t, pool, "SELECT id || ' ' || coalesce(shipping_model_id, -1) FROM submissions ORDER BY id")
		want := []string{"1 1000017", "2 9223372036854775807", "3 0", "4 1000018", "5 0", "6 -1", "7 -1", "8 0"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("submissions with their models (-want +got):\n%s", diff)
		}
	})
}
