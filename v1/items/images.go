package items

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
	"sellerd/v1/wire"
)

// This file fetches the pictures that a change added to an item; the publisher fetches those of a submission.

// RefreshImagesOnce fetches the pictures of changed items, and returns the number of items that it claimed.
func (s *Items) RefreshImagesOnce(ctx context.Context) (int, error) {
	held, _, err := s.imageClaims.Take(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(held.Rows), s.refreshAll(ctx, held, func(int64) {})
}

// imagesMost is how many items one claim takes, or somewhat more.
const imagesMost = 16

// ImageQueue is that of the fetcher of new pictures. Its index is items_owner_images_due.
var ImageQueue = queue.Queue{Table: item.Table, Waits: item.FieldImagesDueAt + " IS NOT NULL", Due: item.FieldImagesDueAt}

// releasedImages makes items with leased images due, as if no worker had leased them. $1 is now.
const releasedImages = item.FieldLease + " = 0, " + item.FieldImagesDueAt + " = $1"

// newImageClaims leases items with images to fetch.
func (s *Items) newImageClaims() *queue.Claims[ent.Item] {
	return queue.NewClaims(queue.Config[ent.Item]{
		Queue: ImageQueue, Name: "images", Store: s.Store, Retrier: &s.Retrier,
		Now: s.Now, Uptime: s.Config.Uptime, Random: s.Config.Random,
		Most: imagesMost, Lasts: PublishLease, Lease: s.LeaseOfImages(), Released: releasedImages,
		Scan: func(found *sql.Rows, _ int64, row *ent.Item) error {
			return found.Scan(&row.ID, &row.Owner, &row.Images)
		},
		Owner:   func(row *ent.Item) int64 { return row.Owner },
		Prepare: s.IDs.Prepare,
	})
}

// LeaseOfImages is the statement that leases an owner's items: owner, now, token, until.
func (s *Items) LeaseOfImages() string {
	return s.Store.Claim(ImageQueue.Table, ImageQueue.Of(imagesMost), item.FieldLease+" = $3, "+item.FieldImagesDueAt+" = $4",
		item.FieldID+", "+item.FieldOwner+", "+item.FieldImages)
}

func (s *Items) refreshAll(ctx context.Context, held queue.Held[ent.Item], done func(owner int64)) error {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed error
		left   []int64 // items whose images are not fetched because the program ends
	)
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = cmp.Or(failed, err)
	}
	leave := func(id int64) {
		mu.Lock()
		defer mu.Unlock()
		left = append(left, id)
	}
	for _, row := range held.Rows {
		wg.Go(func() {
			defer done(row.Owner)
			end, err := s.imageTurns.Take(ctx, core.Owner(row.Owner))
			if err != nil { // the program ends
				leave(row.ID)
				return
			}
			defer end()
			if held.Until.Sub(s.Now()) < imageBudget {
				note(s.giveImagesBack(ctx, held, row.ID)) // the lease could end before the images are here
				return
			}
			err = s.refreshImages(ctx, row, held)
			note(err)
			if err != nil && ctx.Err() != nil {
				leave(row.ID)
			}
		})
	}
	wg.Wait()
	if len(left) > 0 {
		note(s.giveImagesBack(ctx, held, left...))
	}
	return failed
}

// giveImagesBack makes items due at once whose images this worker does not fetch, as if it had never leased them.
func (s *Items) giveImagesBack(ctx context.Context, held queue.Held[ent.Item], ids ...int64) error {
	err := s.imageClaims.WhileLeased(ctx, held, func(ctx context.Context) error {
		return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			now := s.Now()
			return tx.Item.Update().Where(item.ImagesDueAtGT(int64(now)), item.IDIn(ids...), item.Lease(held.Token)).
				SetLease(0).SetImagesDueAt(int64(now)).Exec(ctx)
		})
	})
	if err != nil {
		return fmt.Errorf("give images back: %w", err)
	}
	return nil
}

// imagePatience is how long after a change an image that may be reachable later is tried again, every imageRetry.
const (
	imagePatience = 2 * time.Minute
	imageRetry    = 15 * time.Second
)

// refreshImages fetches an item's pictures and stores what they are.
func (s *Items) refreshImages(ctx context.Context, leased *ent.Item, held queue.Held[ent.Item]) error {
	images, err := wire.Raw[[]Image]{Text: leased.Images}.Value()
	if err != nil {
		return fmt.Errorf("item %d: %w", leased.ID, err)
	}
	var urls []string
	for _, image := range images {
		if image.Status == imagePending {
			urls = append(urls, image.URL)
		}
	}
	fetching, cancel := context.WithTimeout(ctx, imageBudget)
	fetched := s.fetchImagesOf(fetching, core.Owner(leased.Owner), urls)
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = s.imageClaims.WhileLeased(ctx, held, func(ctx context.Context) error {
		return s.storeImages(ctx, leased, held.Token, images, fetched)
	})
	if errors.Is(err, core.ErrBeingReset) { // the item is about to be removed
		s.Counters().StaleLeases.Add(1)
		return nil
	}
	return err
}

// storeImages stores what an item's pictures are that were waited for, in the order in which they were fetched.
func (s *Items) storeImages(ctx context.Context, leased *ent.Item, token int64, images []Image, fetched []outbound.FetchedImage) error {
	return s.asPublisher(ctx, core.Owner(leased.Owner), func(ctx context.Context, tx Change) error {
		row, err := tx.Item.Query().Where(item.ID(leased.ID), item.Lease(token), item.Images(leased.Images)).Only(ctx)
		if ent.IsNotFound(err) {
			s.Counters().StaleLeases.Add(1) // the seller has changed the images, or another worker was faster
			return nil
		}
		if err != nil {
			return fmt.Errorf("load item %d: %w", leased.ID, err)
		}
		next := slices.Clone(images)
		patient, waiting := tx.Clock.Sub(wire.Time(row.UpdatedAt)) < imagePatience, false
		for i, n := 0, 0; i < len(next); i++ {
			if next[i].Status != imagePending {
				continue
			}
			if fetched[n].Retry && patient {
				waiting = true
			} else {
				next[i].take(fetched[n])
			}
			n++
		}
		update := tx.Item.UpdateOneID(row.ID).ClearImagesDueAt()
		if waiting {
			update.SetImagesDueAt(int64(tx.Clock.Add(imageRetry)))
		}
		if slices.Equal(next, images) {
			return update.Exec(ctx)
		}
		saved, err := update.SetImages(wire.RawOf(next).Text).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).Save(ctx)
		if err != nil {
			return fmt.Errorf("update images of item %d: %w", row.ID, err)
		}
		tx.EmitItem("item.updated", saved, row)
		return nil
	})
}

// MaxImages is how many pictures an item may have.
const MaxImages = 99
