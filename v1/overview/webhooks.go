package overview

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
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
	LastFailure    wire.Opt[Failure]   `json:"last_failure" doc:"the newest of its last 100 attempts that failed"`
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

// attemptsSeen is how many of a webhook's newest attempts are looked at.
const attemptsSeen = 100

// Webhooks returns what operators see of webhooks. textOf is the text of an id.
func Webhooks(ctx context.Context, client *ent.Client, hooks []*ent.Webhook, failed string, textOf func(id int64) string) ([]Webhook, error) {
	seen := make([]Webhook, len(hooks))
	for i, hook := range hooks {
		waiting, err := client.Dispatch.Query().Where(dispatch.WebhookID(hook.ID)).Count(ctx)
		if err != nil {
			return nil, fmt.Errorf("count what waits for webhook %d: %w", hook.ID, err)
		}
		seen[i] = Webhook{
			ID: textOf(hook.ID), URL: hook.URL, Status: hook.Status, DisabledReason: wire.Maybe(hook.DisabledReason),
			FailingSince: wire.MaybeTime(hook.FailingSince), LastSuccessAt: wire.MaybeTime(hook.LastSuccessAt), Waiting: waiting,
		}
		attempts, err := client.Delivery.Query().Where(delivery.Owner(hook.Owner), delivery.WebhookID(hook.ID)).
			Order(ent.Desc(delivery.FieldCreatedAt, delivery.FieldID)).Limit(attemptsSeen).
			Select(delivery.FieldStatus, delivery.FieldEventType, delivery.FieldAttempt, delivery.FieldResponseStatus, delivery.FieldErrorCode,
				delivery.FieldStartedAt, delivery.FieldCreatedAt, delivery.FieldNextAttemptAt).All(ctx)
		if err != nil {
			return nil, fmt.Errorf("load attempts of webhook %d: %w", hook.ID, err)
		}
		for _, attempt := range attempts {
			if attempt.Status == failed {
				seen[i].LastFailure = wire.Some(failureOf(attempt))
				break
			}
		}
	}
	return seen, nil
}

func failureOf(attempt *ent.Delivery) Failure {
	at := wire.Time(attempt.CreatedAt)
	if attempt.StartedAt != nil {
		at = wire.Time(*attempt.StartedAt)
	}
	return Failure{
		At: at, EventType: attempt.EventType, Attempt: attempt.Attempt, ResponseStatus: wire.Maybe(attempt.ResponseStatus),
		Error: wire.Maybe(attempt.ErrorCode), NextAttemptAt: wire.MaybeTime(attempt.NextAttemptAt),
	}
}
