package delivery

import (
	"net/http"
	"strconv"
	"time"

	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Settlers is how many groups of outcomes are stored at the same time.
const Settlers = settlers

// PretendAttempts are attempts that a receiver answered with a status: of the dispatches from an id on, as many as asked
// for, each with the delivery of the same id, leased with the token 1, round the webhooks given.
func PretendAttempts(owner int64, first int64, n int, webhooks []int64, status int) []*Attempt {
	header := http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"sellerd-webhooks/1"}, "Webhook-Id": {wire.EventID(first).String()},
		"Webhook-Timestamp": {"1795262400"}, "Webhook-Signature": {"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	}
	attempts := make([]*Attempt, n)
	for i := range attempts {
		id := first + int64(i)
		attempts[i] = &Attempt{
			Claimed: Claimed{
				Dispatch: id, delivery: id, event: id, webhook: webhooks[id%int64(len(webhooks))], owner: owner, token: 1, Number: 1,
				trigger: TriggerAutomatic, resource: "item/" + strconv.FormatInt(id, 10),
			},
			result: result{status: status, headers: header, answer: []byte(`{"ok":true}`), took: 5 * time.Millisecond},
		}
		if status != http.StatusOK {
			attempts[i].errorCode = codeHTTPStatus
		}
	}
	return attempts
}

// Statement is a statement with its arguments.
type Statement struct {
	Text string
	Args []any
}

// Statements are the statements of claims and settlements that must not look at more rows than they need, each
// with arguments.
func Statements(webhook int64, now wire.Time) map[string]Statement {
	first := func(set *rows.Set, row ...any) Statement {
		text, args, _ := set.Next(row)
		return Statement{text, args}
	}
	return map[string]Statement{
		"due webhooks":    {allPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"due dispatches":  {allPending.dispatches, []any{webhook, int64(now)}},
		"first webhooks":  {firstPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"first attempts":  {firstPending.dispatches, []any{webhook, int64(now)}},
		"recall strayed":  {recallStrayed, []any{int64(now), webhook, int64(now)}},
		"recall first":    {recallFirst, []any{int64(now), webhook, int64(now)}},
		"recall held":     {recallHeld, []any{int64(now), webhook, int64(now), int64(now)}},
		"lost deliveries": {lostDeliveries, []any{int64(now), int64(now.Add(longestLease))}},
		"in flight":       first(countLeased, webhook),
		"lease":           first(leaseDispatches, int64(1), int64(1), int64(1), int64(1), int64(0), int64(1)),
		"start":           first(startDeliveries, int64(1), int64(1), "https://example.com"),
		"park":            first(parkDispatches, int64(1), int64(1)),
		"live leases":     first(liveLeases, int64(1), int64(1)),
		"end":             first(endDeliveries, int64(1), "succeeded", true, "{}", int64(200), "", false, "x", int64(1), int64(1)),
		"next delivery":   first(nextDeliveries, int64(1), int64(2), "https://example.com", int64(1), int64(1)),
		"reschedule":      first(rescheduleDispatches, int64(1), int64(1), int64(1), int64(1)),
		"save health":     first(saveHealth, webhook, "active", int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), "failing", int64(1)),
		"drop":            first(dropDispatches, int64(1)),
		"wake":            first(wakeNext, webhook, "item/1", int64(1), int64(now)),
	}
}
