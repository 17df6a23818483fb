package translate

import (
	"reflect"
	"slices"
	"time"

	"sellerd/v1"
)

// This file makes up results of /v1 as realistic as they come: one with everything, one with nothing.

// SampleForms are whole items as old programs send them.
var SampleForms = []string{itemCalls[0].Samples[0].Form, itemCalls[0].Samples[1].Form}

// SampleResult is a result with a name.
type SampleResult struct {
	Name   string
	Result any
}

// at is an instant as /v1 has it.
func at(text string) v1.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return v1.TimeOf(t)
}

func page(id string) (u v1.ItemURL) {
	if err := u.UnmarshalText([]byte("https://www.example.com/item/" + id)); err != nil {
		panic(err)
	}
	return u
}

func money(cents v1.Amount, currency v1.Currency) v1.Opt[v1.Money] {
	return v1.Some(v1.Money{Amount: cents, Currency: currency})
}

func exampleAuction() v1.Item {
	return v1.Item{
		ID: 4711, URL: page("4711"), SaleType: v1.SaleTypeAuction, Title: "France 1849, 20c <black> Ceres & co", Subtitle: v1.Some("Mint"),
		Description: v1.Some("<p>Never \"hinged\"</p>\n<ul><li>rare</li></ul>"), PersonalReference: v1.Some("FR-1849-20c"), CategoryID: 1021,
		StartingPrice: money(12_50, "CHF"), BidIncrement: money(1_00, "CHF"), ReservePrice: money(20_00, "CHF"), CurrentPrice: money(21_05, "CHF"),
		BidCount: 3, FirstBidAt: v1.Some(at("2026-11-18T09:00:00Z")), Quantity: 1, QuantityAvailable: 1, DurationDays: v1.Some(7),
		PreferredEndDay: v1.Some("sun"), PreferredEndTime: v1.Some("20:00"), StartsAt: v1.Some(at("2026-11-15T19:00:00Z")),
		EndsAt: v1.Some(at("2026-11-22T19:00:00.123456Z")), CreatedAt: at("2026-11-15T19:00:00Z"), UpdatedAt: at("2026-11-18T09:00:00Z"),
		Renewals: 2, RenewalsLeft: 1, ShippingModelID: v1.Some(v1.ID(5)), WeightGrams: v1.Some(40), Site: "fr", Status: v1.ItemOpen,
		Options: v1.ItemOptions{BoldTitle: true, Highlight: true, LastMinuteBidding: true, Subtitle: true, TopListing: true}, VisitCount: 120,
	}
}

func exampleLot() v1.Item {
	return v1.Item{
		ID: 4712, URL: page("4712"), SaleType: v1.SaleTypeFixedPrice, Title: "Postcard, Ghent 🇧🇪", PersonalReference: v1.Some("PC-77"), CategoryID: -12,
		Price: money(4_50, "EUR"), CurrentPrice: money(4_50, "EUR"), Quantity: 10, QuantityAvailable: 7, QuantitySold: 3,
		PreferredEndTime: v1.Some("18:30"), EndsAt: v1.Some(at("2026-07-01T22:30:00Z")), CreatedAt: at("2026-06-01T10:00:00Z"), UpdatedAt: at("2026-06-03T10:00:00Z"),
		Renewals: 99, Site: "co.uk", Status: v1.ItemOpen, VisitCount: 8,
	}
}

func exampleAddress() v1.Address {
	return v1.Address{
		Name: v1.Some("Jan Peeters"), Line1: v1.Some("Korenmarkt 1"), Line2: v1.Some("bus 2"), PostalCode: v1.Some("9000"), City: v1.Some("Gent"),
		State: v1.Some("Oost-Vlaanderen"), Country: v1.Some("BE"), Phone: v1.Some("+32 9 000 00 00"),
	}
}

func exampleSale() v1.Sale {
	address := exampleAddress()
	return v1.Sale{
		ID: 900, ItemID: 4712,
		Item:     v1.SoldItem{Title: "Postcard, Ghent", PersonalReference: v1.Some("PC-77"), CategoryID: 1021, SaleType: v1.SaleTypeFixedPrice, URL: page("4712")},
		Quantity: 2, UnitPrice: v1.Money{Amount: 4_25, Currency: "GBP"}, TotalPrice: v1.Money{Amount: 8_50, Currency: "GBP"},
		SoldAt: at("2026-03-29T01:00:00Z"), Status: v1.SaleActive, BillID: 77,
		Buyer: v1.Buyer{
			ID: 31, Nickname: "jan", Email: v1.Some("jan@example.com"), FirstName: v1.Some("Jan"), LastName: v1.Some("Peeters"), Language: "nl", Country: "NL",
			Phone: v1.Some("+31 20 000 00 00"), Rating: v1.RatingSum{Count: 40, Percentage: v1.Some(97.5)},
		},
		ShippingAddress: v1.RawOf(address), RatingStatus: v1.RatingUnrated,
	}
}

func exampleAccount(language string) *v1.Account {
	return &v1.Account{
		ID: 12, Nickname: "stamps-and-more", Email: "seller@example.com", Type: "professional", Country: "BE", Language: language, Currency: "EUR",
		Rating: v1.RatingSum{Count: 1200, Percentage: v1.Some(99.0)}, CreatedAt: at("2009-12-31T23:30:00Z"),
	}
}

// SampleResults are results by their types. A call whose type is not here only acknowledges: its result does not matter.
func SampleResults() map[reflect.Type][]SampleResult {
	auction, lot, sale, address := exampleAuction(), exampleLot(), exampleSale(), exampleAddress()
	var accounts []SampleResult
	for _, language := range []string{"en", "fr", "de", "it", "es", "nl", "pt"} {
		accounts = append(accounts, SampleResult{"an account in " + language, exampleAccount(language)})
	}
	settings := []Setting{{}, {Webhook: v1.Webhook{ID: 37, Status: v1.WebhookDisabled}, Type: "item.*"}}
	for i, event := range []string{
		"item.published", "item.rejected", "item.updated", "item.first_bid", "item.sold", "item.unsold", "item.closed", "item.moved", "*",
	} {
		settings = append(settings, Setting{
			Webhook:   v1.Webhook{ID: v1.WebhookID(36 + i), URL: "https://shop.example.com/in?a=1&token=abc", Status: []string{v1.WebhookActive, v1.WebhookPaused}[i%2]},
			AccountID: 12, Type: event, Number: int64(1001 + i),
		})
	}
	return map[reflect.Type][]SampleResult{
		reflect.TypeFor[v1.Account]():    accounts,
		reflect.TypeFor[v1.Item]():       {{"an auction", &auction}, {"a lot at a fixed price", &lot}, {"an item without anything", &v1.Item{}}},
		reflect.TypeFor[v1.Submission](): {{"a submission", &v1.Submission{PersonalReference: v1.Some("FR-1849-20c")}}, {"one without a reference", &v1.Submission{}}},
		reflect.TypeFor[SoldItem](): {
			{"a sold lot", &SoldItem{sale, lot, address}}, {"a sold auction", &SoldItem{sale, auction, address}}, {"a sale without anything", &SoldItem{}},
		},
		reflect.TypeFor[BoughtItem](): {{"two sales", []BoughtItem{{sale, address}, {Sale: v1.Sale{ItemID: 4712, Quantity: 1}}}}, {"no sale", []BoughtItem{}}},
		reflect.TypeFor[v1.Category](): {{"a page", &v1.Page[v1.Category]{Results: []v1.Category{
			{ID: 10, Name: "Stamps", Path: []v1.CategoryStep{{ID: 10, Name: "Stamps"}}, HasChildren: true},
			{
				ID: 1021, Name: "Ceres", ParentID: v1.Some(v1.ID(102)),
				Path: []v1.CategoryStep{{ID: 10, Name: "Stamps"}, {ID: 102, Name: "France, classics"}, {ID: 1021, Name: "Ceres"}}, Selectable: true,
			},
		}}}},
		reflect.TypeFor[v1.ShippingModel](): {{"a page", &v1.Page[v1.ShippingModel]{Results: []v1.ShippingModel{
			{ID: 5, Name: "Letters & parcels", Type: "weight", Currency: "EUR", IsDefault: true}, {ID: 6, Name: "Free", Type: "free", Currency: "USD"},
		}}}},
		reflect.TypeFor[Session]():    {{"a token", &Session{"QUJDRA-_"}}},
		reflect.TypeFor[ServerTime](): {{"in winter", &ServerTime{at("2026-11-20T13:23:23Z")}}, {"in summer", &ServerTime{at("2026-07-20T13:23:23Z")}}},
		reflect.TypeFor[Setting]():    {{"settings of every type", settings}},
		reflect.TypeFor[FormField](): {{"two fields", []FormField{
			{"title", true, "text"}, {"price_starting", false, "decimal money"},
		}}},
		reflect.TypeFor[Word](): {{"two words", []Word{{"TestItem"}, {"Curl_Default"}}}},
	}
}

// SampleEvents are events of each kind of which there are notifications.
func SampleEvents() []*v1.Event {
	event := func(kind string, data v1.EventData) *v1.Event {
		return &v1.Event{ID: 1, Type: kind, APIVersion: "v1", CreatedAt: at("2026-11-20T13:23:23.5Z"), AccountID: 12, Data: data}
	}
	auction := exampleAuction()
	sold := exampleSale()
	sold.ItemID = auction.ID
	moved := v1.EventData{Item: v1.Some(auction), Previous: v1.Raw[v1.Item]{Text: `{"category_id":"1020"}`}}
	rejected := v1.Submission{PersonalReference: v1.Some("FR-1849-20c"), Errors: v1.RawOf([]v1.Error{{Code: v1.ImagesUnreachable, Message: "None."}})}
	return []*v1.Event{
		event("item.published", v1.EventData{Item: v1.Some(auction)}),
		event("item.rejected", v1.EventData{Submission: v1.Some(rejected)}),
		event("item.updated", v1.EventData{Item: v1.Some(auction), Previous: v1.Raw[v1.Item]{Text: `{"title":"France"}`}}),
		event("item.first_bid", v1.EventData{Item: v1.Some(auction)}),
		event("item.sold", v1.EventData{Item: v1.Some(auction), Sale: v1.Some(v1.SaleWithRating{Sale: sold})}),
		event("item.unsold", v1.EventData{Item: v1.Some(auction)}),
		event("item.closed", v1.EventData{Item: v1.Some(auction)}),
		event("item.moved", moved),
	}
}

// NotificationTypeOf is the type of the notification of an event, "" without one.
func NotificationTypeOf(n *Notifications, event string) string {
	if plan := n.byEvent[event]; plan != nil {
		return plan.Type
	}
	return ""
}

// WithoutPair is an enumeration without one of its pairs.
func WithoutPair(c *Converter, i int) *Converter {
	return enumeration(c.Name, c.Doc, slices.Delete(slices.Clone(c.Pairs), i, i+1)...)
}
