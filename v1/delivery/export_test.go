package delivery

import (
	"net/http"
	"slices"
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

// Statements are the statements of claims and settlements that must not look at more rows than they need, each with
// arguments. Those about rows that are given come as the texts for one row and for 32, about the rows from an id on.
func (e *Engine) Statements(webhook, id int64, now wire.Time) map[string]Statement {
	all := map[string]Statement{
		"due webhooks":    {allPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"due dispatches":  {allPending.dispatches, []any{webhook, int64(now)}},
		"first webhooks":  {firstPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"first attempts":  {firstPending.dispatches, []any{webhook, int64(now)}},
		"recall strayed":  {e.recallStrayed(), []any{int64(now), webhook, int64(now)}},
		"recall first":    {e.recallFirst(), []any{int64(now), webhook, int64(now)}},
		"recall held":     {e.recallHeld(), []any{int64(now), webhook, int64(now), int64(now)}},
		"rest by hand":    {e.restByHand(), []any{int64(now), webhook}},
		"lost deliveries": {lostDeliveries, []any{int64(now), int64(now.Add(longestLease))}},
		"unanswered":      {unansweredDeliveries + "2,3)", nil},
		"any held":        {anyHeld, nil},
		"adopt held":      {e.adoption(), nil},
	}
	for name, about := range map[string]struct {
		set *rows.Set
		row func(i int64) []any
	}{
		"in flight":   {countLeased, func(i int64) []any { return []any{webhook + i} }},
		"lease":       {e.on(leaseDispatches), func(i int64) []any { return []any{id + i, int64(1), int64(1), int64(1), int64(0), int64(1)} }},
		"start":       {e.on(startDeliveries), func(i int64) []any { return []any{id + i, int64(1), "https://example.com"} }},
		"number":      {e.on(numberDispatches), func(i int64) []any { return []any{id + i, int64(1)} }},
		"park":        {e.on(parkDispatches), func(i int64) []any { return []any{id + i, int64(1)} }},
		"live leases": {e.on(liveLeases), func(i int64) []any { return []any{id + i, int64(1)} }},
		"end": {e.on(endDeliveries), func(i int64) []any {
			return []any{id + i, "succeeded", true, "{}", int64(200), "", false, "x", int64(1), int64(1)}
		}},
		"next delivery": {e.on(nextDeliveries), func(i int64) []any { return []any{id + i, 1<<40 + i, "https://example.com", "", int64(1), int64(1)} }},
		"reschedule":    {e.on(rescheduleDispatches), func(i int64) []any { return []any{id + i, int64(1), int64(1), int64(1)} }},
		"save health": {saveHealth, func(i int64) []any {
			return []any{webhook + i, "active", int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), "failing", int64(1)}
		}},
		"drop":          {e.on(dropDispatches), func(i int64) []any { return []any{id + i} }},
		"drop unleased": {e.on(dropUnleased), func(i int64) []any { return []any{id + i} }},
		"wake":          {e.wakeNext(), func(i int64) []any { return []any{webhook + i, "item/1", int64(1), int64(now)} }},
		"cancel":        {e.on(cancelDeliveries), func(i int64) []any { return []any{id + i} }},
		"interrupt":     {e.on(interruptDeliveries), func(i int64) []any { return []any{id + i} }},
		"load bodies":   {e.on(loadBodies), func(i int64) []any { return []any{id + i} }},
	} {
		var set []any
		for i := range int64(32) {
			set = append(set, about.row(i)...)
		}
		text, args, _ := about.set.Next(set[:about.set.Width])
		all[name] = Statement{text, args}
		text, args, _ = about.set.Next(set)
		all[name+", 32 times"] = Statement{text, args}
	}
	for _, r := range append(slices.Clone(retentions), forgetResponses) { // of 32 rows
		args := []any{id, id + 32, int64(now) + 1}
		all[r.what+": the chunk"] = Statement{r.chunk(), []any{id}}
		all[r.what+": is any old, 32 times"] = Statement{r.anyOld(), args}
		if r.change != "" {
			all[r.what+", 32 times"] = Statement{e.retire(&r), args}
		}
	}
	all["old dispatches, 32 times"] = Statement{e.config.Store.SkipLocked(oldDispatches), []any{id, id + 32, int64(now) + 1}}
	return all
}
