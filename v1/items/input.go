package items

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/v1/core"
	"sellerd/v1/markup"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// ItemInput is the seller's part of an item, in a submission and in a change.
type ItemInput struct {
	SaleType          wire.Opt[string]      `json:"sale_type" validate:"oneof=auction fixed_price" fixed:"true" doc:"cannot change" example:"fixed_price"`
	Title             wire.Opt[string]      `json:"title" validate:"min=1,max=120,notblank,oneline,plaintext" doc:"plain text" example:"France 1849, 20c black Ceres"`
	Subtitle          wire.Opt[string]      `json:"subtitle" validate:"omitnil,min=1,max=120,notblank,oneline,plaintext" doc:"plain text; needs options.subtitle"`
	Description       wire.Opt[string]      `json:"description" validate:"omitnil,max=120000" doc:"HTML from an allow-list; the rest is removed. At most 10000 characters without the tags, where an entity is one character"`
	PersonalReference wire.Opt[string]      `json:"personal_reference" validate:"omitnil,min=1,max=64,oneline" doc:"your own name for the item; need not be unique"`
	CategoryID        wire.Opt[wire.ID]     `json:"category_id" validate:"required" doc:"a selectable category" example:"1021"`
	Price             wire.Opt[wire.Money]  `json:"price" validate:"omitnil" doc:"required for fixed_price, forbidden for auction"`
	StartingPrice     wire.Opt[wire.Money]  `json:"starting_price" validate:"omitnil" doc:"required for auction, forbidden for fixed_price"`
	BidIncrement      wire.Opt[wire.Money]  `json:"bid_increment" validate:"omitnil" doc:"auction only; by default the marketplace's steps apply"`
	ReservePrice      wire.Opt[wire.Money]  `json:"reserve_price" validate:"omitnil" doc:"auction only; below it the item is not sold"`
	Quantity          wire.Opt[int]         `json:"quantity" validate:"omitnil,min=1,max=50000" default:"1" doc:"more than 1 with fixed_price only"`
	DurationDays      wire.Opt[int]         `json:"duration_days" validate:"omitnil,oneof=7 10 14 21 28" doc:"null is 7 for auction, 28 for fixed_price; excludes ends_at"`
	PreferredEndDay   wire.Opt[string]      `json:"preferred_end_day" validate:"omitnil,oneof=mon tue wed thu fri sat sun" doc:"the end moves on to this day; without effect with ends_at"`
	PreferredEndTime  wire.Opt[string]      `json:"preferred_end_time" validate:"omitnil,clock" doc:"HH:MM in the account's time zone; the end moves on to this time; without effect with ends_at"`
	StartsAt          wire.Opt[wire.Time]   `json:"starts_at" validate:"omitnil" fixed:"true" doc:"at most 60 days ahead; cannot change"`
	EndsAt            wire.Opt[wire.Time]   `json:"ends_at" validate:"omitnil" doc:"at most 90 days after the start; excludes duration_days"`
	Renewals          wire.Opt[int]         `json:"renewals" validate:"omitnil,oneof=0 1 2 3 4 5 10 99" default:"0" doc:"how often an unsold item goes on; 99 is until sold"`
	ShippingModelID   wire.Opt[wire.ID]     `json:"shipping_model_id" validate:"omitnil" doc:"one of your shipping models"`
	WeightGrams       wire.Opt[int]         `json:"weight_grams" validate:"omitnil,min=1,max=100000" doc:"required when the shipping model charges by weight"`
	Images            []ImageInput          `json:"images" validate:"images=99" doc:"https addresses, as strings or objects"`
	Options           wire.Opt[ItemOptions] `json:"options" validate:"omitnil"`
	Site              wire.Opt[string]      `json:"site" validate:"omitnil,oneof=net fr de nl it es co.uk com ch be at ca com.au" default:"net" doc:"national site shown on beside .net"`
}

// ImageInput is a picture to fetch.
type ImageInput struct {
	URL string `json:"url" alone:"true" target:"true" doc:"https address on a public host" example:"https://images.example.com/stamp.jpg"`
}

// The kinds of sale.
const (
	SaleTypeAuction    = "auction"
	SaleTypeFixedPrice = "fixed_price"
)

const (
	maxStartAhead = 60 * 24 * time.Hour
	maxRunning    = 90 * 24 * time.Hour
)

// shippingType is what the check of an item needs to know of a shipping model.
type shippingType struct {
	name    string // by weight, for example
	known   bool
	retired bool // valid only for an item that has the model already
}

// check is a check of a whole item, new or changed.
type check struct {
	*Items
	call  *core.Call
	start wire.Time // of the run
	// the item before a change, whose start, images and shipping model are not checked again; nil for a new one
	earlier  *ItemInput
	models   map[wire.ID]shippingType // those that were looked up, so that 100 items need one query; nil: each item looks its own up
	at       string                   // the place of the item in the body, with a dot at its end; empty for the body itself
	problems *refusal.Problems        // get all errors
}

// item checks an input. It fails if the database does.
func (k *check) item(ctx context.Context, in *ItemInput) error {
	wire.CheckRules(in, k.at, k.problems)
	in.checkDescription(k.at, k.problems)
	in.checkSaleType(k.at, k.problems)
	in.checkCurrency(k.at, k.problems)
	k.dates(in)
	if in.Subtitle.Set && !in.Options.V.Subtitle {
		k.problems.Add(refusal.MissingField, k.at+"options.subtitle", "is required with a subtitle")
	}
	for i, image := range in.Images {
		if k.earlier != nil && slices.Contains(k.earlier.Images, image) {
			continue
		}
		if err := k.CheckAddress(k.call, image.URL); err != nil {
			k.problems.Add(refusal.InvalidImageURL, fmt.Sprintf("%simages[%d].url", k.at, i), "%s", err)
		}
	}
	if in.CategoryID.Set {
		k.CheckCategory(in.CategoryID.V, k.at, k.problems)
	}
	return k.shipping(ctx, in)
}

// checkDescription adds the error of a description whose text is too long. The rule of the tag is about all of it.
func (in *ItemInput) checkDescription(at string, problems *refusal.Problems) {
	switch limit := markup.Check(in.Description.V); {
	case limit == 0 || problems.Has(at+"description"):
	case limit == markup.MaxText:
		problems.Add(refusal.TooLong, at+"description", "must have at most %d characters of text, not counting tags", limit)
	default:
		problems.Add(refusal.TooLong, at+"description", "must have at most %d characters with its tags", limit)
	}
}

// CheckCategory adds the errors of a category_id that cannot hold items.
func (s *Items) CheckCategory(id wire.ID, at string, problems *refusal.Problems) {
	switch category, ok := s.Reference.Categories.Lookup(int64(id)); {
	case !ok:
		problems.Add(refusal.UnknownCategory, at+"category_id", "There is no category %s.", id)
	case !category.Selectable:
		problems.Add(refusal.CategoryNotSelectable, at+"category_id", "Category %s only groups others: choose one of its descendants.", id)
	}
}

func (in *ItemInput) checkSaleType(at string, problems *refusal.Problems) {
	need := func(field string, set bool) {
		if !set {
			problems.Add(refusal.MissingField, at+field, "is required for sale_type %s", in.SaleType.V)
		}
	}
	refuse := func(field string, set bool) {
		if set {
			problems.Add(refusal.ConflictingFields, at+field, "does not go with sale_type %s", in.SaleType.V)
		}
	}
	switch in.SaleType.V {
	case SaleTypeAuction:
		need("starting_price", in.StartingPrice.Set)
		refuse("price", in.Price.Set)
		refuse("quantity", in.Quantity.Set && in.Quantity.V != 1)
		if in.ReservePrice.Set && in.StartingPrice.Set && in.ReservePrice.V.Currency == in.StartingPrice.V.Currency &&
			in.ReservePrice.V.Amount != 0 && in.ReservePrice.V.Amount < in.StartingPrice.V.Amount {
			problems.Add(refusal.OutOfRange, at+"reserve_price", "must be at least the starting price")
		}
	case SaleTypeFixedPrice:
		need("price", in.Price.Set)
		refuse("starting_price", in.StartingPrice.Set)
		refuse("bid_increment", in.BidIncrement.Set)
		refuse("reserve_price", in.ReservePrice.Set)
	}
}

// amounts are the item's prices with their names, the leading one first.
func (in *ItemInput) amounts() []struct {
	name  string
	value wire.Opt[wire.Money]
} {
	return []struct {
		name  string
		value wire.Opt[wire.Money]
	}{{"price", in.Price}, {"starting_price", in.StartingPrice}, {"bid_increment", in.BidIncrement}, {"reserve_price", in.ReservePrice}}
}

func (in *ItemInput) checkCurrency(at string, problems *refusal.Problems) {
	var first wire.Currency
	for _, amount := range in.amounts() {
		switch currency := amount.value.V.Currency; {
		case !amount.value.Set || currency == "":
		case first == "":
			first = currency
		case currency != first:
			problems.Add(refusal.CurrencyMismatch, at+amount.name+".currency", "must be %s like the item's other amounts", string(first))
		}
	}
}

// currency is the item's one currency.
func (in *ItemInput) currency() wire.Currency {
	for _, amount := range in.amounts() {
		if amount.value.Set {
			return amount.value.V.Currency
		}
	}
	return ""
}

func (k *check) dates(in *ItemInput) {
	now := k.Now()
	if in.StartsAt.Set && k.earlier == nil {
		switch ahead := in.StartsAt.V.Sub(now); {
		case ahead < 0:
			k.problems.Add(refusal.DateInPast, k.at+"starts_at", "must be in the future")
		case ahead > maxStartAhead:
			k.problems.Add(refusal.OutOfRange, k.at+"starts_at", "must be at most 60 days ahead")
		}
	}
	if !in.EndsAt.Set {
		return
	}
	if in.DurationDays.Set {
		k.problems.Add(refusal.ConflictingFields, k.at+"duration_days", "excludes ends_at")
	}
	switch {
	case in.EndsAt.V <= now:
		k.problems.Add(refusal.DateInPast, k.at+"ends_at", "must be in the future")
	case in.EndsAt.V <= k.start:
		k.problems.Add(refusal.OutOfRange, k.at+"ends_at", "must be after starts_at")
	case in.EndsAt.V.Sub(k.start) > maxRunning:
		k.problems.Add(refusal.OutOfRange, k.at+"ends_at", "must be at most 90 days after the start")
	}
}

func (k *check) shipping(ctx context.Context, in *ItemInput) error {
	c := k.call
	if !in.ShippingModelID.Set {
		return nil
	}
	model, seen := k.models[in.ShippingModelID.V]
	if !seen {
		var err error
		if model, err = k.shippingModelType(ctx, c, in.ShippingModelID.V); err != nil {
			return err
		}
		if k.models != nil {
			k.models[in.ShippingModelID.V] = model
		}
	}
	switch {
	case !model.known, model.retired && (k.earlier == nil || k.earlier.ShippingModelID != in.ShippingModelID):
		k.problems.Add(refusal.UnknownShippingModel, k.at+"shipping_model_id", "You have no shipping model %s.", in.ShippingModelID.V)
	case model.name == shipping.ByWeight && !in.WeightGrams.Set:
		k.problems.Add(refusal.WeightRequired, k.at+"weight_grams", "is required: the shipping model charges by weight")
	}
	return nil
}

// shippingModelType loads the type of an item's shipping model.
func (s *Items) shippingModelType(ctx context.Context, c *core.Call, id wire.ID) (shippingType, error) {
	row, err := s.Store.Reader().ShippingModel.Query().Where(shippingmodel.ID(int64(id)), shippingmodel.Owner(int64(c.Owner))).
		Select(shippingmodel.FieldType, shippingmodel.FieldState).Only(ctx)
	if ent.IsNotFound(err) {
		return shippingType{}, nil
	}
	if err != nil {
		return shippingType{}, fmt.Errorf("load shipping model: %w", err)
	}
	return shippingTypeOf(row), nil
}

func shippingTypeOf(row *ent.ShippingModel) shippingType {
	return shippingType{name: row.Type, known: true, retired: row.State != shipping.Active}
}

// endOf is the end of an item that starts at the given instant: ends_at, or duration_days later, postponed to the preferred
// day and time in the account's time zone. It is never earlier than the duration.
func (in *ItemInput) endOf(start wire.Time, zone string) wire.Time {
	if in.EndsAt.Set {
		return in.EndsAt.V
	}
	return endAfter(start, in.durationDays(), in.PreferredEndDay.V, in.PreferredEndTime.V, zone)
}

func (in *ItemInput) durationDays() int {
	if in.SaleType.V == SaleTypeAuction {
		return in.DurationDays.Or(7)
	}
	return in.DurationDays.Or(28)
}

var weekdays = map[string]time.Weekday{
	"sun": time.Sunday, "mon": time.Monday, "tue": time.Tuesday, "wed": time.Wednesday,
	"thu": time.Thursday, "fri": time.Friday, "sat": time.Saturday,
}

func endAfter(start wire.Time, days int, day, clock, zone string) wire.Time {
	end := start.Add(time.Duration(days) * 24 * time.Hour)
	if day == "" && clock == "" {
		return end
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	local := end.Std().In(location)
	hour, minute, second := local.Clock()
	nanosecond := local.Nanosecond()
	if clock != "" {
		at, _ := time.Parse("15:04", clock)
		hour, minute, second, nanosecond = at.Hour(), at.Minute(), 0, 0
	}
	for ahead := range 15 {
		named := time.Date(local.Year(), local.Month(), local.Day()+ahead, hour, minute, second, nanosecond, location)
		if day != "" && named.Weekday() != weekdays[day] {
			continue
		}
		// When clocks go back, an hour occurs twice, and the name of an instant in it may mean either.
		for _, shift := range []time.Duration{-time.Hour, 0, time.Hour} {
			if candidate := named.Add(shift); candidate.Hour() == named.Hour() && !candidate.Before(local) {
				return wire.TimeOf(candidate)
			}
		}
	}
	return end
}
