package items

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/crash"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// The publisher turns submissions into items. Any number of processes may run it on one database:
//
//   - A lease gives a set of due submissions a random token and a time until which no other worker takes them. It is
//     never later than a submission's deadline: should this worker have died, another one rejects it then.
//   - Finishing is conditional on the token, so a worker that was slow finds its result dropped.
//   - While the worker lives, nothing waits for the end of a lease: see package lease.
//   - The item has the submission's number, so no retry can make a second one.
const (
	publishMost  = 100
	PublishLease = 2 * time.Minute
	imageBudget  = 30 * time.Second // for all images of one submission
	ownerSlots   = 4                // submissions and items of one owner whose images are fetched at a time
)

// retryWaits are the waits after attempts that failed for a temporary cause; the attempt after the last wait is the last.
var retryWaits = [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// PublishOnce claims due submissions, a hundred of an owner at most, brings them to their end, and says how many it leased.
func (s *Items) PublishOnce(ctx context.Context) (int, error) {
	held, _, err := s.SubmissionClaims.Take(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(held.Rows), s.Publish(ctx, held, func(int64) {})
}

// resume makes due at once what an earlier process has leased.
func (s *Items) resume(ctx context.Context, tx *ent.Client, _ wire.Time) error {
	processing := " AND " + submission.FieldStatus + " = '" + SubmissionProcessing + "'"
	if err := s.SubmissionClaims.Release(ctx, tx, processing, submission.FieldLease+" = 0, "+submission.FieldDueAt+" = $1"); err != nil {
		return err
	}
	return s.imageClaims.Release(ctx, tx, "", releasedImages)
}

// release gives back what this process has leased and did not finish.
func (s *Items) release(ctx context.Context) error {
	s.SubmissionClaims.Hurry()
	s.imageClaims.Hurry()
	return errors.Join(s.SubmissionClaims.ReleaseLost(ctx), s.imageClaims.ReleaseLost(ctx))
}

// outcome is what becomes of one leased submission.
type outcome struct {
	row      *ent.Submission
	draft    ItemInput
	images   []outbound.FetchedImage
	rejected refusal.Errors
	warnings refusal.Errors
	retryAt  wire.Time // when set, the submission is tried again then
}

// Publish brings the submissions of a lease to their ends: those without images at once and as a set, the others as their
// images come in.
func (s *Items) Publish(ctx context.Context, held queue.Held[ent.Submission], done func(owner int64)) error {
	var (
		ready  []*outcome
		fetch  []*outcome
		wg     sync.WaitGroup
		mu     sync.Mutex
		failed error
		left   []*outcome // outcomes that are not finished because the program ends
	)
	crash.At(crash.AfterSubmissionClaim)
	slices.SortFunc(held.Rows, func(a, b *ent.Submission) int { return int(a.ID - b.ID) })
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = cmp.Or(failed, err)
	}
	leave := func(set ...*outcome) {
		mu.Lock()
		defer mu.Unlock()
		left = append(left, set...)
	}
	ended := func(set *outcomeSet, err error) {
		note(err)
		leave(set.left...)
		for _, o := range set.outcomes {
			done(o.row.Owner)
		}
	}
	now := s.Now()
	for _, row := range held.Rows {
		o := &outcome{row: row}
		switch draft, err := (wire.Raw[ItemInput]{Text: row.Draft}).Value(); {
		case wire.Time(row.PublishDeadline) <= now:
			o.rejected = refusal.New(refusal.PublicationTimeout)
		case err != nil:
			note(fmt.Errorf("submission %d: %w", row.ID, err))
			done(row.Owner)
			continue // it will be rejected at its deadline; the others do not wait for it
		default:
			o.draft = draft
		}
		if len(o.draft.Images) == 0 {
			ready = append(ready, o)
			continue
		}
		fetch = append(fetch, o)
	}
	for _, o := range fetch {
		wg.Go(func() {
			end, err := s.imageTurns.Take(ctx, core.Owner(o.row.Owner))
			if err != nil { // the program ends
				ended(&outcomeSet{outcomes: []*outcome{o}, left: []*outcome{o}}, nil)
				return
			}
			defer end()
			if held.Until.Sub(s.Now()) < imageBudget { // the lease could end before the images are here
				ended(&outcomeSet{outcomes: []*outcome{o}}, s.giveBack(ctx, held, o))
				return
			}
			s.fetchImages(ctx, o)
			crash.At(crash.AfterImages)
			s.storeSets(ctx, held, s.setsOf([]*outcome{o}), ended)
		})
	}
	s.storeSets(ctx, held, s.setsOf(ready), ended)
	wg.Wait()
	if ctx.Err() != nil && len(left) > 0 {
		note(s.giveBack(ctx, held, left...))
	}
	return failed
}

// giveBack makes submissions due at once that this worker does not finish, as if it had never leased them: the attempt
// does not count.
func (s *Items) giveBack(ctx context.Context, held queue.Held[ent.Submission], set ...*outcome) error {
	ids := make([]int64, len(set))
	for i, o := range set {
		ids[i] = o.row.ID
	}
	err := s.SubmissionClaims.WhileLeased(ctx, held, func(ctx context.Context) error {
		return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			return tx.Submission.Update().Where(submission.Status(SubmissionProcessing), submission.IDIn(ids...), submission.Lease(held.Token)).
				SetStatus(SubmissionPending).SetLease(0).SetDueAt(int64(s.Now())).AddAttempts(-1).Exec(ctx)
		})
	})
	if err != nil {
		return fmt.Errorf("give submissions back: %w", err)
	}
	return nil
}

// fetchImages fetches a submission's images and decides the outcome.
func (s *Items) fetchImages(ctx context.Context, o *outcome) {
	owner := core.Owner(o.row.Owner)
	if o.rejected = sandboxRejection(owner, o.draft.Images); o.rejected != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, imageBudget)
	defer cancel()
	urls := make([]string, len(o.draft.Images))
	for i, image := range o.draft.Images {
		urls[i] = image.URL
	}
	o.images = s.fetchImagesOf(ctx, owner, urls)
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
		retryAt := s.Now().Add(retryWaits[o.row.Attempts-1])
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
		return fmt.Sprintf("The server sent it with Content-Encoding %s, although the request asks for none. Only gzip and deflate are read then.", image.Coding)
	}
	return refusal.InfoOf(image.ErrorCode).Meaning
}

// The statements that claim due submissions follow. Package queue runs them.

// SubmissionQueue is that of the publisher. Its index is submissions_owner_due.
var SubmissionQueue = queue.Queue{Table: submission.Table, Waits: dueSubmissions, Due: submission.FieldDueAt}

// dueSubmissions is the condition of the index submissions_owner_due.
const dueSubmissions = submission.FieldStatus + " IN ('" + SubmissionPending + "','" + SubmissionProcessing + "')"

// newSubmissionClaims leases due submissions, a hundred of them or somewhat more.
func (s *Items) newSubmissionClaims() *queue.Claims[ent.Submission] {
	return queue.NewClaims(queue.Config[ent.Submission]{
		Queue: SubmissionQueue, Name: "submissions", Store: s.Store, Retrier: &s.Retrier,
		Now: s.Now, Uptime: s.Config.Uptime, Random: s.Config.Random,
		Most: publishMost, Lasts: PublishLease, Lease: s.LeaseOfSubmissions(),
		Released: submission.FieldStatus + " = '" + SubmissionPending + "', " + submission.FieldLease + " = 0, " + submission.FieldDueAt + " = $1, " +
			submission.FieldAttempts + " = " + submission.FieldAttempts + " - 1",
		Scan: func(found *sql.Rows, token int64, row *ent.Submission) error {
			row.Status, row.Lease = SubmissionProcessing, token
			return found.Scan(&row.ID, &row.Owner, &row.Draft, &row.CreatedAt, &row.PublishDeadline, &row.Attempts, &row.BatchID, &row.BatchIndex, &row.PersonalReference)
		},
		Owner: func(row *ent.Submission) int64 { return row.Owner },
		Late:  &queue.Late{Find: "SELECT " + submission.FieldID + " FROM " + submission.Table + " " + pastDeadline + "1", Lease: s.LeaseOfLateSubmissions()},
	})
}

// leasedColumns are what a claim scans.
var leasedColumns = strings.Join([]string{
	submission.FieldID, submission.FieldOwner, submission.FieldDraft, submission.FieldCreatedAt, submission.FieldPublishDeadline,
	submission.FieldAttempts, submission.FieldBatchID, submission.FieldBatchIndex, submission.FieldPersonalReference,
}, ", ")

// takenUnder are the assignments of a claim that gives rows the token at a placeholder.
func takenUnder(token string) string {
	return submission.FieldStatus + " = '" + SubmissionProcessing + "', " + submission.FieldLease + " = " + token + ", " +
		submission.FieldAttempts + " = " + submission.FieldAttempts + " + 1, " + submission.FieldDueAt + " = "
}

// LeaseOfSubmissions is the statement that leases an owner's submissions: owner, now, token, until.
func (s *Items) LeaseOfSubmissions() string {
	const deadline = submission.FieldPublishDeadline
	return s.Store.Claim(SubmissionQueue.Table, SubmissionQueue.Of(publishMost),
		takenUnder("$3")+"CASE WHEN "+deadline+" > $2 AND "+deadline+" < $4 THEN "+deadline+" ELSE $4 END", leasedColumns)
}

// pastDeadline is the condition of the index submissions_deadline, and the order in which it finds what is past its deadline.
const pastDeadline = "WHERE " + submission.FieldCompletedAt + " IS NULL AND " + submission.FieldPublishDeadline + " <= $1 AND " +
	submission.FieldDueAt + " <= $1 ORDER BY " + submission.FieldPublishDeadline + ", " + submission.FieldID + " LIMIT "

// lateMost is how many late submissions one claim takes. So few are worth a sort to no planner.
const lateMost = 25

// LeaseOfLateSubmissions is the statement that leases submissions past their deadlines: now, token, until.
func (s *Items) LeaseOfLateSubmissions() string {
	return s.Store.Claim(SubmissionQueue.Table, pastDeadline+strconv.Itoa(lateMost), takenUnder("$2")+"$3", leasedColumns)
}
