package openapi

import (
	"slices"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file adds x-since to the parts of the document: the release of /v1 in which a part came. The caller of an older
// server learns from it what that server does not have. A part that came with the whole has no x-since of its own.
//
// Operations have a trait in their table, parameters and members a tag (since:"1.1.0"), values of enumerations another
// (newer:"valid=1.2.0"); headers and codes say it in their tables.

// idempotencyCodes are what only a request with an Idempotency-Key is refused with.
var idempotencyCodes = []refusal.Code{refusal.InvalidIdempotencyKey, refusal.IdempotencyKeyInProgress, refusal.IdempotencyKeyReused}

// codeSince is the release from which the operation answers a code.
func (o operation) codeSince(code refusal.Code) string {
	since := latest(o.Since, refusal.InfoOf(code).Since)
	if slices.Contains(idempotencyCodes, code) {
		since = latest(since, o.KeyedSince)
	}
	return since
}

// age is the position of a release among all: a later release has a larger one.
func age(release string) int {
	i := slices.Index(v1.Releases, release)
	if i < 0 {
		panic("there is no release " + release)
	}
	return i
}

// newer says whether a release came after another one.
func newer(release, than string) bool { return age(release) > age(than) }

// latest is the last of some releases, earliest the first.
func latest(releases ...string) string {
	return slices.MaxFunc(releases, func(a, b string) int { return age(a) - age(b) })
}

func earliest(releases ...string) string {
	return slices.MinFunc(releases, func(a, b string) int { return age(a) - age(b) })
}

// markSince says in a part of the document that it came later than what it is a part of.
func markSince(part *openjson.Object, since, whole string) {
	if newer(since, whole) {
		part.Set("x-since", since)
	}
}

// sharedOr returns a reference to a component if the component has the right release, and otherwise the thing itself.
func sharedOr(reference, itself openjson.Object, since, componentSince, whole string) openjson.Object {
	if since == componentSince || !newer(since, whole) && !newer(componentSince, whole) {
		return reference
	}
	markSince(&itself, since, whole)
	return itself
}
