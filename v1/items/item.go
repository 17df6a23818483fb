package items

import (
	"context"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Item is an item that is or was on sale. Its states are in docs/seller/states.md, Items.
type Item struct {
	ID                wire.ID              `json:"id"`
	URL               ItemURL              `json:"url" doc:"the item's page on the marketplace; in test mode a page of this service, because buyers do not see test items"`
	Mode              string               `json:"mode" enum:"live test"`
	SubmissionID      wire.SubmissionID    `json:"submission_id"`
	SaleType          string               `json:"sale_type" enum:"auction fixed_price"`
	Title             string               `json:"title"`
	Subtitle          wire.Opt[string]     `json:"subtitle"`
	Description       wire.Opt[string]     `json:"description" doc:"HTML, sanitised"`
	PersonalReference wire.Opt[string]     `json:"personal_reference"`
	CategoryID        wire.ID              `json:"category_id"`
	Price             wire.Opt[wire.Money] `json:"price"`
	StartingPrice     wire.Opt[wire.Money] `json:"starting_price"`
	BidIncrement      wire.Opt[wire.Money] `json:"bid_increment"`
	ReservePrice      wire.Opt[wire.Money] `json:"reserve_price"`
	CurrentPrice      wire.Opt[wire.Money] `json:"current_price" doc:"what a buyer would pay now"`
	BidCount          int                  `json:"bid_count"`
	FirstBidAt        wire.Opt[wire.Time]  `json:"first_bid_at"`
	Quantity          int                  `json:"quantity"`
	QuantityAvailable int                  `json:"quantity_available"`
	QuantitySold      int                  `json:"quantity_sold"`
	DurationDays      wire.Opt[int]        `json:"duration_days" enum:"7 10 14 21 28"`
	PreferredEndDay   wire.Opt[string]     `json:"preferred_end_day" enum:"mon tue wed thu fri sat sun"`
	PreferredEndTime  wire.Opt[string]     `json:"preferred_end_time" doc:"in the account's time zone"`
	StartsAt          wire.Opt[wire.Time]  `json:"starts_at"`
	EndsAt            wire.Opt[wire.Time]  `json:"ends_at"`
	PublishedAt       wire.Opt[wire.Time]  `json:"published_at"`
	ClosedAt          wire.Opt[wire.Time]  `json:"closed_at"`
	CreatedAt         wire.Time            `json:"created_at"`
	UpdatedAt         wire.Time            `json:"updated_at"`
	Renewals          int                  `json:"renewals" enum:"0 1 2 3 4 5 10 99"`
	RenewalsLeft      int                  `json:"renewals_left"`
	ShippingModelID   wire.Opt[wire.ID]    `json:"shipping_model_id"`
	WeightGrams       wire.Opt[int]        `json:"weight_grams"`
	Images            wire.Raw[[]Image]    `json:"images"`
	Options           ItemOptions          `json:"options"`
	Site              string               `json:"site" enum:"net fr de nl it es co.uk com ch be at ca com.au"`
	Status            string               `json:"status" enum:"scheduled open sold unsold closed"`
	CloseReason       wire.Opt[string]     `json:"close_reason" enum:"test lost_or_broken not_available incorrect sold_elsewhere other"`
	CloseNote         wire.Opt[string]     `json:"close_note"`
	RestartCount      int                  `json:"restart_count"`
	VisitCount        int64                `json:"visit_count" doc:"visits to the item's page; another number moves the ETag and not updated_at"`
}

// Image is one picture of an item.
type Image struct {
	URL         string           `json:"url"`
	Position    int              `json:"position" doc:"from 0, in the order submitted"`
	Status      string           `json:"status" enum:"pending ready failed"`
	Width       wire.Opt[int]    `json:"width" doc:"pixels"`
	Height      wire.Opt[int]    `json:"height" doc:"pixels"`
	ContentType wire.Opt[string] `json:"content_type"`
	ErrorCode   wire.Opt[string] `json:"error_code" enum:"image_unreachable image_too_large image_format_unsupported"`
}

// The states of images.
const (
	imagePending = "pending"
	imageReady   = "ready"
	imageFailed  = "failed"
)

// ItemOptions are the options for an item's display and sale.
type ItemOptions struct {
	BoldTitle         bool `json:"bold_title"`
	ColoredBorder     bool `json:"colored_border"`
	Highlight         bool `json:"highlight"`
	KeepOnRenewal     bool `json:"keep_on_renewal"`
	LastMinuteBidding bool `json:"last_minute_bidding"`
	PrivateBidding    bool `json:"private_bidding"`
	Subtitle          bool `json:"subtitle"`
	TopCategory       bool `json:"top_category"`
	TopListing        bool `json:"top_listing"`
	TopMain           bool `json:"top_main"`
}

func (o *ItemOptions) switches() [10]*bool {
	return [10]*bool{
		&o.BoldTitle, &o.ColoredBorder, &o.Highlight, &o.KeepOnRenewal, &o.LastMinuteBidding,
		&o.PrivateBidding, &o.Subtitle, &o.TopCategory, &o.TopListing, &o.TopMain,
	}
}

// Bits packs the options as the database has them, the first in the lowest bit. New options go to the end.
func (o ItemOptions) Bits() int64 {
	var bits int64
	for i, on := range o.switches() {
		if *on {
			bits |= 1 << i
		}
	}
	return bits
}

func OptionsOf(bits int64) (o ItemOptions) {
	for i, on := range o.switches() {
		*on = bits&(1<<i) != 0
	}
	return o
}

// ItemFrom is the one conversion from the database to the API.
func (s *Items) ItemFrom(row *ent.Item) Item {
	return Item{
		ID:                wire.ID(row.ID),
		URL:               s.ItemURL(core.Owner(row.Owner), row.ID),
		Mode:              core.Owner(row.Owner).Mode(),
		SubmissionID:      wire.SubmissionID(row.ID),
		SaleType:          row.SaleType,
		Title:             row.Title,
		Subtitle:          wire.Maybe(row.Subtitle),
		Description:       wire.MaybeText(row.Description),
		PersonalReference: wire.Maybe(row.PersonalReference),
		CategoryID:        wire.ID(row.CategoryID),
		Price:             wire.MaybeMoney(row.Price, row.Currency),
		StartingPrice:     wire.MaybeMoney(row.StartingPrice, row.Currency),
		BidIncrement:      wire.MaybeMoney(row.BidIncrement, row.Currency),
		ReservePrice:      wire.MaybeMoney(row.ReservePrice, row.Currency),
		CurrentPrice:      wire.MaybeMoney(&row.CurrentPrice, row.Currency),
		BidCount:          row.BidCount,
		FirstBidAt:        wire.MaybeTime(row.FirstBidAt),
		Quantity:          row.Quantity,
		QuantityAvailable: row.Quantity - row.QuantitySold,
		QuantitySold:      row.QuantitySold,
		DurationDays:      MaybeInt(row.DurationDays),
		PreferredEndDay:   wire.Maybe(row.PreferredEndDay),
		PreferredEndTime:  wire.Maybe(row.PreferredEndTime),
		StartsAt:          wire.MaybeTime(row.StartsAt),
		EndsAt:            wire.Some(wire.Time(row.EndsAt)),
		PublishedAt:       wire.MaybeTime(row.PublishedAt),
		ClosedAt:          wire.MaybeTime(row.ClosedAt),
		CreatedAt:         wire.Time(row.CreatedAt),
		UpdatedAt:         wire.Time(row.UpdatedAt),
		Renewals:          row.Renewals,
		RenewalsLeft:      row.RenewalsLeft,
		ShippingModelID:   wire.MaybeID(row.ShippingModelID),
		WeightGrams:       MaybeInt(row.WeightGrams),
		Images:            wire.Raw[[]Image]{Text: row.Images},
		Options:           OptionsOf(row.Options),
		Site:              row.Site,
		Status:            row.Status,
		CloseReason:       wire.Maybe(row.CloseReason),
		CloseNote:         wire.MaybeText(row.CloseNote),
		RestartCount:      row.RestartCount,
		VisitCount:        row.VisitCount,
	}
}

func MaybeInt(p *int64) wire.Opt[int] {
	if p == nil {
		return wire.Opt[int]{}
	}
	return wire.Some(int(*p))
}

// ItemURL is the address of an item's page: on the marketplace's site, or on the service itself for a test item. The
// marketplace does not show test items, and an address there could be that of another item.
type ItemURL struct {
	Site string
	ID   int64
}

func (s *Items) ItemURL(owner core.Owner, id int64) ItemURL {
	if owner.Test() {
		return ItemURL{s.Config.BaseURL, id}
	}
	return ItemURL{s.Config.SiteURL, id}
}

// AppendText writes the address.
func (u ItemURL) AppendText(b []byte) ([]byte, error) {
	return strconv.AppendInt(append(append(b, u.Site...), "/item/"...), u.ID, 10), nil
}

// String is the wire form.
func (u ItemURL) String() string {
	b, _ := u.AppendText(nil)
	return string(b)
}

// UnmarshalText reads an address that AppendText wrote.
func (u *ItemURL) UnmarshalText(b []byte) error {
	at := strings.LastIndex(string(b), "/item/")
	if at < 0 {
		return wire.ValueError{Code: refusal.InvalidValue, Message: "must be the address of an item's page"}
	}
	id, err := strconv.ParseInt(string(b[at+len("/item/"):]), 10, 64)
	if err != nil {
		return wire.ValueError{Code: refusal.InvalidValue, Message: "must be the address of an item's page"}
	}
	u.Site, u.ID = string(b[:at]), id
	return nil
}

// ItemRef names an item in a path.
type ItemRef struct {
	ID wire.ID `path:"id" missing:"item_not_found"`
}

// getItem reads one of the caller's items.
func (s *Items) getItem(ctx context.Context, c *core.Call, in *ItemRef) (*Item, error) {
	scan := ItemScans.Get().(*rows.Scanner[ent.Item])
	defer ItemScans.Put(scan)
	if err := s.scanItem(ctx, c, in.ID, scan); err != nil {
		return nil, err
	}
	out := s.ItemFrom(&scan.Row)
	c.Meta.ETag = out.Etag()
	return &out, nil
}

// LoadItem loads one of the owner's items in a change, for the caller that wants to move it.
func (tx Change) LoadItem(ctx context.Context, c *core.Call, id wire.ID) (*ent.Item, error) {
	row, err := tx.Item.Query().Where(item.ID(int64(id)), item.Owner(int64(tx.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.ItemNotFound, "item", int64(id))
	}
	return row, itemPrecondition(c, row)
}

// Etag is the item's entity tag: the time of its last change, which is different for each change of an owner, and the
// visits, which are not a change.
func (out *Item) Etag() string {
	b := append(make([]byte, 0, 32), '"')
	b = strconv.AppendInt(b, int64(out.UpdatedAt), 36)
	if out.VisitCount > 0 {
		b = strconv.AppendInt(append(b, '-'), out.VisitCount, 36)
	}
	return string(append(b, '"'))
}

// itemPrecondition is precondition for an item without regard to visits, which a change cannot overwrite.
func itemPrecondition(c *core.Call, row *ent.Item) error {
	if c.IfMatch == "" || c.IfMatch == "*" {
		return nil
	}
	version := `"` + strconv.FormatInt(row.UpdatedAt, 36)
	for tag := range etag.All(c.IfMatch) {
		if rest, same := strings.CutPrefix(tag, version); same && (rest == `"` || rest[0] == '-') {
			return nil
		}
	}
	return c.PreconditionFailed()
}
