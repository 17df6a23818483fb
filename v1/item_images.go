package v1

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
)

// This file fetches the pictures that a change added to an item; the publisher fetches those of a submission.

// RefreshImagesOnce fetches the pictures of changed items, and returns the number of items that it claimed.
func (s *Service) RefreshImagesOnce(ctx context.Context) (int, error) {
	held, _, err := s.leaseImages(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(held.rows), s.refreshAll(ctx, held, func(Owner) {})
}

const imagesMost = 16

// imageLease is a set of items whose images this worker may fetch while the lease lasts.
type imageLease struct {
	token int64
	until Time
	ends  time.Duration // the same by the uptime
	rows  []*ent.Item
}

// leaseImages leases items with images to fetch, sixteen of them or somewhat more, and says whether there may be more. Owners
// have turns; it passes over those that have enough in flight.
func (s *Service) leaseImages(ctx context.Context, busy []Owner) (held imageLease, more bool, err error) {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	if err := s.ids.Prepare(ctx); err != nil {
		return held, false, err
	}
	if err := s.releaseLostImages(ctx); err != nil {
		return held, false, fmt.Errorf("release images: %w", err)
	}
	owners, next, err := imageQueue.dueOwners(ctx, s.store.Reader(), Owner(s.imageTurn.Load()), busy, s.now())
	if err != nil || len(owners) == 0 {
		return held, false, err
	}
	token, err := lease.NewToken(s.config.Random)
	if err != nil {
		return held, false, err
	}
	var turn Owner
	ends := s.config.Uptime() + publishLease
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.now()
		held = imageLease{token: token, until: now.Add(publishLease), ends: ends}
		turn = next
		for i, owner := range owners {
			if len(held.rows) >= imagesMost {
				turn = owners[max(0, i-1)]
				break
			}
			err := rows.Query(ctx, tx, s.leaseOfImages(), []any{int64(owner), int64(now), int64(held.until), token}, func(rows *sql.Rows) error {
				row := new(ent.Item)
				held.rows = append(held.rows, row)
				return rows.Scan(&row.ID, &row.Owner, &row.Images)
			})
			if err != nil {
				return fmt.Errorf("lease images: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		if len(held.rows) > 0 {
			s.lostImages.Note(token, ends)
		}
		return held, false, err
	}
	s.imageTurn.Store(int64(turn))
	return held, len(held.rows) >= imagesMost || turn != 0, nil
}

// leaseOfImages is the statement that leases an owner's items: owner, now, until, token.
func (s *Service) leaseOfImages() string {
	return s.store.Claim(imageQueue.table, imageQueue.of(imagesMost), "images_due_at = $3, lease = $4", "id, owner, images")
}

func (s *Service) refreshAll(ctx context.Context, held imageLease, done func(Owner)) error {
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
	for _, row := range held.rows {
		wg.Go(func() {
			owner := Owner(row.Owner)
			defer done(owner)
			slots := s.slotsOf(owner)
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				leave(row.ID)
				return
			}
			if held.until.Sub(s.now()) < imageBudget {
				note(s.giveImagesBack(ctx, held, row.ID)) // the lease could end before the images are here
				return
			}
			err := s.refreshImages(ctx, row, held)
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
func (s *Service) giveImagesBack(ctx context.Context, held imageLease, ids ...int64) error {
	err := s.whileLeased(ctx, held.ends, func(ctx context.Context) error {
		return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			return releaseImages(ctx, tx, s.now(), item.IDIn(ids...), item.Lease(held.token))
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
func (s *Service) refreshImages(ctx context.Context, leased *ent.Item, held imageLease) error {
	images, err := Raw[[]Image]{Text: leased.Images}.Value()
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
	fetched := s.fetchImagesOf(fetching, Owner(leased.Owner), urls)
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.whileLeased(ctx, held.ends, func(ctx context.Context) error {
		return s.storeImages(ctx, leased, held.token, images, fetched)
	})
}

// storeImages stores what an item's pictures are that were waited for, in the order in which they were fetched.
func (s *Service) storeImages(ctx context.Context, leased *ent.Item, token int64, images []Image, fetched []FetchedImage) error {
	return s.asPublisher(ctx, Owner(leased.Owner), func(ctx context.Context, tx *Change) error {
		row, err := tx.Item.Query().Where(item.ID(leased.ID), item.Lease(token), item.Images(leased.Images)).Only(ctx)
		if ent.IsNotFound(err) {
			s.counters.StaleLeases.Add(1) // the seller has changed the images, or another worker was faster
			return nil
		}
		if err != nil {
			return fmt.Errorf("load item %d: %w", leased.ID, err)
		}
		next := slices.Clone(images)
		patient, waiting := tx.Clock.Sub(Time(row.UpdatedAt)) < imagePatience, false
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
		saved, err := update.SetImages(RawOf(next).Text).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).Save(ctx)
		if err != nil {
			return fmt.Errorf("update images of item %d: %w", row.ID, err)
		}
		tx.emitItem("item.updated", saved, row)
		return nil
	})
}
