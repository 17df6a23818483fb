package items

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/internal/combine"
	"sellerd/internal/crash"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/wire"
)

// This file stores a group of submissions in one transaction, as submit_together.go says.

var (
	errNothingToStore = errors.New("none of the submissions can be stored")
	errKeyStored      = errors.New("an answer was stored under a key of the group meanwhile")
)

// storeGroup stores the submissions of a lane that wait. It is the work of Service.submits, on a goroutine of its own.
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
func (s *Items) submitsStall() bool {
	since := s.SubmitsSince.Load()
	return since != 0 && s.Config.Uptime()-time.Duration(since) >= stallsAfter
}

func keyNames(group []*newSubmission) []string {
	names := make([]string, len(group))
	for i, m := range group {
		names[i] = m.key
	}
	return names
}

// storeSubmissions stores those of a group that can be stored, and notes the end of each. If that is none, its error is
// errNothingToStore, and the transaction need not be committed. No hook of changes and no event is concerned.
func (s *Items) storeSubmissions(ctx context.Context, tx *ent.Client, group []*newSubmission) error {
	now := s.Now()
	members, twins := apart(group)
	requests := make([]intake.Request, len(members))
	for i, m := range members {
		requests[i] = intake.Request{Owner: int64(m.call.Owner), Key: m.key, Remembered: m.remembered}
	}
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
		m.confirmed = m.remembered != nil && !charges[i].Changed
		if m.end = endOf(charges[i]); m.end != storedInTime {
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
		m.answer = change.accepted(&m.call, m.row())
		submissions = append(submissions, intake.Submission{
			ID: m.number, Owner: int64(owner), CreatedAt: int64(change.Now), PersonalReference: m.reference, Draft: m.draft,
		})
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
	for owner, units := range refused {
		if err := s.Begun(core.Change{Client: tx, Owner: owner}).Release(ctx, units, units); err != nil {
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
