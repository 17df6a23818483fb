package v1_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// changesBy are the audited changes that a query selects, the newest first.
func changesBy(t *testing.T, w *servertest.World, query string) []v1.AuditedChange {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Path: "/operator/audit?" + query})
	if got.Status != 200 {
		t.Fatalf("the audit log: %d %s", got.Status, got.Body)
	}
	var all []v1.AuditedChange
	err := w.Service.EachAuditedChange(context.Background(), v1.AuditFilter{}, func(c *v1.AuditedChange) error { all = append(all, *c); return nil })
	if err != nil {
		t.Fatal(err)
	}
	page := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](t, got)
	var chosen []v1.AuditedChange
	for _, row := range page.Results {
		for _, change := range all {
			if change.ID.String() == row.ID {
				chosen = append(chosen, change)
			}
		}
	}
	return chosen
}

// inALine is a change in a line, without its ids and times.
func inALine(c v1.AuditedChange) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s > %s", c.Operator, c.Action, c.Before.V.Text, c.After.V.Text))
}

func TestAChangeIsAuditedWithWhatDiffers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		token := newOperator(t, w, "anna", "support")
		answer := w.DoOperator(t, servertest.Request{
			Method: "PATCH", Path: "/operator/accounts/" + accountID(w), Body: object{"status": "suspended", "limits": object{"open_items": 7}}, Key: token,
			Header: map[string]string{"X-Request-Id": "the-request"},
		})
		if answer.Status != 200 {
			t.Fatal(answer.Body)
		}
		got := changesBy(t, w, "operator=anna")
		limits := func(open string) string {
			return `{"requests_per_minute":null,"open_items":` + open + `,"new_items_per_day":null}`
		}
		want := []v1.AuditedChange{{
			At: v1.TimeOf(servertest.Start), Operator: "anna", Action: "OperatorUpdateAccount", AccountID: v1.Some(v1.ID(w.Account)), Target: accountID(w),
			RequestID: v1.Some("the-request"),
		}}
		want[0].Before.Set, want[0].Before.V.Text = true, `{"limits":`+limits("null")+`,"status":"active"}`
		want[0].After.Set, want[0].After.V.Text = true, `{"limits":`+limits("7")+`,"status":"suspended"}`
		want[0].ID = got[0].ID
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		refused := w.DoOperator(t, servertest.Request{Method: "PATCH", Path: "/operator/accounts/" + accountID(w), Body: object{"status": "gone"}, Key: token})
		if again := changesBy(t, w, "operator=anna"); refused.Status != 422 || len(again) != 1 {
			t.Errorf("after a refused change (%d) there are %d rows", refused.Status, len(again))
		}
	})
}

func TestKeysThatChangeThemselvesAreAudited(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		old := w.NewKey(t, w.Account, "test")
		prefix := func(key string) string { return key[:strings.LastIndex(key, "_")] }
		made := w.Do(t, servertest.Request{Path: "/v1/account/keys/current/rotate", Body: object{"overlap_seconds": 60}, Key: old})
		successor := servertest.Into[object](t, made)["key"].(string)
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/account/keys/current", Key: successor})

		got := changesBy(t, w, "account_id="+accountID(w)+"&limit=2")
		var who []string
		for _, change := range got {
			who = append(who, change.Operator+" "+change.Action)
			if text := inALine(change); strings.Contains(text, old[20:]) || strings.Contains(text, successor[20:]) || !change.RequestID.Set {
				t.Errorf("a secret, or no request: %s", text)
			}
		}
		if diff := cmp.Diff([]string{"key:" + prefix(successor) + " RevokeKey", "key:" + prefix(old) + " RotateKey"}, who); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestACommandIsAuditedWithItsUser(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		config := w.Config
		config.Actor = v1.OperatorActor{Name: "command:anna", Action: "keys rotate"}
		beside, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if _, _, err := beside.RotateKey(ctx, strings.Split(w.LiveKey, "_")[2], time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := beside.Suspend(ctx, w.Account, true); err != nil {
			t.Fatal(err)
		}
		if _, err := beside.SetShippingModels(ctx, w.Account, "live", []byte("[]")); err != nil {
			t.Fatal(err)
		}
		if _, err := beside.RevokeKey(ctx, strings.Split(w.Key, "_")[2]); err != nil {
			t.Fatal(err)
		}
		if got := changesBy(t, w, "operator=command:anna&action=keys+rotate"); len(got) != 4 || got[0].RequestID.Set {
			t.Errorf("%d changes: %+v", len(got), got)
		}
	})
}

// TestTheAuditLogHasNothingOfBuyers sells to a buyer with everything that is personal.
func TestTheAuditLogHasNothingOfBuyers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sale := buy(t, w, w.List(t, servertest.FixedPrice()))
		bill := "/operator/bills/" + sale["bill_id"].(string)
		operate(t, w, 200, bill+"/invoice", object{"shipping_cost": money("4.50", "EUR")})
		operate(t, w, 200, bill+"/payment", object{})
		operate(t, w, 200, "/operator/sales/"+sale["id"].(string)+"/cancellation", object{"decision": "request", "reason": "Carl says: broken"})
		rows := strings.Join(w.Dump(t, []string{"operator_audit"})["operator_audit"], "\n")
		for _, personal := range []string{"carl", "Carl", "Claes", "+32", "Kerkstraat", "broken"} {
			if strings.Contains(rows, personal) {
				t.Errorf("the log has %q: %s", personal, rows)
			}
		}
		var got []string
		for _, change := range changesBy(t, w, "operator=token") {
			got = append(got, change.Action)
		}
		if diff := cmp.Diff([]string{"OperatorCancellation", "OperatorPayment", "OperatorInvoice", "OperatorPurchase"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTheAuditLogIsReadInPagesAndKeptAYear(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for i := range 5 {
			newOperator(t, w, fmt.Sprintf("operator-%d", i), "read")
			if i < 3 { // the last ones are of the same instant
				w.Clock.Advance(time.Second)
			}
		}
		var got []string
		for after := ""; ; {
			answer := w.DoOperator(t, servertest.Request{Path: "/operator/audit?operator=system&limit=2" + after})
			page := servertest.Into[struct {
				Results []struct {
					Target string `json:"target"`
				} `json:"results"`
				Next *string `json:"next_cursor"`
			}](t, answer)
			for _, row := range page.Results {
				if strings.HasPrefix(row.Target, "operator-") {
					got = append(got, row.Target)
				}
			}
			if page.Next == nil {
				break
			}
			after = "&after=" + *page.Next
		}
		if diff := cmp.Diff([]string{"operator-4", "operator-3", "operator-2", "operator-1", "operator-0"}, got); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
		w.Clock.Advance(365*24*time.Hour - time.Second)
		if _, err := w.Service.SweepOnce(context.Background()); err != nil {
			t.Fatal(err)
		}
		got = nil
		for _, change := range changesBy(t, w, "") {
			got = append(got, change.Target)
		}
		if diff := cmp.Diff([]string{"operator-4", "operator-3"}, got); diff != "" {
			t.Errorf("after a year (-want +got):\n%s", diff)
		}
	})
}
