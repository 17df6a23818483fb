package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"sellerd/ent"
	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/accounts"
)

// fillSubmissions writes submissions of many owners. A third of them wait.
func fillSubmissions(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner := v1.OwnerOf(w.Account, true)
	plantest.Fill(tb, w, plantest.Numbered(1, 20_000)+fmt.Sprintf(`INSERT INTO submissions (id, owner, status, created_at, publish_deadline, due_at,
 completed_at, shipping_model_id)
 SELECT 7000000 + i, %d + i %% 1000, CASE WHEN i %% 3 = 0 THEN 'pending' ELSE 'published' END, 1, 1, 1, CASE WHEN i %% 3 > 0 THEN 1 END, 100 + i FROM n`, owner))
	return owner
}

// TestALookForTheUseOfAModelReadsNoOtherSellersSubmissions explains the last of the statements that look for it.
func TestALookForTheUseOfAModelReadsNoOtherSellersSubmissions(t *testing.T) {
	plantest.OnAll(t, fillSubmissions, func(t *testing.T, w *servertest.World, owner v1.Owner, explain plantest.Explainer) {
		run, err := plantest.Reads(w, func(client *ent.Client) error {
			used, err := accounts.ShippingModelInUse(t.Context(), client, &ent.ShippingModel{ID: 7, Owner: int64(owner)}, 0)
			if used {
				t.Error("nothing has the model, and it is in use")
			}
			return err
		})
		if err != nil || len(run) != 3 {
			t.Fatalf("%d statements: %v", len(run), err)
		}
		if plan := explain(t, run[2].Text, run[2].Args); !strings.Contains(plan, "submissions_owner_due") {
			t.Errorf("%s does not follow submissions_owner_due:\n%s", run[2].Text, plan)
		}
	})
}
