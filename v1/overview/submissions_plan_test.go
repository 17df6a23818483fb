package overview_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sellerd/ent"
	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/overview"
)

// done is how many submissions are done, in front of a few that wait.
const done = 20_000

func fillSubmissions(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner, other := v1.OwnerOf(w.Account, true), v1.OwnerOf(w.Account, false)
	plantest.Fill(tb, w, plantest.Numbered(1, done)+fmt.Sprintf(`INSERT INTO submissions (id, owner, status, created_at, publish_deadline, due_at, completed_at)
 SELECT i, CASE WHEN i %% 2 = 0 THEN %[1]d ELSE %[2]d END, CASE WHEN i %% 1000 < 2 THEN 'pending' ELSE 'published' END, i, %[3]d - i, i,
 CASE WHEN i %% 1000 < 2 THEN NULL ELSE 1 END FROM n`, owner, other, 2*done))
	return owner
}

// What waits is read along indexes that have nothing else, however many submissions are done.
func TestPlansOfWhatWaits(t *testing.T) {
	plantest.OnBoth(t, fillSubmissions, func(t *testing.T, w *servertest.World, owner v1.Owner, explain plantest.Explainer) {
		for _, test := range []struct {
			index   string
			waiting int
			first   int64
			read    func(client *ent.Client) (waiting int, first *ent.Submission, err error)
		}{
			{"submissions_deadline", 40, done, func(client *ent.Client) (int, *ent.Submission, error) {
				return overview.Submissions(t.Context(), client)
			}},
			{"submissions_owner_due", 20, 1000, func(client *ent.Client) (int, *ent.Submission, error) {
				waiting, first, err := overview.SubmissionsOf(t.Context(), client, int64(owner), 5)
				if err == nil && len(first) != 5 {
					t.Fatalf("%d are shown", len(first))
				}
				return waiting, first[0], err
			}},
		} {
			t.Run(test.index, func(t *testing.T) {
				run, err := plantest.Reads(w, func(client *ent.Client) error {
					waiting, first, err := test.read(client)
					if err == nil && (waiting != test.waiting || first.ID != test.first) {
						t.Errorf("%d wait, and the first is %d", waiting, first.ID)
					}
					return err
				})
				if err != nil || len(run) != 2 {
					t.Fatalf("%d statements: %v", len(run), err)
				}
				for _, statement := range run {
					plan := explain(t, statement.Text, statement.Args)
					if !strings.Contains(plan, test.index) || regexp.MustCompile(`TEMP B-TREE|Sort|Seq Scan`).MatchString(plan) {
						t.Errorf("expected a walk along %s:\n%s\n%s", test.index, statement.Text, plan)
					}
				}
			})
		}
	})
}
