package items

import (
	"cmp"
	"context"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/keycheck"
	"sellerd/v1/numbering"
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
func (s *Items) submitTogether(ctx context.Context, c *core.Call, m *newSubmission) (*Submission, error) {
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	m.call, m.key = core.Call{Caller: c.Caller, Request: c.Request, Meta: c.Meta}, c.KeyName()
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
	for again := true; again; {
		if err := s.Submits.Do(ctx, lane, m); err != nil {
			return nil, err
		}
		again = m.end == cameLate
		if m.end == waitsForRow && lane == EveryOwner {
			lane, again = c.Owner, true
		}
	}
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

// submitAlone stores a submission in a transaction of its own.
func (s *Items) submitAlone(ctx context.Context, c *core.Call, m *newSubmission) (*Submission, error) {
	return change(ctx, s, c, 1, func(ctx context.Context, tx Change) (*Submission, error) {
		if _, err := tx.Room(c, 1); err != nil {
			return nil, err
		}
		row := m.row()
		alone := []intake.Submission{{ID: m.number, Owner: int64(tx.Owner), CreatedAt: int64(tx.Now), PersonalReference: m.reference, Draft: m.draft}}
		if _, err := s.intake.Store(ctx, tx.Client, int64(tx.Clock), int64(tx.Clock.Add(PublishDeadline)), alone, nil); err != nil {
			return nil, err
		}
		tx.Wake(core.PublisherWorker)
		return tx.accepted(c, row), nil
	})
}

func (m *newSubmission) row() ent.Submission {
	return ent.Submission{ID: m.number, PersonalReference: m.reference, Draft: m.draft}
}

// accepted is the answer to a submission that this change stores.
func (tx Change) accepted(c *core.Call, row ent.Submission) *Submission {
	out := tx.s.submissionFrom(tx.pending(row))
	c.Meta.Location = "/v1/item-submissions/" + out.ID.V.String()
	c.Meta.Store = tx.StoreLimits(c)
	return &out
}
