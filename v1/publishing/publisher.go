// Package publishing turns submissions into items, and fetches pictures that were added to items.
//
// Any number of processes may run a Publisher and a Fetcher on one database:
//
//   - A lease gives a set of due rows a random token and a time until which no other worker takes them. It is never later
//     than a submission's deadline: should this worker have died, another one rejects the submission then.
//   - Finishing is conditional on the token, so a worker that was slow finds its result dropped.
//   - While the worker lives, nothing waits for the end of a lease: see package lease.
//   - An item has its submission's number, so no retry can make a second one.
//
// The package knows when rows are leased, fetched, stored and given back. What an item is, it is told by its Config.
package publishing

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/base/combine"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/tracing"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// The states of submissions.
const (
	Pending    = "pending"
	Processing = "processing"
	Published  = "published"
	Rejected   = "rejected"
)

// Publisher turns submissions into items. It is safe for concurrent use.
type Publisher struct {
	worker[ent.Submission]
	config  Config
	lines   *lines
	waiting waitingSets
	small   *combine.Combiner[struct{}, *smallSet]
}

// Resume makes due at once what an earlier process has leased.
func (p *Publisher) Resume(ctx context.Context, tx *ent.Client) error {
	processing := " AND " + submission.FieldStatus + " = '" + Processing + "'"
	return p.claims.Release(ctx, tx, processing, submission.FieldLease+" = 0, "+submission.FieldDueAt+" = $1")
}

// outcome is what becomes of one leased submission.
type outcome struct {
	row      *ent.Submission
	draft    Draft
	urls     []string // of the draft's images
	images   []outbound.FetchedImage
	rejected refusal.Errors
	warnings refusal.Errors
	retryAt  wire.Time // when set, the submission is tried again then

	cause *string      // of the item's events
	span  tracing.Span // nil if nothing is traced
}

// Publish brings the submissions of a lease to their ends: those without images at once and as a set, the others as their
// images come in. It calls done with the owner of each submission as the work on the submission ends.
func (p *Publisher) Publish(ctx context.Context, held queue.Held[ent.Submission], done func(owner int64)) error {
	crash.At(crash.AfterSubmissionClaim)
	slices.SortFunc(held.Rows, func(a, b *ent.Submission) int { return int(a.ID - b.ID) })
	b := &batch[ent.Submission]{worker: &p.worker, held: held, done: done}
	ready, fetch := p.outcomes(b)
	for _, o := range fetch {
		b.fetch(ctx, o.row.ID, o.row.Owner, func() {
			p.fetchImages(ctx, o)
			crash.At(crash.AfterImages)
		}, func() {
			p.storeInLine(ctx, b, p.setsOf([]*outcome{o}, true))
		})
	}
	small, large := bySize(ready)
	for _, set := range p.setsOf(small, true) {
		b.wg.Go(func() { p.storeInLine(ctx, b, []*outcomeSet{set}) })
	}
	p.storeInLine(ctx, b, p.setsOf(large, false))
	return b.end(ctx)
}

// outcomes begins the outcomes of a lease: those that are ready to be stored, and those whose images have to be fetched.
func (p *Publisher) outcomes(b *batch[ent.Submission]) (ready, fetch []*outcome) {
	now := p.core.Now()
	all := make([]outcome, len(b.held.Rows))
	for i, row := range b.held.Rows {
		o := &all[i]
		p.begin(o, row)
		if wire.Time(row.PublishDeadline) <= now {
			o.rejected = refusal.New(refusal.PublicationTimeout)
			ready = append(ready, o)
			continue
		}
		var err error
		if o.draft, err = p.config.Draft(row.Draft); err != nil {
			b.note(fmt.Errorf("submission %d: %w", row.ID, err))
			b.done(row.Owner)
			continue // it will be rejected at its deadline; the others do not wait for it
		}
		if o.urls = o.draft.ImageURLs(); len(o.urls) == 0 {
			ready = append(ready, o)
			continue
		}
		fetch = append(fetch, o)
	}
	return ready, fetch
}

// finishAtOnce publishes leased submissions without images in the transaction of their lease, where one writer serves all, and returns the
// others.
func (p *Publisher) finishAtOnce(ctx context.Context, tx *ent.Client, held []*ent.Submission) (left []*ent.Submission, committed func(), err error) {
	crash.At(crash.AfterSubmissionClaim)
	var (
		ready  []*outcome
		owners []core.Owner
	)
	for _, row := range held {
		draft, err := p.config.Draft(row.Draft)
		if err != nil || len(draft.ImageURLs()) > 0 {
			left = append(left, row)
			continue
		}
		o := &outcome{draft: draft}
		p.begin(o, row)
		ready = append(ready, o)
		if owner := core.Owner(row.Owner); !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if len(ready) == 0 {
		return left, func() {}, nil
	}
	slices.SortFunc(ready, func(a, b *outcome) int { return cmp.Compare(a.row.ID, b.row.ID) })
	var done finished
	changed, err := p.core.InOwners(ctx, tx, owners, func(changes []*core.Change) (err error) {
		ready = slices.DeleteFunc(ready, func(o *outcome) bool {
			locked := slices.ContainsFunc(changes, func(tx *core.Change) bool { return int64(tx.Owner) == o.row.Owner })
			if !locked {
				left = append(left, o.row)
			}
			return !locked
		})
		done, err = p.store(ctx, tx, changes, ready)
		return err
	})
	if err != nil && !p.core.Retrier.WillPass(err) {
		p.core.Config.Logger.Warn("submissions cannot be published as they are leased: they are leased first", "error", err)
	}
	return left, func() { changed(); p.count(done); ended(ready) }, err
}

// retryWaits are the waits after attempts that failed for a temporary cause; the attempt after the last wait is the last.
var retryWaits = [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// fetchImages fetches a submission's images and decides the outcome.
func (p *Publisher) fetchImages(ctx context.Context, o *outcome) {
	owner := core.Owner(o.row.Owner)
	if o.rejected = p.config.RejectImages(owner, o.urls); o.rejected != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, imageBudget)
	defer cancel()
	o.images = p.config.FetchImages(ctx, owner, o.urls)
	bad, again := 0, false
	for i, image := range o.images {
		if image.ErrorCode == "" {
			continue
		}
		bad++
		again = again || image.Retry
		warning := refusal.Entry(refusal.ImageUnreachable, fmt.Sprintf("images[%d].url", i), whyUnusable(image))
		warning.Details = map[string]any{"error_code": string(image.ErrorCode)}
		o.warnings = append(o.warnings, warning)
	}
	if again && o.row.Attempts <= len(retryWaits) {
		retryAt := p.core.Now().Add(retryWaits[o.row.Attempts-1])
		if retryAt.Add(imageBudget) < wire.Time(o.row.PublishDeadline) {
			o.retryAt = retryAt
			return
		}
	}
	if bad == len(o.images) {
		o.rejected = refusal.New(refusal.ImagesUnreachable)
		for i, image := range o.images {
			if code := image.ErrorCode; code != refusal.ImageUnreachable {
				o.rejected = append(o.rejected, refusal.Entry(code, fmt.Sprintf("images[%d].url", i), whyUnusable(image)))
			}
		}
		o.warnings = nil
	}
}

// whyUnusable says why an image is not used.
func whyUnusable(image outbound.FetchedImage) string {
	if image.Coding != "" {
		return fmt.Sprintf("The server sent it with Content-Encoding %s, although the request asks for none. "+
			"Only gzip and deflate are read then.", image.Coding)
	}
	return refusal.InfoOf(image.ErrorCode).Meaning
}

// The statements that claim due submissions follow. Package queue runs them.

// publishMost is how many submissions of a seller a lease takes.
const publishMost = 100

// SubmissionQueue is that of the publisher. Its index is submissions_owner_due.
var SubmissionQueue = queue.Queue{Table: submission.Table, Waits: dueSubmissions, Due: submission.FieldDueAt}

// dueSubmissions is the condition of the index submissions_owner_due.
const dueSubmissions = submission.FieldStatus + " IN ('" + Pending + "','" + Processing + "')"

// newSubmissionClaims leases due submissions, a hundred of them or somewhat more.
func newSubmissionClaims(c *core.Core, finish queue.Finish[ent.Submission]) *queue.Claims[ent.Submission] {
	var prepare func(context.Context) error
	if finish != nil { // items and events need numbers
		prepare = c.IDs.Prepare
	}
	return queue.NewClaims(queue.Config[ent.Submission]{
		Queue: SubmissionQueue, Name: "submissions", Store: c.Store, Retrier: &c.Retrier,
		Now: c.Now, Uptime: c.Config.Uptime, Random: c.Config.Random,
		Most: publishMost, Lasts: Lease, Lease: LeaseOfSubmissions(c.Store),
		Prepare: prepare, Finish: finish,
		Released: submission.FieldStatus + " = '" + Pending + "', " + submission.FieldLease + " = 0, " + submission.FieldDueAt + " = $1, " +
			submission.FieldAttempts + " = " + submission.FieldAttempts + " - 1",
		Scan: func(found *sql.Rows, token int64, row *ent.Submission) error {
			row.Status, row.Lease = Processing, token
			return found.Scan(&row.ID, &row.Owner, &row.Draft, &row.CreatedAt, &row.PublishDeadline, &row.Attempts,
				&row.BatchID, &row.BatchIndex, &row.PersonalReference, &row.Cause)
		},
		Owner: func(row *ent.Submission) int64 { return row.Owner },
		Late: &queue.Late{
			Find:  "SELECT " + submission.FieldID + " FROM " + submission.Table + " " + pastDeadline + "1",
			Lease: LeaseOfLateSubmissions(c.Store),
		},
	})
}

// leasedColumns are what a claim scans.
var leasedColumns = strings.Join([]string{
	submission.FieldID, submission.FieldOwner, submission.FieldDraft, submission.FieldCreatedAt, submission.FieldPublishDeadline,
	submission.FieldAttempts, submission.FieldBatchID, submission.FieldBatchIndex, submission.FieldPersonalReference,
	submission.FieldCause,
}, ", ")

// takenUnder are the assignments of a claim that gives rows the token at a placeholder.
func takenUnder(token string) string {
	return submission.FieldStatus + " = '" + Processing + "', " + submission.FieldLease + " = " + token + ", " +
		submission.FieldAttempts + " = " + submission.FieldAttempts + " + 1, " + submission.FieldDueAt + " = "
}

// LeaseOfSubmissions is the statement that leases an owner's submissions: owner, now, token, until.
func LeaseOfSubmissions(store queue.Store) string {
	const deadline = submission.FieldPublishDeadline
	return store.Claim(SubmissionQueue.Table, SubmissionQueue.Of(publishMost),
		takenUnder("$3")+"CASE WHEN "+deadline+" > $2 AND "+deadline+" < $4 THEN "+deadline+" ELSE $4 END", leasedColumns)
}

// pastDeadline is the condition of the index submissions_deadline, and the order in which it finds what is past its deadline.
const pastDeadline = "WHERE " + submission.FieldCompletedAt + " IS NULL AND " + submission.FieldPublishDeadline + " <= $1 AND " +
	submission.FieldDueAt + " <= $1 ORDER BY " + submission.FieldPublishDeadline + ", " + submission.FieldID + " LIMIT "

// lateMost is how many late submissions one claim takes. So few are worth a sort to no planner.
const lateMost = 25

// LeaseOfLateSubmissions is the statement that leases submissions past their deadlines: now, token, until.
func LeaseOfLateSubmissions(store queue.Store) string {
	return store.Claim(SubmissionQueue.Table, pastDeadline+strconv.Itoa(lateMost), takenUnder("$2")+"$3", leasedColumns)
}
