package hooks

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/secret"
	"sellerd/v1/wire"
)

// WebhookPatch is a change of a subscription. The description and what is left out can be cleared.
type WebhookPatch struct {
	URL          wire.Opt[string]   `json:"url" validate:"omitnil" target:"true" clear:"no" doc:"https on a public host"`
	Events       wire.Opt[[]string] `json:"events" validate:"omitnil,min=1,max=50" clear:"no" catalogue:"event patterns"`
	Description  wire.Opt[string]   `json:"description" validate:"omitnil,max=200,plaintext"`
	Status       wire.Opt[string]   `json:"status" validate:"omitnil,oneof=active paused" clear:"no" doc:"active also revives a disabled webhook and sends what was held"`
	RotateSecret wire.Opt[bool]     `json:"rotate_secret" validate:"omitnil" doc:"true makes a new secret; the old one signs beside it for 24 hours"`

	SkipKeyIDs wire.Opt[[]string] `json:"skip_key_ids" validate:"omitnil,max=10" since:"1.6.0" doc:"null skips none"`
	Changed    wire.Opt[[]string] `json:"changed" validate:"omitnil,min=1,max=100" catalogue:"item members" since:"1.6.0" doc:"null is any"`
}

// UpdateWebhookInput changes a subscription.
type UpdateWebhookInput struct {
	ID    wire.WebhookID           `path:"id" missing:"webhook_not_found"`
	Patch wire.Patch[WebhookPatch] `body:"json"`
}

// changesNothing says whether a patch has only rotate_secret: false.
func changesNothing(patch *wire.Patch[WebhookPatch]) bool {
	return !patch.To.RotateSecret.V && !slices.ContainsFunc(patch.Fields, func(field string) bool { return field != "rotate_secret" })
}

// updateWebhook changes a subscription. Pausing it holds its events, resuming it sends them. Only a new address is checked:
// an address that was valid when it was given does not prevent other changes.
func (s *Webhooks) updateWebhook(ctx context.Context, c *core.Call, in *UpdateWebhookInput) (*Webhook, error) {
	if changesNothing(&in.Patch) && c.Problems.Err() == nil {
		return nil, refusal.New(refusal.EmptyPatch)
	}
	to := &in.Patch.To
	for _, field := range []struct {
		name string
		set  bool
	}{{"url", to.URL.Set}, {"events", to.Events.Set}, {"status", to.Status.Set}} {
		if in.Patch.Names(field.name) && !field.set {
			c.Problems.Add(refusal.MissingField, field.name, "cannot be cleared")
		}
	}
	wire.CheckRules(to, "", &c.Problems)
	if known, err := s.keepsAddress(ctx, c, in.ID, to.URL); err != nil {
		return nil, err
	} else if !known {
		if err := s.checkWebhookURL(ctx, c, to.URL, &c.Problems); err != nil {
			return nil, err
		}
	}
	if err := s.checkNarrowing(ctx, c, &to.SkipKeyIDs, &to.Changed); err != nil {
		return nil, err
	}
	wanted := to.Events.V
	if to.Events.Set {
		to.Events.V = checkEvents(to.Events.V, &c.Problems)
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Webhook, error) {
		row, err := tx.lockWebhook(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if err := tx.permitWebhookPatch(ctx, c, row, &in.Patch, wanted); err != nil {
			return nil, err
		}
		return tx.patchWebhook(ctx, c, row, &in.Patch)
	})
}

// lockWebhook loads a webhook, whose row is locked first: a delivery that is being settled may disable the webhook meanwhile. By hand,
// because a builder cannot set a column to itself.
func (tx Change) lockWebhook(ctx context.Context, c *core.Call, id wire.WebhookID) (*ent.Webhook, error) {
	_, err := tx.ExecContext(ctx, `UPDATE webhooks SET updated_at = updated_at WHERE id = $1 AND owner = $2`, int64(id), int64(tx.Owner))
	if err != nil {
		return nil, fmt.Errorf("lock webhook %d: %w", id, err)
	}
	return tx.loadWebhook(ctx, c, id)
}

// permitWebhookPatch refuses a key that may not read what the webhook would be sent because of a change: of its events, of what is left
// out, of its address, or of its status to active. wanted are the events of the change as the caller listed them.
func (tx Change) permitWebhookPatch(ctx context.Context, c *core.Call, row *ent.Webhook, patch *wire.Patch[WebhookPatch], wanted []string) error {
	needed, changed := hookNeeds(row), sentOtherwise(row, patch)
	if len(changed) > 0 && c.May.Missing(needed)&permission.BuyersRead != 0 {
		return c.Permit(needed, changed[0])
	}
	if slices.Contains(changed, "events") {
		if err := permitEvents(c, wanted); err != nil {
			return err
		}
	}
	for _, field := range []string{"skip_key_ids", "changed", "url", "status"} {
		if !slices.Contains(changed, field) {
			continue
		}
		if err := c.Permit(needed, field); err != nil {
			return err
		}
		if field == "url" || field == "status" {
			return tx.permitWaiting(ctx, c, row.ID, field)
		}
	}
	return nil
}

// sentOtherwise are the fields of a patch that change what is sent, to whom, or how it is signed, in the order of the patch. What stays as
// it is, is no change. Neither is the description, nor a pause.
func sentOtherwise(row *ent.Webhook, patch *wire.Patch[WebhookPatch]) []string {
	to := &patch.To
	return slices.DeleteFunc(slices.Clone(patch.Fields), func(field string) bool {
		switch field {
		case "url":
			return to.URL.V == row.URL
		case "events":
			return wire.RawOf(to.Events.V).Text == row.Events
		case "status":
			return to.Status.V == delivery.WebhookPaused || to.Status.V == row.Status
		case "skip_key_ids":
			return equal(listToStore(to.SkipKeyIDs), row.SkipKeyIds)
		case "changed":
			return equal(listToStore(to.Changed), row.Changed)
		case "rotate_secret":
			return !to.RotateSecret.V
		default:
			return field == "description"
		}
	})
}

// permitWaiting refuses a key that may not read what the events carry that wait for a webhook. They can be events to which it
// does not subscribe any more. A key that may read everything is not held up by the look at them.
func (tx Change) permitWaiting(ctx context.Context, c *core.Call, id int64, field string) error {
	if c.May.Missing(eventNeeds(everyEvent)) == 0 {
		return nil
	}
	var waiting permission.Set
	err := rows.Query(ctx, tx.Client, `SELECT DISTINCT v.event_type FROM dispatches d JOIN deliveries v ON v.id = d.delivery_id WHERE d.webhook_id = $1 AND d.trigger <> $2`,
		[]any{id, delivery.TriggerTest}, func(found *sql.Rows) error {
			var kind string
			err := found.Scan(&kind)
			waiting |= eventNeeds(kind)
			return err
		})
	if err != nil {
		return fmt.Errorf("look at what waits for webhook %d: %w", id, err)
	}
	return c.Permit(waiting, field)
}

// keepsAddress says whether a change gives a subscription the address that it has. An address from /rest may begin with
// http. /v1 shows it, and accepts it from a program that sends back all that it has read.
func (s *Webhooks) keepsAddress(ctx context.Context, c *core.Call, id wire.WebhookID, url wire.Opt[string]) (bool, error) {
	if !url.Set {
		return true, nil
	}
	known, err := s.Store.Reader().Webhook.Query().Where(webhook.ID(int64(id)), webhook.Owner(int64(c.Owner)), webhook.URL(url.V)).Exist(ctx)
	return known, wrap.Err(err, "look for the webhook's address")
}

func (tx Change) patchWebhook(ctx context.Context, c *core.Call, row *ent.Webhook, patch *wire.Patch[WebhookPatch]) (*Webhook, error) {
	to := &patch.To
	url, events, key := to.URL.Or(row.URL), row.Events, row.EventsKey
	if to.Events.Set {
		events, key = wire.RawOf(to.Events.V).Text, eventsKey(to.Events.V)
		if row.Format != delivery.FormatStandard {
			key = row.Format + ":" + key
		}
	}
	if err := tx.webhookIsNew(ctx, row.ID, url, key); err != nil {
		return nil, err
	}
	update := tx.Webhook.UpdateOneID(row.ID).SetURL(url).SetEvents(events).SetEventsKey(key).SetUpdatedAt(int64(tx.Now))
	if patch.Names("description") {
		items.SetOrClear(to.Description.Ptr(), update.Mutation().SetDescription, update.Mutation().ClearDescription)
	}
	if patch.Names("skip_key_ids") {
		items.SetOrClear(listToStore(to.SkipKeyIDs), update.Mutation().SetSkipKeyIds, update.Mutation().ClearSkipKeyIds)
	}
	if patch.Names("changed") {
		items.SetOrClear(listToStore(to.Changed), update.Mutation().SetChanged, update.Mutation().ClearChanged)
	}
	secret, err := "", error(nil)
	if to.RotateSecret.V {
		if secret, err = tx.rotateSecret(row, update); err != nil {
			return nil, err
		}
		core.TraceFrom(ctx).Secret = true
	}
	if url != row.URL || to.Status.V == delivery.WebhookActive { // the stored health of the endpoint no longer applies
		update.SetFailures(0).SetBreakerLevel(0)
		update.Mutation().ClearFailingSince()
		update.Mutation().ClearFailingEventAt()
		update.Mutation().ClearPausedUntil()
		tx.Wake(core.DelivererWorker)
	}
	if to.Status.Set && to.Status.V != row.Status {
		update.SetStatus(to.Status.V).ClearDisabledReason()
		if to.Status.V == delivery.WebhookActive { // held events are sent, with their whole schedule
			update.SetResumedAt(int64(tx.Clock)).SetResuming(true)
		}
	}
	saved, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("update webhook %d: %w", row.ID, err)
	}
	out := webhookFrom(saved)
	c.Meta.ETag = out.tag()
	out.Secret = wire.Opt[string]{V: secret, Set: secret != ""}
	return &out, nil
}

// secretOverlap is how long the old secret signs beside the new one after a rotation (docs/seller/webhook-security.md, Change
// the secret).
const secretOverlap = 24 * time.Hour

// rotateSecret makes a new secret; the present one signs beside it for a day. One before that stops at once: rotating
// twice is the way to be rid of a secret that has leaked. A present one that does not open any more is dropped.
func (tx Change) rotateSecret(row *ent.Webhook, update *ent.WebhookUpdateOne) (string, error) {
	signing, err := tx.s.Secret.NewForWebhook()
	if err != nil {
		return "", err
	}
	sealed, err := tx.s.Secret.SealForWebhook(row.ID, signing)
	if err != nil {
		return "", err
	}
	update.SetSecret(sealed).SetSecretHint(secret.Hint(signing))
	if _, err := tx.s.Secret.OpenForWebhook(row.ID, row.Secret); err != nil {
		update.ClearPreviousSecret().ClearPreviousSecretUntil()
	} else {
		update.SetPreviousSecret(row.Secret).SetPreviousSecretUntil(int64(tx.Clock.Add(secretOverlap)))
	}
	return signing, nil
}
