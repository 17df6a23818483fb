package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/internal/combine"
	"sellerd/internal/crash"
	"sellerd/v1/intake"
	"sellerd/v1/keycheck"
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

// everyOwner is the lane of the submissions whose owners are not known to be busy.
const everyOwner Owner = 0

// newSubmission is a submission that is to be stored, and what became of it.
type newSubmission struct {
	call      Call // a copy, because the caller may leave while a group is stored
	number    int64
	reference *string
	draft     string

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
func (s *Service) submitTogether(ctx context.Context, c *Call, m *newSubmission) (*Submission, error) {
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	m.call = *c
	if c.claim.Open() {
		m.remembered = c.claim.Row
	}
	lane := everyOwner
	if s.submits.Len(c.Owner) > 0 {
		lane = c.Owner
	}
	if lane != everyOwner || s.submitsStall() { // a replay need not wait, because it only reads
		if known, err := s.keyKnown(ctx, c); known || err != nil {
			return nil, cmp.Or[error](err, errKeyTaken)
		}
	}
	for again := true; again; {
		if err := s.submits.Do(ctx, lane, m); err != nil {
			return nil, err
		}
		again = m.end == cameLate
		if m.end == waitsForRow && lane == everyOwner {
			lane, again = c.Owner, true
		}
	}
	c.claim.ConfirmedBy(m.confirmed)
	switch m.end {
	case keyChanged:
		return nil, keycheck.ErrChanged
	case storedInTime:
		c.Meta = m.call.Meta
		return m.answer, nil
	case keyHasAnswer:
		return nil, errKeyTaken
	case refusedInTime:
		return nil, m.refused
	default:
		if err := s.checkClaim(ctx, c); err != nil {
			return nil, err
		}
		return s.submitAlone(ctx, c, m)
	}
}

// submitAlone stores a submission in a transaction of its own.
func (s *Service) submitAlone(ctx context.Context, c *Call, m *newSubmission) (*Submission, error) {
	return change(ctx, s, c, 1, func(ctx context.Context, tx *Change) (*Submission, error) {
		if _, err := tx.room(c, 1); err != nil {
			return nil, err
		}
		row := m.row()
		if err := tx.insertSubmissions(ctx, []ent.Submission{row}, nil); err != nil {
			return nil, err
		}
		tx.wake(publisherWorker)
		return tx.accepted(c, row), nil
	})
}

func (m *newSubmission) row() ent.Submission {
	return ent.Submission{ID: m.number, PersonalReference: m.reference, Draft: m.draft}
}

// accepted is the answer to a submission that this change stores.
func (tx *Change) accepted(c *Call, row ent.Submission) *Submission {
	out := tx.s.submissionFrom(tx.pending(row, nil))
	c.Meta.Location = "/v1/item-submissions/" + out.ID.V.String()
	c.Meta.Store = tx.storeLimits(c)
	return &out
}

var (
	errNothingToStore = errors.New("none of the submissions can be stored")
	errKeyStored      = errors.New("an answer was stored under a key of the group meanwhile")
)

// storeGroup stores the submissions of a lane that wait. It is the work of Service.submits, on a goroutine of its own.
func (s *Service) storeGroup(lane Owner, group *combine.Group[*newSubmission]) {
	// The trace is of no single request. It says which operation the statements are for.
	ctx, cancel := context.WithTimeout(WithTrace(context.Background(), &Trace{Operation: SubmitItem.Name}), AnswerLimit)
	defer cancel()
	if lane == everyOwner {
		s.submitsSince.Store(int64(max(1, s.config.Uptime())))
		defer s.submitsSince.Store(0)
	}
	first := group.Waiting()
	taken, err := s.writeGroup(ctx, lane, group)
	switch {
	case err == nil:
		crash.At(crash.AfterChange)
		s.wake(publisherWorker)
	case errors.Is(err, errNothingToStore):
	default:
		lasting := s.store.Unavailable(err) || lane != everyOwner && s.store.Busy(err) || ctx.Err() != nil
		if !lasting {
			s.config.Logger.Warn("a group of submissions cannot be stored: each is stored alone", "error", err)
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
func (s *Service) writeGroup(ctx context.Context, lane Owner, group *combine.Group[*newSubmission]) (taken bool, err error) {
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
		err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			if lane != everyOwner {
				if err := s.intake.Await(ctx, tx, int64(lane), keyNames(group.Waiting())); err != nil {
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
func (s *Service) submitsStall() bool {
	since := s.submitsSince.Load()
	return since != 0 && s.config.Uptime()-time.Duration(since) >= stallsAfter
}

func keyNames(group []*newSubmission) []string {
	names := make([]string, len(group))
	for i, m := range group {
		names[i] = m.call.keyName()
	}
	return names
}

// storeSubmissions stores those of a group that can be stored, and notes the end of each. If that is none, its error is
// errNothingToStore, and the transaction need not be committed. No hook of changes and no event is concerned.
func (s *Service) storeSubmissions(ctx context.Context, tx *ent.Client, group []*newSubmission) error {
	now := s.now()
	members, twins := apart(group)
	requests := make([]intake.Request, len(members))
	for i, m := range members {
		requests[i] = intake.Request{Owner: int64(m.call.Owner), Key: m.call.keyName(), Remembered: m.remembered}
	}
	charges, err := s.intake.Charge(ctx, tx, int64(now), requests)
	if err != nil {
		return err
	}
	var (
		submissions = make([]intake.Submission, 0, len(members))
		answers     = make([]intake.Answer, 0, len(members))
		refused     = map[Owner]int{}
	)
	for i, m := range members {
		m.confirmed = m.remembered != nil && !charges[i].Changed
		if m.end = endOf(charges[i]); m.end != storedInTime {
			continue
		}
		owner := m.call.Owner
		change := &Change{
			Client: tx, Now: Time(charges[i].LastChange), Clock: now, Owner: owner, s: s,
			open: charges[i].Open - refused[owner], daily: charges[i].Daily - refused[owner],
		}
		if _, err := change.room(&m.call, 1); err != nil {
			m.end, m.refused = refusedInTime, err
			refused[owner]++
			continue
		}
		m.answer = change.accepted(&m.call, m.row())
		submissions = append(submissions, intake.Submission{
			ID: m.number, Owner: int64(owner), CreatedAt: int64(change.Now), PersonalReference: m.reference, Draft: m.draft,
		})
		if m.call.Idempotency != nil {
			answer, err := s.answerToKeep(change.Now, &m.call, m.answer)
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
	for owner, units := range refused {
		change := Change{Client: tx, Owner: owner}
		if err := change.release(ctx, units, units); err != nil {
			return err
		}
	}
	crash.At(crash.AfterEvents)
	return nil
}

// apart separates the members of a group whose keys differ from those whose key an earlier one has, its twin.
func apart(group []*newSubmission) (members []*newSubmission, twins map[*newSubmission]*newSubmission) {
	members = make([]*newSubmission, 0, len(group))
	byKey := make(map[string]*newSubmission, len(group))
	for _, m := range group {
		key := m.call.keyName()
		twin := byKey[key]
		if key == "" || twin == nil {
			byKey[key], members = m, append(members, m)
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
func endOf(charge intake.Charge) submitEnd {
	switch {
	case charge.Changed:
		return keyChanged
	case charge.Held:
		return waitsForKey
	case charge.Known:
		return keyHasAnswer
	case charge.Busy:
		return waitsForRow
	default:
		return storedInTime
	}
}

// endOfTwin is the end of a submission with the key of this one.
func (m *newSubmission) endOfTwin() submitEnd {
	if m.end == storedInTime || m.end == keyHasAnswer {
		return keyHasAnswer
	}
	return notStored
}
