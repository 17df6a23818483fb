package items

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/keycheck"
	"sellerd/v1/outbound"
	"sellerd/v1/publishing"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file converts an item between its input (ItemInput) and its row, and stores and reads rows of items.

// setItem writes an input into a row. The current price follows the input until there is a bid.
func setItem(m *ent.ItemMutation, in *ItemInput, hasBids bool) {
	m.SetSaleType(in.SaleType.V)
	m.SetTitle(in.Title.V)
	SetOrClear(in.Subtitle.Ptr(), m.SetSubtitle, m.ClearSubtitle)
	SetOrClear(in.Description.Ptr(), m.SetDescription, m.ClearDescription)
	SetOrClear(in.PersonalReference.Ptr(), m.SetPersonalReference, m.ClearPersonalReference)
	m.SetCategoryID(int64(in.CategoryID.V))
	m.SetCurrency(string(in.currency()))
	SetOrClear(wire.MinorUnits(in.Price), m.SetPrice, m.ClearPrice)
	SetOrClear(wire.MinorUnits(in.StartingPrice), m.SetStartingPrice, m.ClearStartingPrice)
	SetOrClear(wire.MinorUnits(in.BidIncrement), m.SetBidIncrement, m.ClearBidIncrement)
	SetOrClear(wire.MinorUnits(in.ReservePrice), m.SetReservePrice, m.ClearReservePrice)
	if !hasBids {
		m.SetCurrentPrice(int64(in.Price.V.Amount + in.StartingPrice.V.Amount)) // an item has one of them
	}
	m.SetQuantity(in.Quantity.Or(1))
	duration := in.DurationDays
	if !duration.Set && !in.EndsAt.Set {
		duration = wire.Some(in.durationDays())
	}
	SetOrClear(wire.Int64Ptr(duration), m.SetDurationDays, m.ClearDurationDays)
	SetOrClear(in.PreferredEndDay.Ptr(), m.SetPreferredEndDay, m.ClearPreferredEndDay)
	SetOrClear(in.PreferredEndTime.Ptr(), m.SetPreferredEndTime, m.ClearPreferredEndTime)
	m.SetRenewals(in.Renewals.Or(0))
	SetOrClear(wire.Int64Ptr(in.ShippingModelID), m.SetShippingModelID, m.ClearShippingModelID)
	SetOrClear(wire.Int64Ptr(in.WeightGrams), m.SetWeightGrams, m.ClearWeightGrams)
	m.SetOptions(in.Options.V.Bits())
	m.SetSite(in.Site.Or("net"))
	m.SetSearch(searchText(in))
}

func SetOrClear[T any](p *T, set func(T), reset func()) {
	if p == nil {
		reset()
		return
	}
	set(*p)
}

// InputOfItem is the input that would make the item as it is.
func InputOfItem(row *ent.Item) (ItemInput, error) {
	in := ItemInput{
		SaleType: wire.Some(row.SaleType), Title: wire.Some(row.Title), Subtitle: wire.Maybe(row.Subtitle), Description: wire.Maybe(row.Description),
		PersonalReference: wire.Maybe(row.PersonalReference), CategoryID: wire.Some(wire.ID(row.CategoryID)),
		Price: wire.MaybeMoney(row.Price, row.Currency), StartingPrice: wire.MaybeMoney(row.StartingPrice, row.Currency),
		BidIncrement: wire.MaybeMoney(row.BidIncrement, row.Currency), ReservePrice: wire.MaybeMoney(row.ReservePrice, row.Currency),
		DurationDays: MaybeInt(row.DurationDays), PreferredEndDay: wire.Maybe(row.PreferredEndDay), PreferredEndTime: wire.Maybe(row.PreferredEndTime),
		StartsAt: wire.MaybeTime(row.StartsAt), Renewals: wire.Some(row.Renewals),
		ShippingModelID: wire.MaybeID(row.ShippingModelID), WeightGrams: MaybeInt(row.WeightGrams),
		Options: wire.Some(OptionsOf(row.Options)), Site: wire.Some(row.Site),
	}
	if row.SaleType == SaleTypeFixedPrice {
		in.Quantity = wire.Some(row.Quantity)
	}
	if row.DurationDays == nil {
		in.EndsAt = wire.Some(wire.Time(row.EndsAt))
	}
	images, err := wire.Raw[[]Image]{Text: row.Images}.Value()
	if err != nil {
		return ItemInput{}, fmt.Errorf("item %d: %w", row.ID, err)
	}
	for _, image := range images {
		in.Images = append(in.Images, ImageInput{image.URL})
	}
	return in, nil
}

// draft is an input that waits to be published.
type draft struct{ in ItemInput }

func readDraft(text string) (publishing.Draft, error) {
	in, err := wire.Raw[ItemInput]{Text: text}.Value()
	return &draft{in}, err
}

// ImageURLs implements publishing.Draft.
func (d *draft) ImageURLs() []string {
	return each.Of(d.in.Images, func(image ImageInput) string { return image.URL })
}

// Item implements publishing.Draft: the item is scheduled if its start lies ahead, else open from now on.
func (d *draft) Item(tx *core.Change, id int64, zone string, images []outbound.FetchedImage) *ent.ItemCreate {
	start, status := tx.Clock, ItemOpen
	if d.in.StartsAt.Set && d.in.StartsAt.V > tx.Clock {
		start, status = d.in.StartsAt.V, ItemScheduled
	}
	ends := d.in.endOf(start, zone)
	create := tx.Item.Create().SetID(id).SetOwner(int64(tx.Owner))
	setItem(create.Mutation(), &d.in, false)
	due := ends
	if status == ItemScheduled {
		due = start
	}
	return create.SetStatus(status).SetNillableStartsAt(wire.Int64Ptr(d.in.StartsAt)).
		SetRunStartedAt(int64(start)).SetEndsAt(int64(ends)).SetDueAt(int64(due)).
		SetPublishedAt(int64(tx.Now)).SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).
		SetRenewalsLeft(d.in.Renewals.Or(0)).SetImages(wire.RawOf(imagesFrom(d.in.Images, images)).Text).SetSequence(1)
}

// storeItems stores the items of a set, which were submissions, and says so.
func (s *Items) storeItems(ctx context.Context, client *ent.Client, creates []publishing.NewItem) error {
	late := s.Store.Late(ctx)
	items := make([]ent.Item, len(creates))
	values := make([]any, 0, len(item.Columns)*len(creates))
	for i := range creates { // what is not set is 0, empty or null, as the schema's defaults are
		m := creates[i].Create.Mutation()
		items[i].ID, _ = m.ID()
		values = itemRecord.Fill(&items[i], m, values)
	}
	if err := itemInsert.Rows(late, client, nil, values); err != nil {
		return fmt.Errorf("create items: %w", err)
	}
	crash.At(crash.MidPublish)
	var words []rows.Word
	for i := range items {
		row := &items[i]
		for word := range strings.FieldsSeq(row.Search) {
			words = append(words, rows.Word{Owner: row.Owner, Text: word, Item: row.ID})
		}
		creates[i].Tx.ItemChanged(nil, row)
		creates[i].Tx.Cause = cause.Parse(creates[i].Cause)
		s.In(creates[i].Tx).EmitItem("item.published", row, nil)
	}
	return wrap.Err(rows.InsertWords(late, client, words), "index words")
}

// Items are stored with one statement of a fixed text for a set.
var (
	insertedColumns = rows.ColumnsBut(item.Columns, item.FieldImagesCause) // a new item waits for no pictures
	itemInsert      = rows.NewInsert(item.Table, nil, insertedColumns, nil)
	itemRecord      = rows.NewRecord[ent.Item](insertedColumns)
)

// mergeImages lists the pictures of the input, with the stored results of those that the item has already. It says whether
// any has to be fetched.
func mergeImages(known string, wanted []ImageInput) (text string, pending bool, err error) {
	had, err := wire.Raw[[]Image]{Text: known}.Value()
	if err != nil {
		return "", false, err
	}
	images := make([]Image, len(wanted))
	for i, want := range wanted {
		images[i] = Image{URL: want.URL, Status: imagePending}
		if at := slices.IndexFunc(had, func(image Image) bool { return image.URL == want.URL && image.Status == imageReady }); at >= 0 {
			images[i] = had[at]
		}
		images[i].Position = i
		pending = pending || images[i].Status == imagePending
	}
	return wire.RawOf(images).Text, pending, nil
}

// searchText is the item's words, each between spaces.
func searchText(in *ItemInput) string {
	found := reference.Words(in.Title.V, in.PersonalReference.V)
	if len(found) == 0 {
		return ""
	}
	return " " + strings.Join(found, " ") + " "
}

// indexWords updates the indexed words of an item. In a call with many changes it is called once for an item, at the end.
func (tx Change) indexWords(ctx context.Context, id int64, before, after string) error {
	if before == after || tx.Items != nil {
		return nil
	}
	return tx.storeWords(ctx, []wordChange{{id, before, after}})
}

// wordChange is an item with its search text before a change and after it.
type wordChange struct {
	id            int64
	before, after string
}

// storeWords updates the indexed words of items.
func (tx Change) storeWords(ctx context.Context, changes []wordChange) error {
	var gone []any
	var fresh []rows.Word
	for _, c := range changes {
		was, is := strings.Fields(c.before), strings.Fields(c.after)
		for _, word := range was {
			if !slices.Contains(is, word) {
				gone = append(gone, int64(tx.Owner), word, c.id)
			}
		}
		for _, word := range is {
			if !slices.Contains(was, word) {
				fresh = append(fresh, rows.Word{Owner: int64(tx.Owner), Text: word, Item: c.id})
			}
		}
	}
	late := tx.s.Store.Late(ctx)
	if err := rows.WordRemoval.On(tx.s.Store.ManyWriters()).Exec(late, tx.Client, gone); err != nil {
		return fmt.Errorf("remove words: %w", err)
	}
	return wrap.Err(rows.InsertWords(late, tx.Client, fresh), "add words")
}

// The two hottest reads, one item and a page of items, are one statement through ent's client and are scanned into one
// reused row: ent's own query builders spend three times the allocations (internal/proof/bench has the figures, and a test
// compares both ways). Column names come from ent, so a change of the schema breaks the build or that test.

// itemColumns are what an answer shows of an item. The others are the service's own, and each would cost every page.
var (
	itemColumns = rows.ColumnsBut(item.Columns,
		item.FieldOwner, item.FieldHighBidderID, item.FieldImagesDueAt, item.FieldImagesCause, item.FieldSequence, item.FieldRunStartedAt,
		item.FieldDueAt, item.FieldSearch, item.FieldLease)
	itemColumnList = rows.ColumnList(item.Table, itemColumns)
)

// The second statement also confirms a claim.
var (
	itemByID        = "SELECT " + itemColumnList + " FROM " + item.Table + " WHERE " + item.FieldID + " = $1 AND " + item.FieldOwner + " = $2"
	claimedItemByID = "SELECT " + itemColumnList + ", " + keycheck.FirstColumn() + " FROM " + item.Table +
		" WHERE " + item.FieldID + " = $4 AND " + item.FieldOwner + " = $5"
)

// ReadItem reads one of the owner's items outside a change, with all its columns.
func (s *Items) ReadItem(ctx context.Context, owner core.Owner, id wire.ID) (*ent.Item, error) {
	row, err := s.Store.Reader().Item.Query().Where(item.ID(int64(id)), item.Owner(int64(owner))).Only(ctx)
	return row, core.NotLoaded(err, refusal.ItemNotFound, "item", int64(id))
}

// ItemScans are spare scans of itemColumns, for reads that convert the row at once.
var ItemScans = sync.Pool{New: func() any { return rows.NewScanner[ent.Item](itemColumns) }}

// scanItem reads what an answer shows of one of the owner's items.
func (s *Items) scanItem(ctx context.Context, c *core.Call, id wire.ID, scan *rows.Scanner[ent.Item]) error {
	scan.Row.Owner = int64(c.Owner)
	query, args, targets := itemByID, make([]any, 0, 5), scan.Targets
	claimed := c.Claim.Open()
	if claimed {
		query = claimedItemByID
		_, first, target := c.Claim.Column()
		args, targets = append(args, first...), append(targets, target)
	}
	rows, err := s.Reads.Query(ctx, query, append(args, int64(id), int64(c.Owner))...)
	if err != nil {
		return fmt.Errorf("load item %d: %w", id, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or[error](rows.Err(), refusal.New(refusal.ItemNotFound))
	}
	if err := rows.Scan(targets...); err != nil {
		return fmt.Errorf("scan item %d: %w", id, err)
	}
	if claimed {
		return c.Claim.Confirm()
	}
	return nil
}
