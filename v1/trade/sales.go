package trade

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/sale"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Sale is one purchase or one won auction. Its states are in docs/seller/states.md, Sales.
type Sale struct {
	ID              wire.ID             `json:"id"`
	ItemID          wire.ID             `json:"item_id"`
	Item            SoldItem            `json:"item" doc:"as it was when it was sold"`
	Quantity        int                 `json:"quantity"`
	UnitPrice       wire.Money          `json:"unit_price"`
	TotalPrice      wire.Money          `json:"total_price"`
	SoldAt          wire.Time           `json:"sold_at"`
	Status          string              `json:"status" enum:"active cancelled"`
	Cancellation    Cancellation        `json:"cancellation"`
	BillID          wire.ID             `json:"bill_id"`
	Buyer           Buyer               `json:"buyer"`
	ShippingAddress wire.Raw[Address]   `json:"shipping_address"`
	RatingStatus    string              `json:"rating_status" enum:"unrated rated expired"`
	RatedAt         wire.Opt[wire.Time] `json:"rated_at"`
	CreatedAt       wire.Time           `json:"created_at"`
	UpdatedAt       wire.Time           `json:"updated_at"`
}

// ShownBuyer is the buyer whose data the sale has. See core.ShowsBuyer.
func (s *Sale) ShownBuyer() wire.ID { return s.Buyer.ID }

var _ core.ShowsBuyer = (*Sale)(nil)

// SaleWithRating is the single read of a sale: it includes the seller's rating of the buyer.
type SaleWithRating struct {
	Sale
	Rating wire.Opt[Rating] `json:"rating"`
}

// SoldItem is a sale's copy of its item's data.
type SoldItem struct {
	Title             string           `json:"title"`
	PersonalReference wire.Opt[string] `json:"personal_reference"`
	CategoryID        wire.ID          `json:"category_id"`
	SaleType          string           `json:"sale_type" enum:"auction fixed_price"`
	URL               items.ItemURL    `json:"url"`
}

// Cancellation is the state of a sale's cancellation.
type Cancellation struct {
	Status      string              `json:"status" enum:"none requested cancelled refused"`
	Reason      wire.Opt[string]    `json:"reason"`
	RequestedAt wire.Opt[wire.Time] `json:"requested_at"`
	DecidedAt   wire.Opt[wire.Time] `json:"decided_at"`
}

// RatingWindow is how long after a sale its buyer can be rated.
const RatingWindow = 60 * 24 * time.Hour

// The states of a sale's rating.
const (
	RatingUnrated = "unrated"
	RatingRated   = "rated"
	RatingExpired = "expired"
)

// ratingStatus says whether a buyer is rated, can still be rated, or can no longer be rated.
func ratingStatus(soldAt wire.Time, ratedAt *int64, now wire.Time) string {
	switch {
	case ratedAt != nil:
		return RatingRated
	case soldAt.Add(RatingWindow) <= now:
		return RatingExpired
	default:
		return RatingUnrated
	}
}

// SaleFrom is the one conversion from the database to the API.
func (s *Market) SaleFrom(row *ent.Sale, buyer *ent.Buyer, now wire.Time) Sale {
	currency := wire.Currency(row.Currency)
	return Sale{
		ID: wire.ID(row.ID), ItemID: wire.ID(row.ItemID),
		Item: SoldItem{
			row.ItemTitle, wire.Maybe(row.ItemReference), wire.ID(row.ItemCategoryID), row.ItemSaleType,
			s.ItemURL(core.Owner(row.Owner), row.ItemID),
		},
		Quantity: row.Quantity, UnitPrice: wire.Money{
			Amount:   wire.Amount(row.UnitPrice),
			Currency: currency,
		}, TotalPrice: wire.Money{Amount: wire.Amount(row.TotalPrice), Currency: currency},
		SoldAt: wire.Time(row.SoldAt), Status: row.Status,
		Cancellation: Cancellation{
			row.CancellationStatus, wire.Maybe(row.CancellationReason),
			wire.MaybeTime(row.CancellationRequestedAt), wire.MaybeTime(row.CancellationDecidedAt),
		},
		BillID: wire.ID(row.BillID), Buyer: buyerFrom(buyer), ShippingAddress: wire.Raw[Address]{Text: row.ShippingAddress},
		RatingStatus: ratingStatus(wire.Time(row.SoldAt), row.RatedAt, now), RatedAt: wire.MaybeTime(row.RatedAt),
		CreatedAt: wire.Time(row.CreatedAt), UpdatedAt: wire.Time(row.UpdatedAt),
	}
}

// SaleRef names a sale in a path.
type SaleRef struct {
	ID wire.ID `path:"id" missing:"sale_not_found"`
}

// getSale reads one of the caller's sales with its rating, from one snapshot.
func (s *Market) getSale(ctx context.Context, c *core.Call, in *SaleRef) (out *SaleWithRating, err error) {
	err = s.Reads.Snapshot(ctx, func(ctx context.Context, tx *ent.Client) error {
		out, err = s.readSale(ctx, tx, c.Owner, in.ID)
		return err
	})
	return out, err
}

// readSale reads a whole sale, in a change or outside.
func (s *Market) readSale(ctx context.Context, client *ent.Client, owner core.Owner, id wire.ID) (*SaleWithRating, error) {
	row, err := loadSale(ctx, client, owner, id)
	if err != nil {
		return nil, err
	}
	buyer, err := client.Buyer.Get(ctx, row.BuyerID)
	if err != nil {
		return nil, fmt.Errorf("load buyer of sale %d: %w", id, err)
	}
	out := &SaleWithRating{Sale: s.SaleFrom(row, buyer, s.Now())}
	if row.RatedAt != nil {
		rating, err := client.Rating.Get(ctx, row.ID)
		if err != nil {
			return nil, fmt.Errorf("load rating of sale %d: %w", id, err)
		}
		out.Rating = wire.Some(ratingFrom(rating, wire.Time(row.SoldAt)))
	}
	return out, nil
}

// loadSale loads one of the owner's sales.
func loadSale(ctx context.Context, client *ent.Client, owner core.Owner, id wire.ID) (*ent.Sale, error) {
	row, err := client.Sale.Query().Where(sale.ID(int64(id)), sale.Owner(int64(owner))).Only(ctx)
	return row, core.NotLoaded(err, refusal.SaleNotFound, "sale", int64(id))
}
