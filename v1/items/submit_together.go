package items

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/combine"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/keycheck"
	"sellerd/v1/numbering"
	"sellerd/v1/wire"
)

// This file stores the single submissions that wait at the same time in one transaction, those of all owners together. It
// stands in for change, which stores one. Each submission is checked, numbered and answered as if it came alone, in the order
// of arrival.
//
// A transaction of many owners does not wait for an owner's row, which another change may hold for long. The submissions of a
// busy owner move to a lane of their own, which waits for that row and then stores all that have come meanwhile. What a group
// cannot store goes through change alone.

// submitMost is how many submissions are stored in one transaction. It bounds how long the first of them waits.
const submitMost = 128

// EveryOwner is the lane of the submissions whose owners are not known to be busy.
const EveryOwner core.Owner = 0

// newSubmission is a submission that is to be stored, and what became of it.
type newSubmission struct {
	call      core.Call // a copy, because the caller may leave while a group is stored
	key       string    // its Call.keyName
	cause     string    // of its events
	number    int64
	reference *string
	draft     string
	model     int64 // of shipping, 0 for none

	remembered *keycheck.Row // the row of the caller's API key, if the group has to confirm it
	confirmed  bool          // it has

	end     submitEnd
	answer  *Submission // if it is stored
	refused error       // if it is refused
}

// submitEnd is what a group did with a submission.
type submitEnd int

const (
	notStored     submitEnd = iota // the group could not store it: it goes alone
	waitsForKey                    // its key is held by another transaction: it goes alone, and waits
	keyHasAnswer                   // an answer is stored under its key, or will be by this group
	waitsForRow                    // its owner's row is held by another transaction: it goes to the owner's lane
	keyChanged                     // the row of its API key is no longer as it was remembered
	cameLate                       // it came while the group waited in vain: it goes into the next group of the lane
	storedInTime                   // it is stored
	refusedInTime                  // it is refused, or the database does not work
)

// submitTogether stores a submission with others.
func (s *Items) submitTogether(ctx context.Context, c *core.Call, m *newSubmission) (*Submission, error) {
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	m.call, m.key = core.Call{Caller: c.Caller, Request: c.Outliving(), Meta: c.Meta}, c.KeyName()
	if c.Claim.Open() {
		m.remembered = c.Claim.Row
	}
	lane := EveryOwner
	if s.Submits.Len(c.Owner) > 0 {
		lane = c.Owner
	}
	if lane != EveryOwner || s.submitsStall() { // a replay need not wait, because it only reads
		if known, err := s.KeyKnown(ctx, c); known || err != nil {
			s.IDs.GiveBack(numbering.Items, m.number)
			return nil, cmp.Or[error](err, core.ErrKeyTaken)
		}
	}
	by, span := core.CauseOf(ctx, c), s.StartShared(ctx)
	if span != nil {
		by.Trace = span.Parent()
	}
	m.cause = by.Text()
	err := s.awaitGroup(ctx, lane, m)
	if err != nil { // the group may still have the submission
		s.EndShared(span, err)
		return nil, err
	}
	s.EndShared(span, m.refused)
	c.Claim.ConfirmedBy(m.confirmed)
	switch m.end {
	case keyChanged:
		s.IDs.GiveBack(numbering.Items, m.number)
		return nil, keycheck.ErrChanged
	case storedInTime:
		c.Meta = m.call.Meta
		return m.answer, nil
	case keyHasAnswer:
		s.IDs.GiveBack(numbering.Items, m.number)
		return nil, core.ErrKeyTaken
	case refusedInTime:
		return nil, m.refused
	default:
		if err := s.Confirm(ctx, c); err != nil {
			return nil, err
		}
		return s.submitAlone(ctx, c, m)
	}
}

// awaitGroup has a group of a lane store a submission, or tell how it goes on.
func (s *Items) awaitGroup(ctx context.Context, lane core.Owner, m *newSubmission) error {
	for again := true; again; {
		if err := s.Submits.Do(ctx, lane, m); err != nil {
			return err
		}
		again = m.end == cameLate
		if m.end == waitsForRow && lane == EveryOwner {
			lane, again = m.call.Owner, true
		}
	}
	return nil
}

// submitAlone stores a submission in a transaction of its own.
func (s *Items) submitAlone(ctx context.Context, c *core.Call, m *newSubmission) (*Submission, error) {
	return change(ctx, s, c, 1, func(ctx context.Context, tx Change) (*Submission, error) {
		if _, err := tx.Room(c, 1); err != nil {
			return nil, err
		}
		alone := []intake.Submission{tx.accept(c, m)}
		if _, err := s.intake.Store(ctx, tx.Client, int64(tx.Clock), int64(tx.Clock.Add(PublishDeadline)), alone, nil); err != nil {
			return nil, err
		}
		tx.Wake(core.PublisherWorker)
		return m.answer, nil
	})
}

// accept answers a submission that this change stores, and returns its row.
func (tx Change) accept(c *core.Call, m *newSubmission) intake.Submission {
	out := tx.s.submissionFrom(&ent.Submission{
		ID: m.number, Owner: int64(tx.Owner), Status: SubmissionPending, PersonalReference: m.reference,
		CreatedAt: int64(tx.Now), PublishDeadline: int64(tx.Clock.Add(PublishDeadline)),
	})
	c.Meta.Location = "/v1/item-submissions/" + out.ID.V.String()
	c.Meta.Store = tx.StoreLimits(c)
	m.answer = &out
	return intake.Submission{
		ID: m.number, Owner: int64(tx.Owner), CreatedAt: int64(tx.Now), PersonalReference: m.reference,
		Draft: m.draft, ShippingModelID: m.model, Cause: m.cause,
	}
}

// The transaction of a group follows.

var (
	errNothingToStore = errors.New("none of the submissions can be stored")
	errKeyStored      = errors.New("an answer was stored under a key of the group meanwhile")
)

// storeGroup stores the submissions of a lane that wait. It is the work of Items.Submits, on a goroutine of its own.
func (s *Items) storeGroup(lane core.Owner, group *combine.Group[*newSubmission]) {
	// The trace is of no single request. It says which operation the statements are for.
	ctx, cancel := context.WithTimeout(core.WithTrace(context.Background(), &core.Trace{Operation: "SubmitItem"}), core.AnswerLimit)
	defer cancel()
	if lane == EveryOwner {
		s.SubmitsSince.Store(int64(max(1, s.Config.Uptime())))
		defer s.SubmitsSince.Store(0)
	}
	first := group.Waiting()
	taken, err := s.writeGroup(ctx, lane, group)
	switch {
	case err == nil:
		crash.At(crash.AfterChange)
		s.Wake(core.PublisherWorker)
	case errors.Is(err, errNothingToStore):
	default:
		lasting := s.Store.Unavailable(err) || lane != EveryOwner && s.Store.Busy(err) || ctx.Err() != nil
		if !lasting {
			s.Config.Logger.Warn("a group of submissions cannot be stored: each is stored alone", "error", err)
		}
		for _, m := range group.Take() {
			switch {
			case !lasting:
				m.end = notStored
			case taken || slices.Contains(first, m): // the outcome of a commit can be unknown
				m.end, m.refused = refusedInTime, err
			default:
				m.end = cameLate
			}
		}
	}
}

// writeGroup runs the transaction of a group. It says whether the transaction took the members, without which it has done
// nothing. A panic is an error, because the request of one member must not end those of the others.
func (s *Items) writeGroup(ctx context.Context, lane core.Owner, group *combine.Group[*newSubmission]) (taken bool, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
	}()
	err = errKeyStored
	for range 3 { // once more when a key was stored meanwhile, which the next transaction sees
		if !errors.Is(err, errKeyStored) {
			break
		}
		err = s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			if lane != EveryOwner {
				keys := each.Of(group.Waiting(), func(m *newSubmission) string { return m.key })
				if err := s.intake.Await(ctx, tx, int64(lane), keys); err != nil {
					return err
				}
			}
			taken = true
			return s.storeSubmissions(ctx, tx, group.Take())
		})
	}
	return taken, err
}

// stallsAfter is how long a group of submissions may take before those that come look for an answer to their key first.
const stallsAfter = 500 * time.Millisecond

// submitsStall says whether the group of all owners that is being stored takes long.
func (s *Items) submitsStall() bool {
	since := s.SubmitsSince.Load()
	return since != 0 && s.Config.Uptime()-time.Duration(since) >= stallsAfter
}

// storeSubmissions stores those of a group that can be stored, and notes the end of each. If that is none, its error is
// errNothingToStore, and the transaction need not be committed. No hook of changes and no event is concerned.
func (s *Items) storeSubmissions(ctx context.Context, tx *ent.Client, group []*newSubmission) error {
	now := s.Now()
	members, twins := apart(group)
	requests := each.Of(members, func(m *newSubmission) intake.Request {
		return intake.Request{Owner: int64(m.call.Owner), Key: m.key, Remembered: m.remembered}
	})
	charges, err := s.intake.Charge(ctx, tx, int64(now), requests)
	if err != nil {
		return err
	}
	var (
		submissions = make([]intake.Submission, 0, len(members))
		answers     = make([]intake.Answer, 0, len(members))
		refused     = map[core.Owner]int{}
	)
	for i, m := range members {
		m.confirmed = m.remembered != nil && charges[i].Outcome != intake.Changed
		if m.end = endOf[charges[i].Outcome]; m.end != storedInTime {
			continue
		}
		owner := m.call.Owner
		change := s.In(s.Begun(core.Change{
			Client: tx, Now: wire.Time(charges[i].LastChange), Clock: now, Owner: owner,
			Open: charges[i].Open - refused[owner], Daily: charges[i].Daily - refused[owner],
		}))
		if _, err := change.Room(&m.call, 1); err != nil {
			m.end, m.refused = refusedInTime, err
			refused[owner]++
			continue
		}
		submissions = append(submissions, change.accept(&m.call, m))
		if m.call.Idempotency != nil {
			answer, err := s.AnswerToKeep(change.Now, &m.call, m.answer)
			if err != nil {
				return err
			}
			answers = append(answers, answer)
		}
	}
	for m, twin := range twins {
		m.end = twin.endOfTwin()
	}
	if len(submissions) == 0 {
		return errNothingToStore
	}
	stored, err := s.intake.Store(ctx, tx, int64(now), int64(now.Add(PublishDeadline)), submissions, answers)
	if err != nil {
		return err
	}
	if stored < len(answers) {
		return errKeyStored
	}
	crash.At(crash.AfterKey)
	if err := s.releaseRefused(ctx, tx, refused); err != nil {
		return err
	}
	crash.At(crash.AfterEvents)
	return nil
}

// releaseRefused returns the units that owners were charged for submissions that were refused then.
func (s *Items) releaseRefused(ctx context.Context, tx *ent.Client, refused map[core.Owner]int) error {
	for owner, units := range refused {
		if err := s.Begun(core.Change{Client: tx, Owner: owner}).Release(ctx, units, units); err != nil {
			return err
		}
	}
	return nil
}

// apart separates the members of a group whose keys differ from those whose key an earlier one has, its twin.
func apart(group []*newSubmission) (members []*newSubmission, twins map[*newSubmission]*newSubmission) {
	members = make([]*newSubmission, 0, len(group))
	byKey := make(map[string]*newSubmission, len(group))
	for _, m := range group {
		twin := byKey[m.key]
		if m.key == "" || twin == nil {
			byKey[m.key], members = m, append(members, m)
			continue
		}
		if twins == nil {
			twins = map[*newSubmission]*newSubmission{}
		}
		twins[m] = twin
	}
	return members, twins
}

// endOf is what the charge of a submission means for it.
var endOf = [...]submitEnd{
	intake.Charged: storedInTime, intake.Changed: keyChanged, intake.Held: waitsForKey, intake.Known: keyHasAnswer, intake.Busy: waitsForRow,
}

// endOfTwin is the end of a submission with the key of this one.
func (m *newSubmission) endOfTwin() submitEnd {
	if m.end == storedInTime || m.end == keyHasAnswer {
		return keyHasAnswer
	}
	return notStored
}
