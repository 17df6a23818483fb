package items

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/publishing"
	"sellerd/v1/wire"
)

// This file hands package publishing the rules that it needs, and says what becomes of pictures. A draft becomes an item in store.go.

// newWorkers makes the publisher and the fetcher of new pictures.
func (s *Items) newWorkers() (err error) {
	s.Publisher, s.Fetcher, err = publishing.New(publishing.Config{
		Core: s.Core, Draft: readDraft, FetchImages: s.fetchImagesOf, RejectImages: sandboxRejection,
		Rejected: s.rejected, StoreItems: s.storeItems, Pictures: s.picturesOf,
	})
	return err
}

// PublishOnce claims due submissions, a hundred of an owner at most, brings them to their end, and says how many it leased.
func (s *Items) PublishOnce(ctx context.Context) (int, error) { return s.Publisher.Once(ctx) }

// RefreshImagesOnce fetches the pictures of changed items, and returns the number of items that it claimed.
func (s *Items) RefreshImagesOnce(ctx context.Context) (int, error) { return s.Fetcher.Once(ctx) }

// resume makes due at once what an earlier process has leased.
func (s *Items) resume(ctx context.Context, tx *ent.Client, _ wire.Time) error {
	if err := s.Publisher.Resume(ctx, tx); err != nil {
		return err
	}
	return s.Fetcher.Resume(ctx, tx)
}

// release gives back what this process has leased and did not finish.
func (s *Items) release(ctx context.Context) error {
	return errors.Join(s.Publisher.Release(ctx), s.Fetcher.Release(ctx))
}

// imagesFrom joins the pictures of an input with the results of fetching them.
func imagesFrom(wanted []ImageInput, fetched []outbound.FetchedImage) []Image {
	images := make([]Image, len(wanted))
	for i, want := range wanted {
		images[i] = Image{URL: want.URL, Position: i}
		images[i].take(fetched[i])
	}
	return images
}

func (i *Image) take(f outbound.FetchedImage) {
	if f.ErrorCode != "" {
		i.Status, i.ErrorCode = imageFailed, wire.Some(string(f.ErrorCode))
		return
	}
	i.Status, i.ErrorCode = imageReady, wire.Opt[string]{}
	i.Width, i.Height, i.ContentType = wire.Some(f.Width), wire.Some(f.Height), wire.Some(f.ContentType)
}

// picturesOf are the pictures of an item that wait to be fetched.
func (s *Items) picturesOf(leased *ent.Item) (publishing.Pictures, error) {
	images, err := wire.Raw[[]Image]{Text: leased.Images}.Value()
	if err != nil {
		return publishing.Pictures{}, fmt.Errorf("item %d: %w", leased.ID, err)
	}
	var urls []string
	for _, image := range images {
		if image.Status == imagePending {
			urls = append(urls, image.URL)
		}
	}
	store := func(ctx context.Context, tx *core.Change, row *ent.Item, fetched []outbound.FetchedImage) error {
		return s.In(tx).storeImages(ctx, row, images, fetched)
	}
	return publishing.Pictures{URLs: urls, Store: store}, nil
}

// imagePatience is how long after a change an image that may be reachable later is tried again, every imageRetry.
const (
	imagePatience = 2 * time.Minute
	imageRetry    = 15 * time.Second
)

// storeImages stores what an item's pictures are that were waited for, in the order in which they were fetched.
func (tx Change) storeImages(ctx context.Context, row *ent.Item, images []Image, fetched []outbound.FetchedImage) error {
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
	update := tx.Item.UpdateOneID(row.ID)
	if waiting {
		update.SetImagesDueAt(int64(tx.Clock.Add(imageRetry)))
	} else {
		update.ClearImagesDueAt().ClearImagesCause()
	}
	if slices.Equal(next, images) {
		return update.Exec(ctx)
	}
	saved, err := update.SetImages(wire.RawOf(next).Text).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).Save(ctx)
	if err != nil {
		return fmt.Errorf("update images of item %d: %w", row.ID, err)
	}
	if row.ImagesCause != nil {
		tx.Cause = cause.Parse(row.ImagesCause)
	}
	tx.EmitItem("item.updated", saved, row)
	return nil
}

// MaxImages is how many pictures an item may have.
const MaxImages = 99
