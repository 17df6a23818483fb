package v1

import (
	"strings"
	"time"

	"sellerd/v1/refusal"
)

// sampleEvent invents the data of an event for a webhook's test. The objects are clearly invented, and their ids do not
// exist.
func (s *Service) sampleEvent(kind string, owner Owner) (data EventData, resource EventResource, known bool) {
	const when = Time(1_767_225_600_000_000) // the beginning of 2026
	price := Money{Amount: 45_00, Currency: "EUR"}
	item := Item{
		ID: 1, URL: s.itemURL(1), Mode: owner.Mode(), SubmissionID: 1, SaleType: SaleTypeFixedPrice, Title: "Sample: France 1849, 20c black Ceres",
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
