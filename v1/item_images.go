package v1

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/ent/item"
)

// This file fetches the pictures that a change added to an item; those of a submission are the publisher's.

// RefreshImagesOnce fetches the pictures that changed items wait for, and says how many items it claimed.
func (s *Service) RefreshImagesOnce(ctx context.Context) (int, error) {
	claimed, err := s.claimImages(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(claimed), s.refreshAll(ctx, claimed, func(Owner) {})
}

const imagesClaim = 16

// claimImages leases items with images to fetch, oldest first, passing over owners that have enough in flight.
func (s *Service) claimImages(ctx context.Context, busy []Owner) (claimed []*ent.Item, err error) {
	if err := s.ids.prepare(ctx); err != nil {
		return nil, err
	}
	token, err := s.leaseToken()
	if err != nil {
		return nil, err
	}
	pass := ""
	if len(busy) > 0 {
		pass = " AND owner NOT IN (" + ownerList(busy) + ")"
	}
	query := `WITH due AS MATERIALIZED (SELECT id FROM items WHERE images_due_at IS NOT NULL AND images_due_at <= $1` + pass +
		` ORDER BY images_due_at, id LIMIT ` + strconv.Itoa(imagesClaim) + " " + s.store.SkipLocked() + `)
 UPDATE items SET images_due_at = $2, lease = $3 FROM due WHERE items.id = due.id RETURNING items.id, items.owner, items.images`
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		claimed = nil
		rows, err := tx.QueryContext(ctx, query, int64(s.now()), int64(s.now().Add(publishLease)), token)
		if err != nil {
			return fmt.Errorf("claim images: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			row := &ent.Item{Lease: token}
			if err := rows.Scan(&row.ID, &row.Owner, &row.Images); err != nil {
				return fmt.Errorf("claim images: %w", err)
			}
			claimed = append(claimed, row)
		}
		return rows.Err()
	})
	return claimed, err
}

func (s *Service) refreshAll(ctx context.Context, claimed []*ent.Item, done func(Owner)) error {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed error
	)
	for _, row := range claimed {
		wg.Go(func() {
			owner := Owner(row.Owner)
			defer done(owner)
			slots := s.slotsOf(owner)
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				return
			}
			err := s.refreshImages(ctx, row, row.Lease)
			mu.Lock()
			defer mu.Unlock()
			failed = firstError(failed, err)
		})
	}
	wg.Wait()
	return failed
}

// imagePatience is how long after a change an image that may be reachable later is tried again, every imageRetry.
const (
	imagePatience = 2 * time.Minute
	imageRetry    = 15 * time.Second
)

func (s *Service) refreshImages(ctx context.Context, claimed *ent.Item, token int64) error {
	images, err := Raw[[]Image]{claimed.Images}.Value()
	if err != nil {
		return fmt.Errorf("item %d: %w", claimed.ID, err)
	}
	var urls []string
	for _, image := range images {
		if image.Status == imagePending {
			urls = append(urls, image.URL)
		}
	}
	fetching, cancel := context.WithTimeout(ctx, imageBudget)
	fetched := s.fetchImagesOf(fetching, Owner(claimed.Owner), urls)
	cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.asOwner(ctx, Owner(claimed.Owner), 0, func(ctx context.Context, tx *Change) error {
		row, err := tx.Item.Query().Where(item.ID(claimed.ID), item.Lease(token), item.Images(claimed.Images)).Only(ctx)
		if ent.IsNotFound(err) {
			s.counters.StaleLeases.Add(1) // the seller has changed the images since, or another worker was faster
			return nil
		}
		if err != nil {
			return fmt.Errorf("load item %d: %w", claimed.ID, err)
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
