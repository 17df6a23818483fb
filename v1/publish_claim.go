package v1

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sellerd/ent"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
)

// This file claims due submissions for the publisher.

// submissionLease is a set of submissions this worker may finish while the lease lasts.
type submissionLease struct {
	token int64
	until Time
	ends  time.Duration // the same by the uptime
	rows  []*ent.Submission
}

// leaseSubmissions leases due submissions, a hundred of them or somewhat more, and says whether there may be more. Owners have
// turns; of each the longest due come first. It passes over owners that have enough in flight, except for what is past its
// deadline.
func (s *Service) leaseSubmissions(ctx context.Context, busy []Owner) (held submissionLease, more bool, err error) {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	if err := s.releaseLostSubmissions(ctx); err != nil {
		return held, false, fmt.Errorf("release submissions: %w", err)
	}
	after, now := Owner(s.publishTurn.Load()), s.now()
	owners, next, err := submissionQueue.dueOwners(ctx, s.store.Reader(), after, busy, now)
	late := false
	if err == nil && len(busy) > 0 {
		late, err = s.anyLateSubmission(ctx, now)
	}
	if err != nil || len(owners) == 0 && !late {
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
		held = submissionLease{token: token, until: now.Add(publishLease), ends: ends}
		turn = next
		if late {
			if err := held.take(ctx, tx, s.leaseOfLateSubmissions(), int64(now), token, int64(held.until)); err != nil {
				return err
			}
		}
		for i, owner := range owners {
			if len(held.rows) >= publishMost {
				turn = owners[max(0, i-1)] // at 0 it waits for all the others: what was late took its place
				break
			}
			if err := held.take(ctx, tx, s.leaseOfSubmissions(), int64(owner), int64(now), token, int64(held.until)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if len(held.rows) > 0 {
			s.lostSubmissions.Note(token, ends)
		}
		return held, false, err
	}
	s.publishTurn.Store(int64(turn))
	slices.SortFunc(held.rows, func(a, b *ent.Submission) int { return int(a.ID - b.ID) })
	return held, len(held.rows) >= publishMost || late || turn != 0, nil
}

// take runs a statement that leases submissions, and adds them to the lease.
func (l *submissionLease) take(ctx context.Context, tx *ent.Client, statement string, args ...any) error {
	err := rows.Query(ctx, tx, statement, args, func(rows *sql.Rows) error {
		row := &ent.Submission{Status: SubmissionProcessing, Lease: l.token}
		l.rows = append(l.rows, row)
		return rows.Scan(&row.ID, &row.Owner, &row.Draft, &row.CreatedAt, &row.PublishDeadline, &row.Attempts, &row.BatchID, &row.BatchIndex, &row.PersonalReference)
	})
	if err != nil {
		return fmt.Errorf("lease submissions: %w", err)
	}
	return nil
}

// leasedColumns are what take scans.
const leasedColumns = "id, owner, draft, created_at, publish_deadline, attempts, batch_id, batch_index, personal_reference"

// leaseOfSubmissions is the statement that leases an owner's submissions: owner, now, token, until.
func (s *Service) leaseOfSubmissions() string {
	return s.store.Claim(submissionQueue.table, submissionQueue.of(publishMost),
		`status = 'processing', lease = $3, attempts = attempts + 1,
 due_at = CASE WHEN publish_deadline > $2 AND publish_deadline < $4 THEN publish_deadline ELSE $4 END`, leasedColumns)
}

// pastDeadline is the condition of the index submissions_deadline, and the order in which it finds what is past its deadline.
const pastDeadline = "WHERE completed_at IS NULL AND publish_deadline <= $1 AND due_at <= $1 ORDER BY publish_deadline, id LIMIT "

// lateMost is how many late submissions one claim takes. So few are worth a sort to no planner.
const lateMost = 25

// leaseOfLateSubmissions is the statement that leases submissions past their deadlines: now, token, until.
func (s *Service) leaseOfLateSubmissions() string {
	return s.store.Claim(submissionQueue.table, pastDeadline+strconv.Itoa(lateMost), "status = 'processing', lease = $2, attempts = attempts + 1, due_at = $3", leasedColumns)
}

// anyLateSubmission says whether a submission is past its deadline.
func (s *Service) anyLateSubmission(ctx context.Context, now Time) (late bool, err error) {
	err = rows.Query(ctx, s.store.Reader(), "SELECT id FROM "+submissionQueue.table+" "+pastDeadline+"1", []any{int64(now)},
		func(*sql.Rows) error { late = true; return nil })
	if err != nil {
		return false, fmt.Errorf("look for submissions past their deadlines: %w", err)
	}
	return late, nil
}
