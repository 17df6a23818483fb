package publishing

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/combine"
	"sellerd/internal/base/turns"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
	"sellerd/v1/refusal"
)

// Config is what a publisher and a fetcher are made of. The functions are the rules of items that they need.
type Config struct {
	// Core has the database, the clock and the transactions of owners. Mandatory.
	Core *core.Core
	// Draft reads what a seller submitted. Mandatory.
	Draft func(text string) (Draft, error)
	// FetchImages fetches an owner's pictures. Results are in the order of the addresses. Mandatory.
	FetchImages func(ctx context.Context, owner core.Owner, urls []string) []outbound.FetchedImage
	// RejectImages says why a submission with these pictures is rejected before they are fetched; nil for no reason. Mandatory.
	RejectImages func(owner core.Owner, urls []string) refusal.Errors
	// Rejected is called in the transaction that rejects a submission, with its row as it is then. Mandatory.
	Rejected func(tx *core.Change, row *ent.Submission)
	// StoreItems stores the items of a set, in one transaction. Mandatory.
	StoreItems func(ctx context.Context, client *ent.Client, items []NewItem) error
	// Pictures reads the pictures of an item that a fetcher has leased. Mandatory.
	Pictures func(leased *ent.Item) (Pictures, error)
}

// NewItem is an item that is to be stored, in the change of its owner.
type NewItem struct {
	Tx     *core.Change
	Create *ent.ItemCreate
	Cause  *string // of its submission
}

// Draft is what a seller submitted.
type Draft interface {
	// ImageURLs are the addresses of its pictures.
	ImageURLs() []string
	// Item is the item that it becomes in a change of its owner, whose time zone is given.
	Item(tx *core.Change, id int64, zone string, images []outbound.FetchedImage) *ent.ItemCreate
}

// Pictures are those of an item that wait to be fetched.
type Pictures struct {
	URLs []string
	// Store stores what was fetched, in the order of URLs. row is the item in the change.
	Store func(ctx context.Context, tx *core.Change, row *ent.Item, fetched []outbound.FetchedImage) error
}

// New checks the configuration and makes a publisher and a fetcher. They share the turns and the lines of owners.
func New(c Config) (*Publisher, *Fetcher, error) {
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Core", c.Core == nil},
		{"Draft", c.Draft == nil},
		{"FetchImages", c.FetchImages == nil},
		{"RejectImages", c.RejectImages == nil},
		{"Rejected", c.Rejected == nil},
		{"StoreItems", c.StoreItems == nil},
		{"Pictures", c.Pictures == nil},
	} {
		if part.missing {
			return nil, nil, errors.New("publishing: the configuration lacks " + part.name)
		}
	}
	images, inLine := turns.New[core.Owner](ownerSlots), &lines{core: c.Core}
	p := &Publisher{config: c, lines: inLine}
	p.small = combine.New(smallMost, p.storeSmall)
	var finish queue.Finish[ent.Submission]
	if !c.Core.Store.ManyWriters() {
		finish = p.finishAtOnce
	}
	p.worker = worker[ent.Submission]{
		core: c.Core, name: "publisher", claims: newSubmissionClaims(c.Core, finish), turns: images,
		woken: c.Core.SignalFor(core.PublisherWorker), work: p.Publish,
	}
	f := &Fetcher{config: c, lines: inLine}
	f.worker = worker[ent.Item]{
		core: c.Core, name: "images", claims: newImageClaims(c.Core), turns: images, woken: c.Core.SignalFor(core.ImagesWorker), work: f.fetchAll,
	}
	return p, f, nil
}

const (
	// Lease is how long a lease lasts.
	Lease = 2 * time.Minute

	imageBudget = 30 * time.Second // for all images of one row
	ownerSlots  = 4                // submissions and items of one owner whose images are fetched at a time
)

// worker is what the publisher and the fetcher have in common: both lease rows and fetch their images.
type worker[R any] struct {
	core   *core.Core
	name   string // in the log
	claims *queue.Claims[R]
	turns  *turns.Turns[core.Owner] // of the rows of an owner whose images are fetched, over all claims
	woken  chan struct{}

	work func(ctx context.Context, held queue.Held[R], done func(owner int64)) error
}

// Once claims due rows, does its work on them, and says how many it leased.
func (w *worker[R]) Once(ctx context.Context) (int, error) {
	held, _, err := w.claims.Take(ctx, nil, true)
	if err != nil {
		return 0, err
	}
	return len(held.Rows) + held.Finished, w.work(ctx, held, func(int64) {})
}

// Claim leases due rows, but none of busy owners unless they are late.
func (w *worker[R]) Claim(ctx context.Context, busy ...int64) (queue.Held[R], error) {
	held, _, err := w.claims.Take(ctx, busy, false)
	return held, err
}

// Run works until ctx ends and all work in hand is done.
func (w *worker[R]) Run(ctx context.Context) {
	queue.Loop[R]{Name: w.name, Claims: w.claims, Work: w.work, Woken: w.woken, Logger: w.core.Config.Logger}.Run(ctx)
}

// Release gives back what this process has leased and did not finish.
func (w *worker[R]) Release(ctx context.Context) error {
	w.claims.Hurry()
	return w.claims.ReleaseLost(ctx)
}

// batch is the work on the rows of one lease, each of which goes its own way.
type batch[R any] struct {
	*worker[R]
	held queue.Held[R]
	done func(owner int64) // called with the owner of each row as the work on the row ends

	wg     sync.WaitGroup
	mu     sync.Mutex
	failed error   // the first error
	left   []int64 // rows that are not finished
}

// note keeps an error, if it is the first.
func (b *batch[R]) note(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed = cmp.Or(b.failed, err)
}

// leave notes a row that is not finished. It is given back if the program ends; else it waits for the end of its lease.
func (b *batch[R]) leave(id int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = append(b.left, id)
}

// fetch has the images of a row fetched beside those of others, when the row's owner has a turn. The turn ends with fetch, so that
// others fetch while store waits. store calls done. If the program ends, or the lease could end before the images are here, the row
// is left or given back instead.
func (b *batch[R]) fetch(ctx context.Context, id, owner int64, fetch, store func()) {
	b.wg.Go(func() {
		end, err := b.turns.Take(ctx, core.Owner(owner))
		if err != nil { // the program ends
			b.leave(id)
			b.done(owner)
			return
		}
		if b.held.Until.Sub(b.core.Now()) < imageBudget {
			end()
			b.note(b.claims.GiveBack(ctx, b.held, id))
			b.done(owner)
			return
		}
		fetch()
		end()
		if err := ctx.Err(); err != nil { // the program ends, and has cut the fetching off
			b.note(err)
			b.leave(id)
			b.done(owner)
			return
		}
		store()
	})
}

// end waits for all fetching, gives back what is left because the program ends, and returns the first error.
func (b *batch[R]) end(ctx context.Context) error {
	b.wg.Wait()
	if ctx.Err() != nil && len(b.left) > 0 {
		b.note(b.claims.GiveBack(ctx, b.held, b.left...))
	}
	return b.failed
}
