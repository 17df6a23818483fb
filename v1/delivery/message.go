package delivery

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/ent"
	"sellerd/internal/base/tracing"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file makes what is sent: the event, in the webhook's format, signed.

// jsonType is the content type of events in the standard format.
const jsonType = "application/json"

// loadEvents reads what is sent. It comes after the claim's commit, to keep the writer free.
func (e *Engine) loadEvents(ctx context.Context, attempts []*Attempt) error {
	byID := make(map[int64]*Attempt, len(attempts))
	ids := make([]int64, len(attempts))
	for i, a := range attempts {
		ids[i], byID[a.delivery] = a.delivery, a
	}
	err := e.on(loadBodies).Query(ctx, e.config.Store.Reader(), rows.IDs(ids), func(rows *sql.Rows) error {
		var id int64
		var headers, body string
		if err := rows.Scan(&id, &headers, &body); err != nil { // such as that the context has ended
			return err
		}
		if byID[id].body = body; e.config.Tracer != nil {
			byID[id].trace = tracing.FromHeaders(headers)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load events: %w", err)
	}
	e.renderAll(ctx, attempts)
	return nil
}

// renderAll puts the bodies of attempts into the format of their webhooks, where it is not the standard one. What cannot
// be rendered is not sent.
func (e *Engine) renderAll(ctx context.Context, attempts []*Attempt) {
	for _, a := range attempts {
		if a.format == FormatStandard || a.body == "" {
			continue
		}
		contentType, body, err := e.config.Render(ctx, a.format, a.url, a.body, a.owner)
		if err != nil {
			e.config.Logger.Error("an event cannot be rendered", "delivery", wire.DeliveryID(a.delivery).String(), "error", err)
			a.unrenderable = true
			continue
		}
		a.contentType, a.body = contentType, body
	}
}

// request is what a receiver gets: the event's bytes, signed as Standard Webhooks has it, with every live secret.
func (e *Engine) request(ctx context.Context, a *Attempt) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, strings.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	at := e.config.Clock.Now()
	id := wire.EventID(a.event).String()
	signatures := make([]string, len(a.secrets))
	for i, secret := range a.secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, fmt.Errorf("webhook %d: %w", a.webhook, err)
		}
		if signatures[i], err = signer.Sign(id, at, []byte(a.body)); err != nil {
			return nil, fmt.Errorf("webhook %d: %w", a.webhook, err)
		}
	}
	h := request.Header
	h.Set("Content-Type", cmp.Or(a.contentType, jsonType))
	h.Set("User-Agent", "sellerd-webhooks/1")
	// Not by Set, which spells them Webhook-Id: some gateways hand names on as they came, to receivers that look for the documented ones.
	h[standardwebhooks.HeaderWebhookID] = []string{id}
	h[standardwebhooks.HeaderWebhookTimestamp] = []string{strconv.FormatInt(at.Unix(), 10)}
	h[standardwebhooks.HeaderWebhookSignature] = []string{strings.Join(signatures, " ")}
	return request, nil
}

// liveSecrets are a webhook's secrets that sign now, newest first.
func (e *Engine) liveSecrets(row *ent.Webhook) ([]string, error) {
	secret, err := e.config.Unseal(row.ID, row.Secret)
	if err != nil {
		return nil, err
	}
	secrets := []string{secret}
	if row.PreviousSecretUntil != nil && wire.Time(*row.PreviousSecretUntil) > e.now() && len(row.PreviousSecret) > 0 {
		previous, err := e.config.Unseal(row.ID, row.PreviousSecret)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, previous)
	}
	return secrets, nil
}
