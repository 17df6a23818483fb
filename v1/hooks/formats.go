package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/trade"
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

// renderEvent writes an event in a webhook's format.
func (s *Webhooks) renderEvent(ctx context.Context, client *ent.Client, format, destination, body string,
	owner core.Owner,
) (contentType, rendered string, err error) {
	if format != FormatLegacyXML {
		return contentTypeJSON, body, nil
	}
	var event Event
	var ignored refusal.Problems // what is wrong by the rules for input is right in an event: an amount of 0.00, for one
	if err := wire.BindInto([]byte(body), &event, &ignored); err != nil {
		return "", "", fmt.Errorf("read event: %w", err)
	}
	if !s.formatKnows(format, event.Type, body) {
		return "", "", fmt.Errorf("there is no legacy notification of %s", event.Type)
	}
	if event.Data.Item.Set {
		event.Data.Item.V.URL.Site = s.Config.SiteURL // notifications had no other address for test items
	}
	row, err := client.Account.Query().Where(account.ID(owner.Account())).Select(account.FieldNickname).Only(ctx)
	if err != nil {
		return "", "", fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	contentType, text, err := s.notifications.Render(&event, destination, row.Nickname)
	if err != nil {
		return "", "", fmt.Errorf("render notification: %w", err)
	}
	return contentType, string(text), nil
}

// newDeliverer makes the engine that delivers events to webhooks, out of what the service has.
func (s *Webhooks) newDeliverer() (*delivery.Engine, error) {
	return delivery.New(delivery.Config{
		Store:      s.Store,
		Retrier:    &s.Retrier,
		Clock:      s.Config.Clock,
		Uptime:     s.Config.Uptime,
		TrustClock: s.TrustClock,
		Random:     s.Config.Random,
		PrepareIDs: s.IDs.Prepare,
		NextID:     s.IDs.Ordered,
		Unseal:     s.Secret.OpenForWebhook,
		Render: func(ctx context.Context, format, url, event string, owner int64) (contentType, body string, err error) {
			return s.renderEvent(ctx, s.Store.Reader(), format, url, event, core.Owner(owner))
		},
		IsTest: func(owner int64) bool { return core.Owner(owner).Test() },
		Client: s.Config.Webhooks,
		Logger: s.Config.Logger,
		Tracer: s.Config.Tracer,
		Stored: func(delivered, failed, stale int64) {
			s.Counters().Delivered.Add(delivered)
			s.Counters().DeliveryFailures.Add(failed)
			s.Counters().StaleLeases.Add(stale)
		},
	})
}

// DeliverOnce delivers the events that are due to webhooks, and says how many attempts that took.
func (s *Webhooks) DeliverOnce(ctx context.Context) (int, error) { return s.Deliverer.Once(ctx) }

// How long events with their deliveries, and the receivers' answers, are kept.
const (
	EventRetention    = delivery.EventRetention
	ResponseRetention = delivery.ResponseRetention
)

// PurgeOnce takes a step through what is kept of events and deliveries, deletes what is too old, and returns the number of
// rows that it changed.
func (s *Webhooks) PurgeOnce(ctx context.Context) (int, error) { return s.Deliverer.PurgeOnce(ctx) }

// WebhookBacklog looks at the outbox, for the metrics.
func (s *Webhooks) WebhookBacklog(ctx context.Context) (delivery.Backlog, error) {
	return s.Deliverer.Backlog(ctx)
}

// SampleEvent invents an event of a type: its objects are clearly invented, and their ids do not exist. The item of it is at an address, and
// baseURL is that of the service. It says whether there is such a type.
func SampleEvent(kind, mode string, address items.ItemURL, baseURL string) (sample Event, known bool) {
	const when = wire.Time(1_767_225_600_000_000) // the beginning of 2026
	sample = Event{ID: 1, Type: kind, APIVersion: "v1", CreatedAt: when, Mode: mode, AccountID: 1}
	data, resource := &sample.Data, &sample.Resource
	price := wire.Money{Amount: 45_00, Currency: "EUR"}
	item := items.Item{
		ID: 1, URL: address, Mode: mode, SubmissionID: 1, SaleType: items.SaleTypeFixedPrice, Title: "Sample: France 1849, 20c black Ceres",
		PersonalReference: wire.Some("SAMPLE-1"), CategoryID: 1010101, Price: wire.Some(price), CurrentPrice: wire.Some(price), Quantity: 1, QuantityAvailable: 1,
		DurationDays: wire.Some(28), EndsAt: wire.Some(when.Add(28 * 24 * time.Hour)), PublishedAt: wire.Some(when), CreatedAt: when, UpdatedAt: when, Site: "net", Status: items.ItemOpen,
	}
	buyer := trade.Buyer{
		ID: 1, Nickname: "sample-buyer", Email: wire.Some("buyer@example.com"), FirstName: wire.Some("Sample"),
		LastName: wire.Some("Buyer"), Language: "en", Country: "BE",
	}
	home := wire.RawOf(trade.Address{
		Name: wire.Some("Sample Buyer"), Line1: wire.Some("1 Example Street"), PostalCode: wire.Some("1000"),
		City: wire.Some("Brussels"), Country: wire.Some("BE"),
	})
	sale := trade.SaleWithRating{Sale: trade.Sale{
		ID: 1, ItemID: 1, Item: trade.SoldItem{
			Title: item.Title, PersonalReference: item.PersonalReference, CategoryID: item.CategoryID,
			SaleType: item.SaleType, URL: item.URL,
		}, Quantity: 1, UnitPrice: price, TotalPrice: price,
		SoldAt: when, Status: items.SaleActive, Cancellation: trade.Cancellation{Status: items.CancellationNone}, BillID: 1, Buyer: buyer, ShippingAddress: home,
		RatingStatus: trade.RatingUnrated, CreatedAt: when, UpdatedAt: when,
	}}
	*resource = core.EventResource{Type: "item", ID: "1", Sequence: 1}
	switch family, what, _ := strings.Cut(kind, "."); {
	case kind == "item.rejected":
		*resource = core.EventResource{Type: "submission", ID: wire.SubmissionID(1).String(), Sequence: 1}
		data.Submission = wire.Some(items.Submission{
			ID: wire.Some(wire.SubmissionID(1)), Status: items.SubmissionRejected, PersonalReference: item.PersonalReference,
			Errors:    wire.RawOf(refusal.New(refusal.ImagesUnreachable).Documented(baseURL)),
			CreatedAt: wire.Some(when), PublishDeadline: wire.Some(when.Add(items.PublishDeadline)), CompletedAt: wire.Some(when),
		})
	case kind == "sale.cancelled":
		resource.Type = "sale"
		sale.Status, sale.Cancellation = items.SaleCancelled, trade.Cancellation{
			Status: items.CancellationCancelled, Reason: wire.Some("Sample"),
			RequestedAt: wire.Some(when), DecidedAt: wire.Some(when),
		}
		data.Sale = wire.Some(sale)
	case kind == "payment.received":
		resource.Type = "bill"
		data.Bill = wire.Some(trade.Bill{
			ID: 1, Number: "2026-00001", Status: items.BillToSend, Buyer: buyer, ShippingAddress: home,
			Sales: []trade.BilledSale{{
				ID: 1, ItemID: 1, Title: item.Title, PersonalReference: item.PersonalReference, Quantity: 1,
				TotalPrice: price,
			}},
			Subtotal: price, ShippingCost: wire.Some(wire.Money{Amount: 4_50, Currency: "EUR"}), Total: wire.Money{Amount: 49_50, Currency: "EUR"},
			Payment: trade.Payment{
				Status: trade.PaymentReceived, Method: wire.Some("bank_transfer"),
				Amount: wire.Some(wire.Money{Amount: 49_50, Currency: "EUR"}), ReceivedAt: wire.Some(when),
			},
			CreatedAt: when, PaidAt: wire.Some(when), UpdatedAt: when,
		})
	case family != "item" || !isEventType(kind):
		return sample, false
	default:
		if what == "sold" {
			data.Sale = wire.Some(sale)
		}
		before := sampleMove(what, &item)
		data.Item = wire.Some(item)
		if what == "updated" || what == "moved" {
			data.Previous = items.PreviousMembers(&before, items.ChangedMembers(&before, &item))
		}
	}
	return sample, true
}

// sampleMove makes of a sample item, which is open since its publication, what an event about it shows. It returns the item
// before that.
func sampleMove(what string, item *items.Item) (before items.Item) {
	before = *item
	when := item.CreatedAt
	switch what {
	case "sold":
		item.Status, item.QuantityAvailable, item.QuantitySold, item.ClosedAt = items.ItemSold, 0, 1, wire.Some(when)
	case "updated":
		before.Title = "Sample: France 1849, 20c"
	case "moved":
		before.CategoryID = 1010102
	case "unsold":
		item.Status, item.ClosedAt = items.ItemUnsold, wire.Some(when)
	case "closed":
		item.Status, item.ClosedAt, item.CloseReason = items.ItemClosed, wire.Some(when), wire.Some("other")
	case "restarted":
		item.RestartCount = 1
	case "first_bid":
		item.SaleType, item.Price, item.StartingPrice = items.SaleTypeAuction, wire.Opt[wire.Money]{}, item.Price
		item.BidCount, item.FirstBidAt = 1, wire.Some(when)
	}
	return before
}
