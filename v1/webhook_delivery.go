package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/v1/delivery"
	"sellerd/v1/wire"
)

// This file is about the two forms in which events are sent to webhooks: JSON as it was rendered once, and the XML of the
// deprecated interface, which only those get that still read it.

// FormatLegacyXML is the format of webhooks that get notifications of /rest, see Config.LegacyNotifications.
const FormatLegacyXML = "legacy_xml"

// contentTypeJSON is the type of events in the standard format.
const contentTypeJSON = "application/json"

// LegacyNotifications write events as the notifications of /rest. The same event, destination and seller must always give
// the same bytes, so that retries are alike.
type LegacyNotifications interface {
	// Wants says whether there is a notification of an event, given its type and its JSON.
	Wants(event string, body []byte) bool
	// Render writes the request's body. The seller is the account's nickname.
	Render(event *Event, destination, seller string) (contentType string, body []byte, err error)
}

// formatKnows says whether an event can be written in a format.
func (s *Service) formatKnows(format, event, body string) bool {
	return format != FormatLegacyXML || s.config.LegacyNotifications != nil && s.config.LegacyNotifications.Wants(event, []byte(body))
}

// renderedEvent is an event in a webhook's format.
type renderedEvent struct{ contentType, body string }

// renderEvent writes an event in a webhook's format.
func (s *Service) renderEvent(ctx context.Context, client *ent.Client, format, destination, body string, owner Owner) (renderedEvent, error) {
	if format != FormatLegacyXML {
		return renderedEvent{contentTypeJSON, body}, nil
	}
	var event Event
	var ignored Problems // what is wrong by the rules for input is right in an event: an amount of 0.00, for one
	if err := wire.BindInto([]byte(body), &event, &ignored); err != nil {
		return renderedEvent{}, fmt.Errorf("read event: %w", err)
	}
	if !s.formatKnows(format, event.Type, body) {
		return renderedEvent{}, fmt.Errorf("there is no legacy notification of %s", event.Type)
	}
	row, err := client.Account.Query().Where(account.ID(owner.Account())).Select(account.FieldNickname).Only(ctx)
	if err != nil {
		return renderedEvent{}, fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	contentType, text, err := s.config.LegacyNotifications.Render(&event, destination, row.Nickname)
	if err != nil {
		return renderedEvent{}, fmt.Errorf("render notification: %w", err)
	}
	return renderedEvent{contentType, string(text)}, nil
}

// newDeliverer makes the engine that delivers events to webhooks, out of what the service has.
func (s *Service) newDeliverer() (*delivery.Engine, error) {
	return delivery.New(delivery.Config{
		Store:      s.store,
		Retrier:    &s.retrier,
		Clock:      s.config.Clock,
		Uptime:     s.config.Uptime,
		TrustClock: s.trustClock,
		Random:     s.config.Random,
		PrepareIDs: s.ids.Prepare,
		NextID:     s.ids.Ordered,
		Unseal:     s.secret.OpenForWebhook,
		Render: func(ctx context.Context, format, url, event string, owner int64) (contentType, body string, err error) {
			rendered, err := s.renderEvent(ctx, s.store.Reader(), format, url, event, Owner(owner))
			return rendered.contentType, rendered.body, err
		},
		IsTest: func(owner int64) bool { return Owner(owner).Test() },
		Client: s.config.Webhooks,
		Logger: s.config.Logger,
		Stored: func(delivered, failed, stale int64) {
			s.counters.Delivered.Add(delivered)
			s.counters.DeliveryFailures.Add(failed)
			s.counters.StaleLeases.Add(stale)
		},
	})
}

// DeliverOnce delivers the events that are due to webhooks, and says how many attempts that took.
func (s *Service) DeliverOnce(ctx context.Context) (int, error) { return s.deliverer.Once(ctx) }

// How long events with their deliveries, and the receivers' answers, are kept.
const (
	EventRetention    = delivery.EventRetention
	ResponseRetention = delivery.ResponseRetention
)

// PurgeOnce takes a step through what is kept of events and deliveries, deletes what is too old, and returns the number of
// rows that it changed.
func (s *Service) PurgeOnce(ctx context.Context) (int, error) { return s.deliverer.PurgeOnce(ctx) }

// WebhookBacklog looks at the outbox, for the metrics.
func (s *Service) WebhookBacklog(ctx context.Context) (Backlog, error) {
	return s.deliverer.Backlog(ctx)
}
