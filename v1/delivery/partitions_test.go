package delivery_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/delivery"
)

// The tables of events and attempts may be kept in partitions by their ids one day, and a program that is replaced then has to
// work on them until it is stopped, or go back to them. Rows of different partitions have the same physical place, by which many
// statements find their rows. No statement may take the one for the other.

// partitioned is a world whose tables of events and attempts are in partitions, with n of each, an event of each
// dispatch. The first rows of all partitions have the same places.
func partitioned(t *testing.T, n int) (*servertest.World, v1.Owner, []int64) {
	t.Helper()
	w := servertest.New(t, servertest.Postgres(t))
	for _, table := range []string{"events", "deliveries"} {
		plantest.Fill(t, w, fmt.Sprintf(`ALTER TABLE %s RENAME TO one_%[1]s`, table),
			fmt.Sprintf(`CREATE TABLE %s (LIKE one_%[1]s INCLUDING DEFAULTS) PARTITION BY RANGE (id)`, table),
			fmt.Sprintf(`ALTER TABLE %s ADD PRIMARY KEY (id)`, table),
			fmt.Sprintf(`CREATE INDEX ON %s (owner, created_at, id)`, table))
		bounds := []string{"MINVALUE", "700", "1500", "2400", "MAXVALUE"} // of which two lie in the middle of a chunk of a walk
		for i, from := range bounds[:len(bounds)-1] {
			plantest.Fill(t, w, fmt.Sprintf(`CREATE TABLE %s_%d PARTITION OF %[1]s FOR VALUES FROM (%[3]s) TO (%s)`, table, i, from, bounds[i+1]))
		}
	}
	plantest.Fill(t, w, `CREATE INDEX ON deliveries (owner, event_id, created_at, id)`, `CREATE INDEX ON deliveries (owner, resource_id, created_at, id)`)
	owner := v1.OwnerOf(w.Account, true)
	hooks := plantest.FillWebhooks(t, w, owner, 3)
	plantest.FillDispatches(t, w, owner, hooks, n, "leased")
	return w, owner, hooks
}

// purged purges until nothing is left to purge.
func purged(t *testing.T, w *servertest.World) {
	t.Helper()
	engine := newEngine(t, w)
	for {
		n, err := engine.PurgeOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func TestAPurgeOfPartitionsDeletesWhatIsOldAndNothingElse(t *testing.T) {
	w, _, _ := partitioned(t, 3000)
	old := w.Clock.Now().AddDate(0, 0, -31).UnixMicro()
	plantest.Fill(t, w, `DELETE FROM dispatches`, `UPDATE deliveries SET status = 'succeeded'`,
		fmt.Sprintf(`UPDATE events SET created_at = %d WHERE id %% 3 = 0`, old), fmt.Sprintf(`UPDATE deliveries SET created_at = %d WHERE id %% 3 = 0`, old))
	purged(t, w)
	for _, table := range []string{"events", "deliveries"} {
		if all, wrong := w.Count(t, table, "1 = 1"), w.Count(t, table, "id % 3 = 0"); all != 2000 || wrong != 0 {
			t.Errorf("%d of %s are left, and %d of them are old; want the 2000 young ones", all, table, wrong)
		}
	}
}

func TestResponsesInPartitionsAreForgottenOneByOne(t *testing.T) {
	w, owner, _ := partitioned(t, 3000)
	old := w.Clock.Now().AddDate(0, 0, -8).UnixMicro()
	plantest.Fill(t, w, `DELETE FROM dispatches`, fmt.Sprintf(`UPDATE deliveries SET status = 'succeeded', response_body = 'thanks', started_at = %d - id %% 3 / 2 * %d`,
		w.Clock.Now().UnixMicro(), w.Clock.Now().UnixMicro()-old))
	purged(t, w)
	if empty, wrong := w.Count(t, "deliveries", "response_body = ''"), w.Count(t, "deliveries", "response_body = '' AND id % 3 <> 2"); empty != 1000 || wrong != 0 {
		t.Errorf("%d responses were forgotten, and %d of them are young; want 1000 and 0", empty, wrong)
	}
	plantest.Fill(t, w, `UPDATE events SET body = 'marked' WHERE id IN (3, 4, 1501, 2401)`)
	forgotten, err := newEngine(t, w).ForgetResponses(t.Context(), int64(owner), []string{"3", "4", "1501", "2401", "2500"}, "marked")
	if err != nil {
		t.Fatal(err)
	}
	if empty, wrong := w.Count(t, "deliveries", "response_body = ''"), w.Count(t, "deliveries", "response_body = '' AND id % 3 <> 2 AND id NOT IN (3, 4, 1501, 2401)"); forgotten.Emptied != 4 || empty != 1004 || wrong != 0 {
		t.Errorf("%d responses were emptied, %d are empty now, %d of them wrongly; want 4, 1004 and 0", forgotten.Emptied, empty, wrong)
	}
}

func TestOutcomesInPartitionsAreThoseOfTheirAttempts(t *testing.T) {
	w, owner, hooks := partitioned(t, 3000)
	engine := newEngine(t, w)
	for _, first := range []int64{1, 690, 1490, 2400} {
		for _, status := range []int{200, 500} {
			if err := engine.Settle(t.Context(), delivery.PretendAttempts(int64(owner), first+int64(status)/25, 8, hooks, status)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, status := range []string{"succeeded", "failed", "sending"} {
		got = append(got, fmt.Sprintf("%d %s", w.Count(t, "deliveries", "status = '"+status+"'"), status))
	}
	got = append(got, fmt.Sprintf("%d to come", w.Count(t, "dispatches", "1 = 1"))) // the attempts were their last ones
	want := []string{"32 succeeded", "32 failed", "2936 sending", "2936 to come"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if wrong := w.Count(t, "deliveries", "status = 'succeeded' AND NOT (id BETWEEN 9 AND 16 OR id BETWEEN 698 AND 705 OR id BETWEEN 1498 AND 1505 OR id BETWEEN 2408 AND 2415)"); wrong != 0 {
		t.Errorf("%d attempts have the outcomes of others", wrong)
	}
}
