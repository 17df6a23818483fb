package publishing

import (
	"context"
	"database/sql"
	"errors"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
)

// Fetcher fetches the pictures that a change added to an item; the publisher fetches those of a submission. It is safe for
// concurrent use.
type Fetcher struct {
	worker[ent.Item]
	config Config
	lines  *lines
}

// Resume makes due at once what an earlier process has leased.
func (f *Fetcher) Resume(ctx context.Context, tx *ent.Client) error {
	return f.claims.Release(ctx, tx, "", releasedImages)
}

// fetchAll fetches the pictures of the items of a lease. It calls done with the owner of each item as the work on it ends.
func (f *Fetcher) fetchAll(ctx context.Context, held queue.Held[ent.Item], done func(owner int64)) error {
	b := &batch[ent.Item]{worker: &f.worker, held: held, done: done}
	for _, row := range held.Rows {
		var store func() error
		b.fetch(ctx, row.ID, row.Owner, func() {
			store = f.refresh(ctx, row, held)
		}, func() {
			defer done(row.Owner)
			err := store()
			b.note(err)
			if err != nil && ctx.Err() != nil {
				b.leave(row.ID)
			}
		})
	}
	return b.end(ctx)
}

// refresh fetches an item's pictures, and returns what stores them.
func (f *Fetcher) refresh(ctx context.Context, leased *ent.Item, held queue.Held[ent.Item]) (store func() error) {
	pictures, err := f.config.Pictures(leased)
	if err != nil {
		return func() error { return err }
	}
	fetching, cancel := context.WithTimeout(ctx, imageBudget)
	defer cancel()
	fetched := f.config.FetchImages(fetching, core.Owner(leased.Owner), pictures.URLs)
	return func() error { return f.store(ctx, leased, held, pictures, fetched) }
}

// store stores what an item's pictures are.
func (f *Fetcher) store(ctx context.Context, leased *ent.Item, held queue.Held[ent.Item], pictures Pictures, fetched []outbound.FetchedImage) error {
	err := f.claims.WhileLeased(ctx, held, func(ctx context.Context) error {
		return f.lines.asWorker(ctx, core.Owner(leased.Owner), func(ctx context.Context, tx *core.Change) error {
			row, err := f.stillLeased(ctx, tx, leased, held.Token)
			if row == nil || err != nil {
				return err
			}
			return pictures.Store(ctx, tx, row, fetched)
		})
	})
	if errors.Is(err, core.ErrBeingReset) { // the item is about to be removed
		f.core.Counters().StaleLeases.Add(1)
		return nil
	}
	return err
}

// stillLeased is the item as it is in a change; nil if the lease or the pictures are not those that were leased.
func (f *Fetcher) stillLeased(ctx context.Context, tx *core.Change, leased *ent.Item, token int64) (*ent.Item, error) {
	row, err := tx.Item.Query().Where(item.ID(leased.ID), item.Lease(token), item.Images(leased.Images)).Only(ctx)
	if ent.IsNotFound(err) {
		f.core.Counters().StaleLeases.Add(1) // the seller has changed the images, or another worker was faster
		return nil, nil
	}
	return row, wrap.Err(err, "load item %d", leased.ID)
}

// The statements that claim items with new images follow.

// imagesMost is how many items one claim takes, or somewhat more.
const imagesMost = 16

// ImageQueue is that of the fetcher of new pictures. Its index is items_owner_images_due.
var ImageQueue = queue.Queue{Table: item.Table, Waits: item.FieldImagesDueAt + " IS NOT NULL", Due: item.FieldImagesDueAt}

// releasedImages makes items with leased images due, as if no worker had leased them. $1 is now.
const releasedImages = item.FieldLease + " = 0, " + item.FieldImagesDueAt + " = $1"

// newImageClaims leases items with images to fetch.
func newImageClaims(c *core.Core) *queue.Claims[ent.Item] {
	return queue.NewClaims(queue.Config[ent.Item]{
		Queue: ImageQueue, Name: "images", Store: c.Store, Retrier: &c.Retrier,
		Now: c.Now, Uptime: c.Config.Uptime, Random: c.Config.Random,
		Most: imagesMost, Lasts: Lease, Lease: LeaseOfImages(c.Store), Released: releasedImages,
		Scan: func(found *sql.Rows, _ int64, row *ent.Item) error {
			return found.Scan(&row.ID, &row.Owner, &row.Images)
		},
		Owner:   func(row *ent.Item) int64 { return row.Owner },
		Prepare: c.IDs.Prepare,
	})
}

// LeaseOfImages is the statement that leases an owner's items: owner, now, token, until.
func LeaseOfImages(store queue.Store) string {
	return store.Claim(ImageQueue.Table, ImageQueue.Of(imagesMost), item.FieldLease+" = $3, "+item.FieldImagesDueAt+" = $4",
		item.FieldID+", "+item.FieldOwner+", "+item.FieldImages)
}
