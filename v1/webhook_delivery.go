package v1

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/v1/delivery"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file is about what webhooks are sent: the two forms of events and the samples that test a webhook. The forms are JSON as it was
// rendered once, and the XML of the deprecated interface, which only those get that still read it.

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
func (s *Webhooks) formatKnows(format, event, body string) bool {
	return format != FormatLegacyXML || s.notifications != nil && s.notifications.Wants(event, []byte(body))
}

// renderedEvent is an event in a webhook's format.
type renderedEvent struct{ contentType, body string }

// renderEvent writes an event in a webhook's format.
func (s *Webhooks) renderEvent(ctx context.Context, client *ent.Client, format, destination, body string, owner Owner) (renderedEvent, error) {
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
	if event.Data.Item.Set {
		event.Data.Item.V.URL.site = s.config.SiteURL // notifications had no other address for test items
	}
	row, err := client.Account.Query().Where(account.ID(owner.Account())).Select(account.FieldNickname).Only(ctx)
	if err != nil {
		return renderedEvent{}, fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	contentType, text, err := s.notifications.Render(&event, destination, row.Nickname)
	if err != nil {
		return renderedEvent{}, fmt.Errorf("render notification: %w", err)
	}
	return renderedEvent{contentType, string(text)}, nil
}

// newDeliverer makes the engine that delivers events to webhooks, out of what the service has.
func (s *Webhooks) newDeliverer() (*delivery.Engine, error) {
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
			s.Counters().Delivered.Add(delivered)
			s.Counters().DeliveryFailures.Add(failed)
			s.Counters().StaleLeases.Add(stale)
		},
	})
}

// DeliverOnce delivers the events that are due to webhooks, and says how many attempts that took.
func (s *Webhooks) DeliverOnce(ctx context.Context) (int, error) { return s.deliverer.Once(ctx) }

// How long events with their deliveries, and the receivers' answers, are kept.
const (
	EventRetention    = delivery.EventRetention
	ResponseRetention = delivery.ResponseRetention
)

// PurgeOnce takes a step through what is kept of events and deliveries, deletes what is too old, and returns the number of
// rows that it changed.
func (s *Webhooks) PurgeOnce(ctx context.Context) (int, error) { return s.deliverer.PurgeOnce(ctx) }

// WebhookBacklog looks at the outbox, for the metrics.
func (s *Webhooks) WebhookBacklog(ctx context.Context) (Backlog, error) {
	return s.deliverer.Backlog(ctx)
}

// sampleEvent invents the data of an event for a webhook's test. The objects are clearly invented, and their ids do not
// exist.
func (s *Webhooks) sampleEvent(kind string, owner Owner) (data EventData, resource EventResource, known bool) {
	const when = Time(1_767_225_600_000_000) // the beginning of 2026
	price := Money{Amount: 45_00, Currency: "EUR"}
	item := Item{
		ID: 1, URL: s.itemURL(owner, 1), Mode: owner.Mode(), SubmissionID: 1, SaleType: SaleTypeFixedPrice, Title: "Sample: France 1849, 20c black Ceres",
		PersonalReference: Some("SAMPLE-1"), CategoryID: 1010101, Price: Some(price), CurrentPrice: Some(price), Quantity: 1, QuantityAvailable: 1,
		DurationDays: Some(28), EndsAt: Some(when.Add(28 * 24 * time.Hour)), PublishedAt: Some(when), CreatedAt: when, UpdatedAt: when, Site: "net", Status: ItemOpen,
	}
	buyer := Buyer{ID: 1, Nickname: "sample-buyer", Email: Some("buyer@example.com"), FirstName: Some("Sample"), LastName: Some("Buyer"), Language: "en", Country: "BE"}
	address := RawOf(Address{Name: Some("Sample Buyer"), Line1: Some("1 Example Street"), PostalCode: Some("1000"), City: Some("Brussels"), Country: Some("BE")})
	sale := SaleWithRating{Sale: Sale{
		ID: 1, ItemID: 1, Item: SoldItem{item.Title, item.PersonalReference, item.CategoryID, item.SaleType, item.URL}, Quantity: 1, UnitPrice: price, TotalPrice: price,
		SoldAt: when, Status: SaleActive, Cancellation: Cancellation{Status: CancellationNone}, BillID: 1, Buyer: buyer, ShippingAddress: address,
		RatingStatus: RatingUnrated, CreatedAt: when, UpdatedAt: when,
	}}
	resource = EventResource{Type: "item", ID: "1", Sequence: 1}
	switch family, what, _ := strings.Cut(kind, "."); {
	case kind == "item.rejected":
		resource = EventResource{Type: "submission", ID: SubmissionID(1).String(), Sequence: 1}
		data.Submission = Some(Submission{
			ID: Some(SubmissionID(1)), Status: SubmissionRejected, PersonalReference: item.PersonalReference,
			Errors:    RawOf(refusal.New(ImagesUnreachable).Documented(s.config.BaseURL)),
			CreatedAt: Some(when), PublishDeadline: Some(when.Add(PublishDeadline)), CompletedAt: Some(when),
		})
	case kind == "sale.cancelled":
		resource.Type = "sale"
		sale.Status, sale.Cancellation = SaleCancelled, Cancellation{CancellationCancelled, Some("Sample"), Some(when), Some(when)}
		data.Sale = Some(sale)
	case kind == "payment.received":
		resource.Type = "bill"
		data.Bill = Some(Bill{
			ID: 1, Number: "2026-00001", Status: BillToSend, Buyer: buyer, ShippingAddress: address,
			Sales:    []BilledSale{{1, 1, item.Title, item.PersonalReference, 1, price}},
			Subtotal: price, ShippingCost: Some(Money{Amount: 4_50, Currency: "EUR"}), Total: Money{Amount: 49_50, Currency: "EUR"},
			Payment:   Payment{PaymentReceived, Some("bank_transfer"), Some(Money{Amount: 49_50, Currency: "EUR"}), Some(when)},
			CreatedAt: when, PaidAt: Some(when), UpdatedAt: when,
		})
	case family != "item" || !isEventType(kind):
		return data, resource, false
	default:
		before := item
		switch what {
		case "sold":
			item.Status, item.QuantityAvailable, item.QuantitySold, item.ClosedAt = ItemSold, 0, 1, Some(when)
			data.Sale = Some(sale)
		case "updated":
			before.Title = "Sample: France 1849, 20c"
		case "moved":
			before.CategoryID = 1010102
		case "unsold":
			item.Status, item.ClosedAt = ItemUnsold, Some(when)
		case "closed":
			item.Status, item.ClosedAt, item.CloseReason = ItemClosed, Some(when), Some("other")
		case "restarted":
			item.RestartCount = 1
		case "first_bid":
			item.SaleType, item.Price, item.StartingPrice = SaleTypeAuction, Opt[Money]{}, Some(price)
			item.BidCount, item.FirstBidAt = 1, Some(when)
		}
		data.Item = Some(item)
		if what == "updated" || what == "moved" {
			data.Previous = previousMembers(&before, &item)
		}
	}
	return data, resource, true
}
