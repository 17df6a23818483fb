package overview

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
	"sellerd/v1/wire"
)

// Webhook is a webhook as an operator sees it: where its events go, and how that works. Its secret is not among it.
type Webhook struct {
	ID             string              `json:"id"`
	URL            string              `json:"url"`
	Status         string              `json:"status" enum:"active paused disabled"`
	DisabledReason wire.Opt[string]    `json:"disabled_reason" enum:"failing gone" doc:"null unless it is disabled"`
	FailingSince   wire.Opt[wire.Time] `json:"failing_since" doc:"null while it works"`
	LastSuccessAt  wire.Opt[wire.Time] `json:"last_success_at"`
	Waiting        int                 `json:"waiting" doc:"events that are not delivered yet, those of a paused webhook too"`
	LastFailure    wire.Opt[Failure]   `json:"last_failure" doc:"the newest attempt that failed, of a webhook that works now among the newest ones"`
	LastError      wire.Opt[string]    `json:"last_error" doc:"the error of last_failure"`
}

// Failure is an attempt to deliver an event that failed.
type Failure struct {
	At             wire.Time           `json:"at"`
	EventType      string              `json:"event_type"`
	Attempt        int                 `json:"attempt" doc:"from 1"`
	ResponseStatus wire.Opt[int64]     `json:"response_status" doc:"of HTTP; null without an answer"`
	Error          wire.Opt[string]    `json:"error" doc:"as in GET /v1/webhook-deliveries"`
	NextAttemptAt  wire.Opt[wire.Time] `json:"next_attempt_at"`
}

// failuresSeen is how many of an owner's newest failures are looked at for all webhooks at once, and attemptsSeen how many of the newest
// attempts of a webhook that is not among them and works now.
const (
	failuresSeen = 1000
	attemptsSeen = 100
)

// Webhooks returns what operators see of an owner's webhooks now, those that fail first. textOf is the text of an id.
func Webhooks(ctx context.Context, client *ent.Client, hooks []*ent.Webhook, now wire.Time, failed string,
	textOf func(id int64) string,
) ([]Webhook, error) {
	seen := make([]Webhook, len(hooks))
	newest, err := newestFailures(ctx, client, hooks, failed)
	if err != nil {
		return nil, err
	}
	for i, hook := range hooks {
		waiting, err := client.Dispatch.Query().Where(dispatch.WebhookID(hook.ID)).Count(ctx)
		if err != nil {
			return nil, fmt.Errorf("count what waits for webhook %d: %w", hook.ID, err)
		}
		seen[i] = Webhook{
			ID: textOf(hook.ID), URL: hook.URL, Status: hook.Status, DisabledReason: wire.Maybe(hook.DisabledReason),
			FailingSince: wire.MaybeTime(hook.FailingSince), LastSuccessAt: wire.MaybeTime(hook.LastSuccessAt), Waiting: waiting,
		}
		attempt := newest[hook.ID]
		if attempt == nil {
			if attempt, err = newestFailure(ctx, client, hook, failed); err != nil {
				return nil, err
			}
		}
		if attempt != nil {
			failure := failureOf(attempt)
			if failure.NextAttemptAt, err = nextAttempt(ctx, client, hook, attempt, now); err != nil {
				return nil, err
			}
			seen[i].LastFailure, seen[i].LastError = wire.Some(failure), failure.Error
		}
	}
	slices.SortStableFunc(seen, func(a, b Webhook) int { return cmp.Compare(a.rank(), b.rank()) })
	return seen, nil
}

// Worst returns the webhooks of all owners that have failed the longest, the longest first, at most limit.
func Worst(ctx context.Context, client *ent.Client, limit int) ([]*ent.Webhook, error) {
	found, err := client.Webhook.Query().Where(webhook.FailingSinceNotNil()).
		Order(ent.Asc(webhook.FieldFailingSince, webhook.FieldID)).Limit(limit).All(ctx)
	return found, wrap.Err(err, "find failing webhooks")
}

// rank is the place of a webhook in the list: disabled, failing, working.
func (w *Webhook) rank() int {
	switch {
	case w.DisabledReason.Set:
		return 0
	case w.FailingSince.Set:
		return 1
	default:
		return 2
	}
}

// failureColumns are what an operator sees of an attempt.
var failureColumns = []string{
	delivery.FieldWebhookID, delivery.FieldDispatchID, delivery.FieldStatus, delivery.FieldEventType, delivery.FieldAttempt,
	delivery.FieldResponseStatus, delivery.FieldErrorCode, delivery.FieldStartedAt, delivery.FieldCreatedAt, delivery.FieldNextAttemptAt,
}

// newestFailures are the newest failures of an owner's webhooks, as far as they are among the owner's newest. They are read by
// status: before the failures of a webhook that fails hard lie all its attempts that wait.
func newestFailures(ctx context.Context, client *ent.Client, hooks []*ent.Webhook, failed string) (map[int64]*ent.Delivery, error) {
	newest := map[int64]*ent.Delivery{}
	if len(hooks) == 0 {
		return newest, nil
	}
	attempts, err := client.Delivery.Query().Where(delivery.Owner(hooks[0].Owner), delivery.Status(failed)).
		Order(ent.Desc(delivery.FieldCreatedAt, delivery.FieldID)).Limit(failuresSeen).Select(failureColumns...).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load failures: %w", err)
	}
	for _, attempt := range attempts {
		if newest[attempt.WebhookID] == nil {
			newest[attempt.WebhookID] = attempt
		}
	}
	return newest, nil
}

// newestFailure is the newest failure of a webhook, nil without one. Of a webhook that fails it is found however old it is.
func newestFailure(ctx context.Context, client *ent.Client, hook *ent.Webhook, failed string) (*ent.Delivery, error) {
	query := client.Delivery.Query().Where(delivery.Owner(hook.Owner), delivery.WebhookID(hook.ID)).
		Order(ent.Desc(delivery.FieldCreatedAt, delivery.FieldID)).Limit(attemptsSeen)
	if hook.FailingSince != nil || hook.DisabledReason != nil {
		query.Where(delivery.Status(failed)).Limit(1)
	}
	attempts, err := query.Select(failureColumns...).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load attempts of webhook %d: %w", hook.ID, err)
	}
	for _, attempt := range attempts {
		if attempt.Status == failed {
			return attempt, nil
		}
	}
	return nil, nil
}

func failureOf(attempt *ent.Delivery) Failure {
	at := wire.Time(attempt.CreatedAt)
	if attempt.StartedAt != nil {
		at = wire.Time(*attempt.StartedAt)
	}
	return Failure{
		At: at, EventType: attempt.EventType, Attempt: attempt.Attempt, ResponseStatus: wire.Maybe(attempt.ResponseStatus),
		Error: wire.Maybe(attempt.ErrorCode),
	}
}

// nextAttempt is when the attempt after a failure begins, if it still waits for that: an event may have arrived before its time, as after a
// resume, and that of a webhook which is not active is held.
func nextAttempt(ctx context.Context, client *ent.Client, hook *ent.Webhook, failure *ent.Delivery, now wire.Time) (next wire.Opt[wire.Time], err error) {
	if failure.NextAttemptAt == nil || wire.Time(*failure.NextAttemptAt) <= now || hook.Status != "active" {
		return next, nil
	}
	waits, err := client.Dispatch.Query().Where(dispatch.ID(failure.DispatchID)).Exist(ctx)
	if err != nil {
		return next, fmt.Errorf("look whether an event waits for webhook %d: %w", hook.ID, err)
	}
	next.V, next.Set = wire.Time(*failure.NextAttemptAt), waits
	return next, nil
}
