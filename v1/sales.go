package v1

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/sale"
	"sellerd/v1/refusal"
)

// Sale is one purchase or one won auction. Its states are in docs/states.md, Sales.
type Sale struct {
	ID              ID           `json:"id"`
	ItemID          ID           `json:"item_id"`
	Item            SoldItem     `json:"item" doc:"as it was when it was sold"`
	Quantity        int          `json:"quantity"`
	UnitPrice       Money        `json:"unit_price"`
	TotalPrice      Money        `json:"total_price"`
	SoldAt          Time         `json:"sold_at"`
	Status          string       `json:"status" enum:"active cancelled"`
	Cancellation    Cancellation `json:"cancellation"`
	BillID          ID           `json:"bill_id"`
	Buyer           Buyer        `json:"buyer"`
	ShippingAddress Raw[Address] `json:"shipping_address"`
	RatingStatus    string       `json:"rating_status" enum:"unrated rated expired"`
	RatedAt         Opt[Time]    `json:"rated_at"`
	CreatedAt       Time         `json:"created_at"`
	UpdatedAt       Time         `json:"updated_at"`
}

// shownBuyer is the buyer whose data the sale has, see Call.buyerShown.
func (s *Sale) shownBuyer() ID { return s.Buyer.ID }

// SaleWithRating is the single read of a sale: it includes the seller's rating of the buyer.
type SaleWithRating struct {
	Sale
	Rating Opt[Rating] `json:"rating"`
}

// SoldItem is a sale's copy of its item's data.
type SoldItem struct {
	Title             string      `json:"title"`
	PersonalReference Opt[string] `json:"personal_reference"`
	CategoryID        ID          `json:"category_id"`
	SaleType          string      `json:"sale_type" enum:"auction fixed_price"`
	URL               ItemURL     `json:"url"`
}

// Cancellation is the state of a sale's cancellation.
type Cancellation struct {
	Status      string      `json:"status" enum:"none requested cancelled refused"`
	Reason      Opt[string] `json:"reason"`
	RequestedAt Opt[Time]   `json:"requested_at"`
	DecidedAt   Opt[Time]   `json:"decided_at"`
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
func ratingStatus(soldAt Time, ratedAt *int64, now Time) string {
	switch {
	case ratedAt != nil:
		return RatingRated
	case soldAt.Add(RatingWindow) <= now:
		return RatingExpired
	default:
		return RatingUnrated
	}
}

// saleFrom is the one conversion from the database to the API.
func (s *Market) saleFrom(row *ent.Sale, buyer *ent.Buyer, now Time) Sale {
	currency := Currency(row.Currency)
	return Sale{
		ID: ID(row.ID), ItemID: ID(row.ItemID),
		Item:     SoldItem{row.ItemTitle, Maybe(row.ItemReference), ID(row.ItemCategoryID), row.ItemSaleType, s.itemURL(Owner(row.Owner), row.ItemID)},
		Quantity: row.Quantity, UnitPrice: Money{Amount: Amount(row.UnitPrice), Currency: currency}, TotalPrice: Money{Amount: Amount(row.TotalPrice), Currency: currency},
		SoldAt: Time(row.SoldAt), Status: row.Status,
		Cancellation: Cancellation{
			row.CancellationStatus, Maybe(row.CancellationReason),
			MaybeTime(row.CancellationRequestedAt), MaybeTime(row.CancellationDecidedAt),
		},
		BillID: ID(row.BillID), Buyer: buyerFrom(buyer), ShippingAddress: Raw[Address]{Text: row.ShippingAddress},
		RatingStatus: ratingStatus(Time(row.SoldAt), row.RatedAt, now), RatedAt: MaybeTime(row.RatedAt),
		CreatedAt: Time(row.CreatedAt), UpdatedAt: Time(row.UpdatedAt),
	}
}

// SaleRef names a sale in a path.
type SaleRef struct {
	ID ID `path:"id" missing:"sale_not_found"`
}

// getSale reads one of the caller's sales with its rating, from one snapshot.
func (s *Market) getSale(ctx context.Context, c *Call, in *SaleRef) (out *SaleWithRating, err error) {
	err = s.reads.Snapshot(ctx, func(ctx context.Context, tx *ent.Client) error {
		out, err = s.readSale(ctx, tx, c.Owner, in.ID)
		return err
	})
	return out, err
}

// readSale reads a whole sale, in a change or outside.
func (s *Market) readSale(ctx context.Context, client *ent.Client, owner Owner, id ID) (*SaleWithRating, error) {
	row, err := loadSale(ctx, client, owner, id)
	if err != nil {
		return nil, err
	}
	buyer, err := client.Buyer.Get(ctx, row.BuyerID)
	if err != nil {
		return nil, fmt.Errorf("load buyer of sale %d: %w", id, err)
	}
	out := &SaleWithRating{Sale: s.saleFrom(row, buyer, s.now())}
	if row.RatedAt != nil {
		rating, err := client.Rating.Get(ctx, row.ID)
		if err != nil {
			return nil, fmt.Errorf("load rating of sale %d: %w", id, err)
		}
		out.Rating = Some(ratingFrom(rating, Time(row.SoldAt)))
	}
	return out, nil
}

// loadSale loads one of the owner's sales.
func loadSale(ctx context.Context, client *ent.Client, owner Owner, id ID) (*ent.Sale, error) {
	row, err := client.Sale.Query().Where(sale.ID(int64(id)), sale.Owner(int64(owner))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, refusal.New(SaleNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("load sale %d: %w", id, err)
	}
	return row, nil
}
