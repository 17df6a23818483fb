package hooks

import (
	"context"
	"errors"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/ent/webhook"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/outbound"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/secret"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// Webhook is a subscription to events (docs/seller/webhooks.md).
type Webhook struct {
	ID             wire.WebhookID      `json:"id"`
	URL            string              `json:"url"`
	Events         wire.Raw[[]string]  `json:"events" catalogue:"event patterns" doc:"names, item.* and the like, or *"`
	Format         string              `json:"format" enum:"standard legacy_xml" since:"1.2.0" doc:"legacy_xml is for programs that read the notifications of /rest"`
	Description    wire.Opt[string]    `json:"description"`
	Status         string              `json:"status" enum:"active paused disabled"`
	DisabledReason wire.Opt[string]    `json:"disabled_reason" enum:"failing gone" doc:"failing: nothing succeeded for five days; gone: the receiver answered 410"`
	FailingSince   wire.Opt[wire.Time] `json:"failing_since"`
	Secret         wire.Opt[string]    `json:"secret" doc:"shown only when it was just made"`
	SecretHint     string              `json:"secret_hint"`
	CreatedAt      wire.Time           `json:"created_at"`
	UpdatedAt      wire.Time           `json:"updated_at"`

	SkipKeyIDs wire.Opt[wire.Raw[[]string]] `json:"skip_key_ids" since:"1.6.0" doc:"keys whose changes are not sent, nor those of the keys that followed them by rotation; null for none"`
	Changed    wire.Opt[wire.Raw[[]string]] `json:"changed" catalogue:"item members" since:"1.6.0" doc:"item.updated is sent only if one of these members of the item changed; null for any"`

	SettingNumber wire.Opt[int64] `json:"-"` // what programs of the earlier interface call it, if they can
}

func webhookFrom(row *ent.Webhook) Webhook {
	return Webhook{
		ID: wire.WebhookID(row.ID), URL: row.URL, Events: wire.Raw[[]string]{Text: row.Events}, Format: row.Format,
		Description: wire.MaybeText(row.Description), Status: row.Status,
		DisabledReason: wire.Maybe(row.DisabledReason), FailingSince: wire.MaybeTime(row.FailingSince), SecretHint: row.SecretHint,
		CreatedAt: wire.Time(row.CreatedAt), UpdatedAt: wire.Time(row.UpdatedAt),
		SkipKeyIDs: storedList(row.SkipKeyIds), Changed: storedList(row.Changed),
		SettingNumber: wire.Maybe(row.SettingNumber),
	}
}

func storedList(stored *string) wire.Opt[wire.Raw[[]string]] {
	if stored == nil {
		return wire.Opt[wire.Raw[[]string]]{}
	}
	return wire.Some(wire.Raw[[]string]{Text: *stored})
}

// tag is the ETag of a subscription in the form of reads, without the secret.
func (w Webhook) tag() string { return etag.Of(wire.EncodeJSON(nil, &w)) }

// WebhookInput is the input of a new subscription.
type WebhookInput struct {
	URL         wire.Opt[string]   `json:"url" validate:"required" target:"true" doc:"https on a public host"`
	Events      wire.Opt[[]string] `json:"events" validate:"omitnil,min=1,max=50" catalogue:"event patterns" default:"*"`
	Format      wire.Opt[string]   `json:"format" validate:"omitnil,oneof=standard legacy_xml" default:"standard" since:"1.2.0" doc:"legacy_xml is for programs that read the notifications of /rest; it cannot change"`
	Description wire.Opt[string]   `json:"description" validate:"omitnil,max=200,plaintext"`
	Status      wire.Opt[string]   `json:"status" validate:"omitnil,oneof=active paused" default:"active"`

	SkipKeyIDs wire.Opt[[]string] `json:"skip_key_ids" validate:"omitnil,max=10" since:"1.6.0" doc:"ids of your keys whose changes are not sent, nor those of the keys that follow them by rotation; an id is the part of a key between its second and its third underscore"`
	Changed    wire.Opt[[]string] `json:"changed" validate:"omitnil,min=1,max=100" catalogue:"item members" since:"1.6.0" doc:"send item.updated only if one of these members of the item changed; null for any"`
}

// CreateWebhookInput makes a subscription.
type CreateWebhookInput struct {
	Webhook WebhookInput `body:"json"`
}

// WebhookRef names a subscription in a path.
type WebhookRef struct {
	ID wire.WebhookID `path:"id" missing:"webhook_not_found"`
}

// checkWebhookURL adds the errors of a receiver's address. Its length is limited in bytes too, because it is part of an
// index, and PostgreSQL limits the size of an index entry. A port that is not allowed any more is allowed to an account that has a
// webhook at this address: programs of /rest subscribe again at each start.
func (s *Webhooks) checkWebhookURL(ctx context.Context, c *core.Call, url wire.Opt[string], problems *refusal.Problems) error {
	if !url.Set {
		return nil
	}
	err := s.CheckAddress(c, url.V)
	if err == nil && len(url.V) > outbound.MaxURLLength {
		err = outbound.URLTooLong
	}
	if errors.Is(err, outbound.URLHTTPSPort) || errors.Is(err, outbound.URLHTTPPort) {
		known, failed := s.Store.Reader().Webhook.Query().Where(webhook.Owner(int64(c.Owner)), webhook.URL(url.V)).Exist(ctx)
		if failed != nil {
			return fmt.Errorf("look for webhooks at the address: %w", failed)
		}
		if known {
			return nil
		}
	}
	if err != nil {
		problems.Add(refusal.InvalidWebhookURL, "url", "%s", err)
	}
	return nil
}

// NeededToRead are the permissions to read what the webhook is sent. See core.NeedsToRead.
func (w *Webhook) NeededToRead() permission.Set { return patternsNeed(w.Events) }

// hookNeeds is NeededToRead for the row of a webhook.
func hookNeeds(row *ent.Webhook) permission.Set {
	return patternsNeed(wire.Raw[[]string]{Text: row.Events})
}

func patternsNeed(stored wire.Raw[[]string]) permission.Set {
	patterns, err := stored.Value()
	if err != nil {
		return permission.All
	}
	return subscriptionNeeds(patterns)
}

func subscriptionNeeds(patterns []string) (needed permission.Set) {
	for _, pattern := range patterns {
		needed |= eventNeeds(pattern)
	}
	return needed
}

// createWebhook subscribes to events. The secret is in the answer, and only there.
func (s *Webhooks) createWebhook(ctx context.Context, c *core.Call, in *CreateWebhookInput) (*Webhook, error) {
	wire.CheckRules(&in.Webhook, "", &c.Problems)
	if err := s.checkWebhookURL(ctx, c, in.Webhook.URL, &c.Problems); err != nil {
		return nil, err
	}
	events := checkEvents(in.Webhook.Events.Or([]string{everyEvent}), &c.Problems)
	if in.Webhook.Format.V == FormatLegacyXML && s.notifications == nil {
		c.Problems.Add(refusal.InvalidValue, "format", "the deprecated interface is not there any more")
	}
	if err := s.checkNarrowing(ctx, c, &in.Webhook.SkipKeyIDs, &in.Webhook.Changed); err != nil {
		return nil, err
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if err := permitSubscription(c, in.Webhook.Events); err != nil {
		return nil, err
	}
	signing, err := s.Secret.NewForWebhook()
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Webhook, error) {
		key, format := eventsKey(events), in.Webhook.Format.Or(delivery.FormatStandard)
		if format != delivery.FormatStandard {
			key = format + ":" + key // the same events in another format are another subscription
		}
		if err := tx.webhookIsNew(ctx, 0, in.Webhook.URL.V, key); err != nil {
			return nil, err
		}
		if tx.Webhooks >= core.MaxWebhooks {
			return nil, refusal.With(refusal.WebhookLimitReached, map[string]any{"limit": core.MaxWebhooks})
		}
		id := s.IDs.Ordered()
		sealed, err := s.Secret.SealForWebhook(id, signing)
		if err != nil {
			return nil, err
		}
		row, err := tx.Webhook.Create().SetID(id).SetOwner(int64(tx.Owner)).SetURL(in.Webhook.URL.V).SetEvents(wire.RawOf(events).Text).
			SetEventsKey(key).SetFormat(format).SetNillableDescription(in.Webhook.Description.Ptr()).
			SetStatus(in.Webhook.Status.Or(delivery.WebhookActive)).
			SetNillableSkipKeyIds(listToStore(in.Webhook.SkipKeyIDs)).SetNillableChanged(listToStore(in.Webhook.Changed)).
			SetSecret(sealed).SetSecretHint(secret.Hint(signing)).SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("store webhook: %w", err)
		}
		if err := tx.countWebhooks(ctx, 1); err != nil {
			return nil, err
		}
		out := webhookFrom(row)
		c.Meta.ETag = out.tag()
		out.Secret = wire.Some(signing)
		c.Meta.Location = "/v1/webhooks/" + out.ID.String()
		return &out, nil
	})
}

// webhookIsNew is an error if there is a subscription with the same events and address.
func (tx Change) webhookIsNew(ctx context.Context, id int64, url, eventsKey string) error {
	twin, err := tx.Webhook.Query().Where(webhook.Owner(int64(tx.Owner)), webhook.URL(url), webhook.EventsKey(eventsKey), webhook.IDNEQ(id)).
		FirstID(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the same webhook: %w", err)
	}
	known := wire.WebhookID(twin).String()
	return refusal.Newf(refusal.WebhookExists, "",
		"The webhook %s has this URL and these events. If its secret is lost, PATCH it with rotate_secret: true; the answer has a new secret.", known).
		With(map[string]any{"webhook_id": known})
}

func (tx Change) countWebhooks(ctx context.Context, n int) error {
	return wrap.Err(tx.Client.Owner.Update().Where(owner.ID(int64(tx.Owner))).AddWebhookCount(n).Exec(ctx), "count webhooks")
}

// getWebhook reads one of the caller's subscriptions.
func (s *Webhooks) getWebhook(ctx context.Context, c *core.Call, in *WebhookRef) (*Webhook, error) {
	row, err := s.Reads.Reader().Webhook.Query().Where(webhook.ID(int64(in.ID)), webhook.Owner(int64(c.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.WebhookNotFound, "webhook", int64(in.ID))
	}
	return new(webhookFrom(row)), nil
}

// browseWebhooks lists the caller's subscriptions, of which there are few.
func (s *Webhooks) browseWebhooks(ctx context.Context, c *core.Call, in *items.ShortListInput) (*rows.Page[Webhook], error) {
	found, err := s.Store.Reader().Webhook.Query().Where(webhook.Owner(int64(c.Owner))).Order(ent.Asc(webhook.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("browse webhooks: %w", err)
	}
	if s.Listed != nil {
		if err := s.Listed(ctx, c, found); err != nil {
			return nil, err
		}
	}
	all := each.Of(found, webhookFrom)
	return rows.Cut(s.Cursors, rows.Scope("BrowseWebhooks", int64(c.Owner)), all, func(w *Webhook) int64 { return int64(w.ID) }, in.After,
		in.Limit.Or(items.MaxPageSize))
}

// loadWebhook loads a subscription of the change's owner, if it has not changed since the caller read it.
func (tx Change) loadWebhook(ctx context.Context, c *core.Call, id wire.WebhookID) (*ent.Webhook, error) {
	row, err := tx.Webhook.Query().Where(webhook.ID(int64(id)), webhook.Owner(int64(tx.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.WebhookNotFound, "webhook", int64(id))
	}
	return row, c.Precondition(webhookFrom(row).tag())
}

// deleteWebhook ends a subscription. Waiting deliveries are cancelled, most of a large backlog later by the deliverer; the
// log of deliveries stays.
func (s *Webhooks) deleteWebhook(ctx context.Context, c *core.Call, in *WebhookRef) (*trade.Deleted[wire.WebhookID], error) {
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*trade.Deleted[wire.WebhookID], error) {
		row, err := tx.loadWebhook(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if err := tx.Webhook.DeleteOneID(row.ID).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete webhook %d: %w", row.ID, err)
		}
		if _, err := s.Deliverer.CancelOrphans(ctx, tx.Client, row.ID); err != nil {
			return nil, err
		}
		tx.Wake(core.DelivererWorker)
		return &trade.Deleted[wire.WebhookID]{ID: in.ID, Deleted: true}, tx.countWebhooks(ctx, -1)
	})
}
