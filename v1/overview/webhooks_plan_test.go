package overview_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/overview"
)

// log is how many deliveries an owner has. Five webhooks share them: one fails now, more often than all that is read at once; the others
// failed once, at the beginning.
const log = 20_000

func fillLog(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner := v1.OwnerOf(w.Account, true)
	hooks := plantest.FillWebhooks(tb, w, owner, 5)
	at := servertest.Start.UnixMicro()
	plantest.Fill(tb, w, fmt.Sprintf("UPDATE webhooks SET failing_since = %d WHERE id IN (%d, %d)", at, hooks[0], hooks[1]))
	plantest.Fill(tb, w, plantest.Numbered(1, 2*log)+fmt.Sprintf(`INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url,
 request_headers, response_body, response_truncated, scheduled_at, created_at, error_code)
 SELECT i, %d + i %% 2, i, %d + i / 2 %% 5, i, 'item.sold', '' || i, 1, 'automatic',
 CASE WHEN i <= 10 OR i / 2 %% 5 = 0 THEN 'failed' WHEN i / 2 %% 5 = 1 THEN 'scheduled' ELSE 'succeeded' END, true, 'https://example.com/', '%s', '', false, %d, %d + i, 'timeout' FROM n`,
		owner, hooks[0], strings.Repeat("h", 800), at, at))
	return owner
}

// What an operator sees of failing webhooks costs a few steps along an index, however many deliveries there are.
func TestPlansOfTheNewestFailures(t *testing.T) {
	plantest.OnBoth(t, fillLog, func(t *testing.T, w *servertest.World, owner v1.Owner, explain plantest.Explainer) {
		hooks, err := w.Store.Reader().Webhook.Query().Order(ent.Asc(webhook.FieldID)).All(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var seen []overview.Webhook
		run, err := plantest.Reads(w, func(client *ent.Client) (err error) {
			seen, err = overview.Webhooks(t.Context(), client, hooks, 0, "failed", func(id int64) string { return fmt.Sprint(id) })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, hook := range seen {
			got = append(got, fmt.Sprintf("%s %s", hook.ID, hook.LastError.V))
		}
		// Of those that work, no failure is among the newest attempts.
		if diff := cmp.Diff([]string{"1 timeout", "2 timeout", "3 ", "4 ", "5 "}, got); diff != "" {
			t.Errorf("the webhooks, those that fail first (-want +got):\n%s", diff)
		}
		explained := 0
		for _, statement := range run {
			if !regexp.MustCompile(`FROM .deliveries.`).MatchString(statement.Text) {
				continue
			}
			explained++
			plan := explain(t, statement.Text, statement.Args)
			if !regexp.MustCompile(`deliveries_(webhook|status)`).MatchString(plan) || regexp.MustCompile(`TEMP B-TREE|Sort|(Seq Scan on|SCAN) deliveries( |$)`).MatchString(plan) {
				t.Errorf("expected a walk along an index:\n%s\n%s", statement.Text, plan)
			}
		}
		if explained != 5 { // all at once, and one for each that is not among them
			t.Errorf("%d statements read deliveries, want 5", explained)
		}
	})
}
