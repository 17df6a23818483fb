package conformance

import (
	"context"
	"maps"
	"net/http"
)

// This file replays against a service that runs. No test moves its clock, its workers act while requests are answered, its account has what
// earlier replays left, and it may be set up for a developer's machine.

// A GET whose answer differs is repeated, since a worker may be about to make it right. After futileReads that did not become right, the
// service is thought to be wrong, and no further one is repeated.
const (
	settleEvery = pollEvery
	settleTimes = 20
	futileReads = 30
)

// compared makes a section's request and compares the answer.
func (r *run) compared(ctx context.Context, s *Section, usual string, legacy bool, result *Result) (*answer, error) {
	for tries := 0; ; tries++ {
		a, err := r.exchange(ctx, s, usual)
		if err != nil {
			return nil, err
		}
		if s.Answer == nil {
			result.Problems = []string{"the answer is not recorded"}
			return a, nil
		}
		if err := r.public(ctx, s, a); err != nil {
			return nil, err
		}
		vars := maps.Clone(r.vars) // an answer that is not the last one keeps nothing
		result.Problems = a.differences(s.Answer, vars, legacy && !asksV1(s.Request))
		mayChange := r.Beside == nil && a.method == http.MethodGet && result.Corrected == nil && r.futile < futileReads
		if len(result.Problems) > 0 && mayChange && tries < settleTimes {
			if err := r.Pause(ctx, settleEvery); err != nil {
				return nil, err
			}
			continue
		}
		if len(result.Problems) > 0 && mayChange {
			r.futile++
		}
		r.vars = vars
		return a, nil
	}
}

// goesOn is the cursor behind an empty page of a feed that has more: a page with a filter walks so many events and no more. The first
// events of an account that is replayed again are those of the earlier replays.
func (a *answer) goesOn() (cursor string, ok bool) {
	if a.method != http.MethodGet || a.status != http.StatusOK || !a.isJSON() {
		return "", false
	}
	_, isEmpty := a.value("data.results[0]")
	more, _ := a.value("data.has_more")
	cursor, err := a.value("data.next_cursor")
	return cursor, isEmpty != nil && more == "true" && err == nil
}

// readsOn says whether the page behind the cursor is to be read in the place of this one. It is not where the section is about an empty
// page.
func (r *run) readsOn(s *Section, a *answer) (cursor string, ok bool) {
	if r.Beside != nil {
		return "", false
	}
	cursor, ok = a.goesOn()
	if ok && s.Answer != nil && len(a.differences(s.Answer, maps.Clone(r.vars), false)) == 0 {
		return "", false
	}
	return cursor, ok
}
