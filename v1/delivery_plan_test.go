package v1_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// fillDeliveryLog writes so many deliveries as the planners shall see.
func fillDeliveryLog(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	return fillDeliveries(tb, w, shelf)
}

// fillDeliveries writes deliveries of two owners to a few webhooks of each. Most have succeeded, and one resource has been sent
// again and again. Rows are as long as they are in life, which decides whether a planner reads them all.
func fillDeliveries(tb testing.TB, w *servertest.World, rows int) v1.Owner {
	tb.Helper()
	owner := v1.OwnerOf(w.Account, true)
	fill(tb, w, deliveryRows(owner, 1, int64(rows)))
	return owner
}

// deliveryRows is the statement that writes the deliveries of some numbers.
func deliveryRows(owner v1.Owner, first, last int64) string {
	day := servertest.Start.UnixMicro()
	return numbered(first, last) + fmt.Sprintf(`INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url, request_headers, response_body,
 response_truncated, scheduled_at, created_at)
 SELECT 6000000 + i, %d + (i / 7 + 1) %% 2, i, 41 + i %% 2 + i %% 3 * 10, 500 + i / 2, CASE i %% 5 WHEN 0 THEN 'item.sold' WHEN 1 THEN 'item.updated' WHEN 2 THEN 'item.closed' WHEN 3 THEN 'payment.received' ELSE 'item.published' END,
 CASE WHEN i %% 4 < 2 THEN '1000001' ELSE 'r' || i END, 1, 'automatic', CASE i %% 23 WHEN 0 THEN 'failed' WHEN 1 THEN 'scheduled' WHEN 2 THEN 'sending' WHEN 3 THEN 'interrupted' WHEN 4 THEN 'cancelled' ELSE 'succeeded' END,
 true, 'https://example.com/', '{"webhook-signature":"%s"}', '%s', false, %d, %d + i * 7919 %% 24001 FROM n`,
		owner, strings.Repeat("s", 800), strings.Repeat("b", 800), day, day)
}

// deliveryFilters are the filters of GET /v1/webhook-deliveries.
var deliveryFilters = []plannedFilter{
	{"", "", ""},
	{"webhook_id=wh_15", "deliveries_webhook", "created_at"},
	{"webhook_id=wh_15,wh_1f", "deliveries_webhook", ""},
	{"event_id=evt_e0", "deliveries_event", "created_at"},
	{"event_id=evt_e0,evt_e2", "deliveries_event", ""},
	{"event_type=item.sold", "deliveries_type", "created_at"},
	{"event_type=item.sold,item.updated", "deliveries_type", ""},
	{"resource_id=1000001", "deliveries_resource", "created_at"},
	{"resource_id=1000001,r2", "deliveries_resource", ""},
	{"status=failed", "deliveries_status", "created_at"},
	{"status=failed,interrupted", "deliveries_status", ""},
	{"created_from=2020-01-01T00:00:00Z", "deliveries_owner", "created_at"},
	{"created_from=2020-01-01T00:00:00Z&created_to=2090-01-01T00:00:00Z", "deliveries_owner", "created_at"},
	{"webhook_id=wh_15&status=failed", "deliveries_webhook|deliveries_status", "created_at"},
	{"resource_id=1000001&event_type=item.sold", "deliveries_resource|deliveries_type", "created_at"},
	{"resource_id=1000001&created_from=2020-01-01T00:00:00Z", "deliveries_resource|deliveries_owner", "created_at"},
}

func TestPlansOfDeliveryPages(t *testing.T) {
	onBothPlanners(t, fillDeliveryLog, plannedList{
		tables: "deliveries", walkIndex: "deliveries_owner", sorts: []string{"created_at_desc"}, filters: deliveryFilters,
		statements: func(s *v1.Service, ctx context.Context, owner v1.Owner, query string, gather int) (probe.ListStatements, error) {
			query, _, _ = strings.Cut(query, "&sort=") // there is one order only
			return probe.Deliveries.Statements(s, ctx, owner, query, gather)
		},
	}.check)
}

func TestBothWaysThroughTheDeliveryLogMeetTheSameRows(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := fillDeliveries(t, w, 1500) // few enough to gather
		for _, filter := range deliveryFilters[1:] {
			query := filter.query + "&limit=7"
			var pages [2][]string
			for way, gather := range []int{probe.AlwaysWalk, probe.AlwaysGather} {
				after := ""
				for range 3 {
					page, err := probe.Deliveries.By(w.Service, context.Background(), owner, query+after, gather)
					if err != nil {
						t.Fatal(err)
					}
					for _, row := range page.Results {
						pages[way] = append(pages[way], row.ID.String())
					}
					if !page.NextCursor.Set {
						break
					}
					after = "&after=" + page.NextCursor.V
				}
			}
			if walked, gathered := strings.Join(pages[0], " "), strings.Join(pages[1], " "); walked != gathered || walked == "" {
				t.Errorf("%s:\nwalked   %s\ngathered %s", filter.query, walked, gathered)
			}
		}
	})
}
