package demoseller

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sellerd/internal/demo"
	"sellerd/v1"
)

// This file creates the data of the demo seller: a store with items, sales and bills in every state, the same in both
// modes. It uses the service's own operations. Each step has an Idempotency-Key, so the next start continues where an
// earlier one was stopped.

// demoItem is an item of the seller. Its personal reference is DEMO- and its place in the list.
type demoItem struct {
	kind     string
	price    v1.Amount // in cents
	quantity int
	startsIn time.Duration // 0 is at once
	category v1.ID
	title    string
	state    string // the state it is brought to other than by a purchase, empty for none
	bids     []int  // the sandbox buyers who bid, by number
}

var demoItems = []demoItem{
	{v1.SaleTypeFixedPrice, 45_00, 1, 0, 1010101, "France 1849, 20c black Ceres, imperforate, cancelled", "", nil},
	{v1.SaleTypeFixedPrice, 38_50, 1, 0, 1010101, "France 1853, 25c blue Napoleon III, used", "", nil},
	{v1.SaleTypeAuction, 9_99, 1, 0, 1010101, "Lot of 50 cancels on 1900s French covers", "", []int{3, 8, 3}},
	{v1.SaleTypeAuction, 120_00, 1, 0, 1010101, "France 1900, 5 Fr Merson, mint never hinged", "", nil},
	{v1.SaleTypeFixedPrice, 15_00, 1, 0, 1010101, "Small album of classics, mixed quality", v1.ItemClosed, nil},
	{v1.SaleTypeFixedPrice, 210_00, 1, 7 * 24 * time.Hour, 1010101, "France 1876, 25c Sage, complete sheet corner", "", nil},
	{v1.SaleTypeAuction, 4_50, 1, 0, 1010101, "France 1917, Orphans of war, single, used", v1.ItemUnsold, nil},
	{v1.SaleTypeAuction, 12_00, 1, 0, 1010101, "Thirty postmarks of the Riviera, 1890 to 1910", v1.ItemSold, []int{9, 10}},
	{v1.SaleTypeFixedPrice, 6_50, 10, 0, 1010101, "France 1903, 10c Semeuse, used, many available", "", nil},
	{v1.SaleTypeFixedPrice, 28_00, 1, 0, 1010101, "France 1862, 40c orange Napoleon III, used", "", nil},
	{v1.SaleTypeFixedPrice, 64_00, 1, 0, 3030201, "Prussia, 5 Mark 1873, silver", "", nil},
	{v1.SaleTypeFixedPrice, 33_00, 2, 0, 3031400, "Denmark, 10 øre 1901, silver", "", nil},
	{v1.SaleTypeFixedPrice, 19_90, 1, 0, 3031500, "Sweden, 1 krona 1888, silver", "", nil},
}

// demoSale is a purchase with its payment, shipment, rating and cancellation.
type demoSale struct {
	item, buyer, quantity int // the item's place in the list, the made-up buyer
	bill                  string
	trackings             []v1.TrackingInput
	score                 int // 0 leaves the buyer unrated
	comment               string
	requested             string // why the buyer wants the sale cancelled, empty when not
}

var demoSales = []demoSale{
	{item: 9, buyer: 1, quantity: 2, bill: v1.BillToInvoice},
	{item: 9, buyer: 2, quantity: 1, bill: v1.BillAwaitingPayment, requested: "Ordered twice by mistake"},
	{item: 10, buyer: 4, quantity: 1, bill: v1.BillAwaitingPayment},
	{item: 11, buyer: 5, quantity: 1, bill: v1.BillToSend},
	{item: 12, buyer: 6, quantity: 1, bill: v1.BillSent, score: 100, comment: "Quick payment, a pleasure", trackings: []v1.TrackingInput{
		{DeliveryServiceID: v1.Some(v1.ID(142)), Number: v1.Some("RR123456785BE"), Note: v1.Some("The stamps")},
		{DeliveryServiceID: v1.Some(v1.ID(144)), Number: v1.Some("CD123456785BE"), Note: v1.Some("The album")},
	}},
	{item: 12, buyer: 7, quantity: 1, bill: v1.BillSent, score: 75, comment: "Paid after a reminder"},
	{item: 13, buyer: 11, quantity: 1, bill: v1.BillIsCancelled},
}

// demoData is the data of one mode while it is created.
type demoData struct {
	service *v1.Service
	caller  v1.Caller
	mode    string
	items   []v1.ID // in the order of demoItems
}

// create makes the data of one mode.
func (d Seller) create(ctx context.Context, mode, key string) error {
	caller, err := d.Service.Authenticate(ctx, key)
	if err != nil {
		return err
	}
	// Publishing looks at pictures, and the server does not serve the demo's own before the seller is ready. So the story is
	// played by a service of its own on the same database.
	config := d.Config
	config.Images = ownPictures{d.BaseURL + demoPictures, d.Service.Images()}
	service, err := v1.New(config)
	if err != nil {
		return err
	}

	data := &demoData{service: service, caller: caller, mode: mode}
	pictures := ""
	if d.Images {
		pictures = d.BaseURL + demoPictures
	}
	d.Progress.Begin("making the demo's "+mode+" data", 1+len(demoItems)+len(demoSales))
	defer d.Progress.End()
	if err := data.list(ctx, pictures); err != nil {
		return err
	}
	d.Progress.Add(1)
	for i := range demoItems {
		if err := data.auctionOrClose(ctx, i); err != nil {
			return fmt.Errorf("item DEMO-%d: %w", i+1, err)
		}
		d.Progress.Add(1)
	}
	for i := range demoSales {
		if err := data.sell(ctx, &demoSales[i]); err != nil {
			return fmt.Errorf("sale of DEMO-%d: %w", demoSales[i].item, err)
		}
		d.Progress.Add(1)
	}
	return nil
}

// errDemoLater means that an earlier start was stopped while it published items, which it holds until its lease ends.
var errDemoLater = errors.New("items are being published")

// list puts the items on sale and waits for their publication. Pictures arrive in any order, so the first item is published before the others
// and the last one after them: pages change the oldest open item and the newest one, of which nothing is sold.
func (t *demoData) list(ctx context.Context, pictures string) error {
	from := 0
	for _, part := range []struct {
		name string
		to   int
	}{{"list-first", 1}, {"list", len(demoItems) - 1}, {"list-last", len(demoItems)}} {
		if err := t.listPart(ctx, part.name, from, part.to, pictures); err != nil {
			return err
		}
		from = part.to
	}
	return nil
}

func (t *demoData) listPart(ctx context.Context, name string, from, to int, pictures string) error {
	batch := &v1.SubmitBatchInput{}
	for i := from; i < to; i++ {
		input := demoItems[i].input(i, t.service.Clock().Now())
		if pictures != "" {
			input.Images = []v1.ImageInput{{URL: pictures + demo.ImageNames()[i]}}
		}
		batch.Batch.Items = append(batch.Batch.Items, input)
	}
	listed, err := step(ctx, t, v1.SubmitBatch, name, batch)
	if err != nil {
		return err
	}
	for claimed := 1; claimed > 0; {
		if claimed, err = t.service.PublishOnce(ctx); err != nil {
			return err
		}
	}
	for _, result := range listed.Results {
		submission, err := step(ctx, t, v1.GetSubmission, "", &v1.SubmissionRef{ID: result.SubmissionID.V})
		if err != nil {
			return err
		}
		if submission.Status == v1.SubmissionProcessing {
			return errDemoLater
		}
		t.items = append(t.items, submission.ItemID.V)
	}
	return nil
}

func (i *demoItem) input(place int, now time.Time) v1.ItemInput {
	input := v1.ItemInput{
		Title: v1.Some(i.title), SaleType: v1.Some(i.kind), PersonalReference: v1.Some(fmt.Sprintf("DEMO-%d", place+1)), CategoryID: v1.Some(i.category),
	}
	price := v1.Some(v1.Money{Amount: i.price, Currency: "EUR"})
	if i.kind == v1.SaleTypeAuction {
		input.StartingPrice = price
	} else {
		input.Price, input.Quantity = price, v1.Some(i.quantity)
	}
	if i.startsIn > 0 {
		input.StartsAt = v1.Some(v1.TimeOf(now.Add(i.startsIn)))
	}
	return input
}

// auctionOrClose places an item's bids, and ends or closes it if that is its final state.
func (t *demoData) auctionOrClose(ctx context.Context, place int) (err error) {
	id, item := t.items[place], &demoItems[place]
	for n, buyer := range item.bids {
		amount := v1.Money{Amount: item.price + v1.Amount(n)*5_00, Currency: "EUR"}
		_, err := step(ctx, t, v1.OperatorBid, fmt.Sprintf("bid-%d-on-%d", n+1, place+1), &v1.BidInput{
			ID: id, Bid: v1.Bid{Buyer: v1.SandboxBuyerInput(&v1.SandboxBuyers[buyer]), Amount: v1.Some(amount)},
		})
		if err != nil {
			return err
		}
	}
	switch item.state {
	case v1.ItemClosed:
		_, err = step(ctx, t, v1.CloseItem, fmt.Sprintf("close-%d", place+1), &v1.CloseItemInput{
			ID: id, Reason: v1.Closing{Reason: v1.Some("sold_elsewhere"), Note: v1.Some("Sold at the fair")},
		})
	case v1.ItemSold, v1.ItemUnsold:
		_, err = step(ctx, t, v1.OperatorEnd, fmt.Sprintf("end-%d", place+1), &v1.ItemRef{ID: id})
	}
	return err
}

// sell makes a purchase and brings its bill to the state of the sale.
func (t *demoData) sell(ctx context.Context, want *demoSale) error {
	name := fmt.Sprintf("-%d-for-%d", want.item, want.buyer)
	sale, err := step(ctx, t, v1.OperatorPurchase, "buy"+name, &v1.PurchaseInput{
		ID: t.items[want.item-1], Purchase: v1.Purchase{Buyer: v1.SandboxBuyerInput(&v1.SandboxBuyers[want.buyer]), Quantity: v1.Some(want.quantity)},
	})
	if err != nil {
		return err
	}
	for _, next := range []struct {
		wanted bool
		do     func(context.Context, *demoData) error
	}{
		{want.bill == v1.BillIsCancelled, then(v1.OperatorCancellation, "cancel"+name, &v1.CancellationInput{
			ID: sale.ID, Cancellation: v1.CancellationStep{Decision: v1.Some("accept"), Reason: v1.Some("The buyer changed their mind")},
		})},
		{want.invoiced(), then(v1.OperatorInvoice, "invoice"+name, &v1.InvoiceInput{ID: sale.BillID, Invoice: v1.Invoice{ShippingCost: v1.Some(demoShipping)}})},
		{want.paid(), then(v1.OperatorPayment, "pay"+name, &v1.BillPaymentInput{ID: sale.BillID})},
		{want.bill == v1.BillSent, then(v1.MarkBillSent, "send"+name, &v1.MarkBillSentInput{
			ID: sale.BillID, Shipment: v1.Shipment{Trackings: slices.Clone(want.trackings)}, // the operation writes numbers in it
		})},
		{want.score > 0, then(v1.RateBuyer, "rate"+name, &v1.RateBuyerInput{ID: sale.ID, Rating: v1.RatingInput{Score: v1.Some(want.score), Comment: v1.Some(want.comment)}})},
		{want.requested != "", then(v1.OperatorCancellation, "request-cancellation"+name, &v1.CancellationInput{
			ID: sale.ID, Cancellation: v1.CancellationStep{Decision: v1.Some("request"), Reason: v1.Some(want.requested)},
		})},
	} {
		if !next.wanted {
			continue
		}
		if err := next.do(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// demoShipping is the cost of shipping of each bill.
var demoShipping = v1.ShippingCost{Amount: v1.Some(v1.CostAmount(4_50)), Currency: "EUR"}

func (s *demoSale) paid() bool     { return s.bill == v1.BillToSend || s.bill == v1.BillSent }
func (s *demoSale) invoiced() bool { return s.bill == v1.BillAwaitingPayment || s.paid() }

// step runs an operation once, whatever the number of starts. Reads have no name.
func step[I, O any](ctx context.Context, t *demoData, o v1.Op[I, O], name string, in *I) (*O, error) {
	call := &v1.Call{Caller: t.caller, Operator: strings.HasPrefix(o.Pattern, "/operator/")}
	if name != "" {
		key := "demo-" + t.mode + "-" + name
		call.Idempotency = &v1.IdempotencyKeyUse{Key: key, Fingerprint: sha256.Sum256([]byte(key))}
	}
	out, err := o.Call(ctx, t.service, call, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	return out, nil
}

// then is a step whose result is of no further use.
func then[I, O any](o v1.Op[I, O], name string, in *I) func(context.Context, *demoData) error {
	return func(ctx context.Context, t *demoData) error {
		_, err := step(ctx, t, o, name, in)
		return err
	}
}

// demoPictures is where the server serves the demo's pictures, below its base URL.
const demoPictures = "/demo/images/"

// ownPictures answers for the demo's own pictures and asks the service's fetcher about all others.
type ownPictures struct {
	base   string
	others interface {
		FetchAll(ctx context.Context, urls []string) []v1.FetchedImage
	}
}

// FetchAll fetches the images.
func (p ownPictures) FetchAll(ctx context.Context, urls []string) []v1.FetchedImage {
	images := make([]v1.FetchedImage, len(urls))
	for i, url := range urls {
		name, _ := strings.CutPrefix(url, p.base)
		if look, ok := demo.LookAt(name); ok {
			images[i] = v1.FetchedImage{Width: look.Width, Height: look.Height, ContentType: look.ContentType}
		} else {
			images[i] = p.others.FetchAll(ctx, []string{url})[0]
		}
	}
	return images
}
