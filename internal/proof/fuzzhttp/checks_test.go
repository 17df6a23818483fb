package fuzzhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"sellerd/internal/proof/servertest"
)

// This file checks answers. The checks of statuses, headers, media types and schemas are those of servertest.Findings.

// failure is a check that failed.
type failure struct {
	check, operation, text string
}

// exchange is one request of a sequence and the answers of both services.
type exchange struct {
	o       *operation
	wrong   mistake
	sent    [2]*sent
	answers [2]*httptest.ResponseRecorder
	bodies  [2]any
}

func (e *exchange) fail(check, format string, values ...any) *failure {
	return &failure{check, e.o.id, fmt.Sprintf(format, values...)}
}

// malformed are the codes that do not depend on the state: a body that fits the schema never gets them.
var malformed = []string{
	"malformed_json", "invalid_header", "invalid_idempotency_key", "invalid_type", "unknown_field", "unknown_parameter", "too_long", "too_short",
	"payload_too_large", "unsupported_media_type", "batch_empty", "batch_too_large", "missing_parameter",
}

// refusedAlways are mistakes that no operation accepts.
var refusedAlways = []mistake{brokenJSON, wrongMedia, noBody, twiceInQuery, wrongIdemKey, twoIdemKeys, wrongIfMatch, unknownMember, otherKey}

// isResetting says whether a service refuses because a sequence reset its sandbox. That is the only 503 that a service has a reason for
// here: its database is there all the time.
func isResetting(answer *httptest.ResponseRecorder) bool {
	body := answer.Body.String()
	says := strings.Contains(body, `"sandbox":"resetting"`) || strings.Contains(body, "The sandbox is being reset") // /rest has no details
	return answer.Code == http.StatusServiceUnavailable && says
}

func codesOf(body any) (codes []string) {
	envelope, _ := body.(map[string]any)
	errors, _ := envelope["errors"].([]any)
	for _, e := range errors {
		if entry, ok := e.(map[string]any); ok {
			codes = append(codes, fmt.Sprint(entry["code"], " ", entry["field"]))
		}
	}
	return codes
}

// check is the first check that an exchange with /v1 fails, nil for none.
func (e *exchange) check(p *pool) *failure {
	for world := range e.answers {
		answer := e.answers[world]
		if answer.Code >= 500 && !isResetting(answer) {
			return e.fail("not_a_server_error", "it answered %d: %.500s", answer.Code, answer.Body)
		}
		if failed := e.checkMistake(world); failed != nil {
			return failed
		}
		for _, found := range servertest.Findings(e.sent[world].request(), e.sent[world].body, answer) {
			if found.Check == "negative_data_rejection" && e.bodyUnread() {
				continue
			}
			return e.fail(found.Check, "%d: %.1500s", answer.Code, found.Text)
		}
	}
	return e.sameOnBoth(p)
}

// bodyUnread says whether the answer was stored for an Idempotency-Key: the body was compared with the first one then, and it fits.
func (e *exchange) bodyUnread() bool {
	return e.answers[0].Header().Get("Idempotent-Replayed") == "true"
}

func (e *exchange) checkMistake(world int) *failure {
	answer := e.answers[world]
	switch status := answer.Code; {
	case e.wrong == wrongMethod:
		if e.described(world) {
			return nil
		}
		if status != http.StatusMethodNotAllowed || answer.Header().Get("Allow") == "" {
			return e.fail("unsupported_method", "%s answered %d with Allow: %q", e.sent[world].method, status, answer.Header().Get("Allow"))
		}
	case e.wrong == noKey && status != http.StatusUnauthorized:
		return e.fail("missing_required_header", "without a key it answered %d", status)
	case (e.wrong == wrongKey || e.wrong == twoKeys) && status != http.StatusUnauthorized:
		return e.fail("ignored_auth", "with %s it answered %d", e.wrong, status)
	case slices.Contains(refusedAlways, e.wrong) && status < 400:
		return e.fail("negative_data_rejection", "with %s it answered %d", e.wrong, status)
	case e.wrong == none && (status == 400 || status == 413 || status == 415 || status == 422):
		if e.o.body != nil && !e.o.fits(e.sent[world].body) {
			return nil // an example with an id of another kind, or a longer text
		}
		for _, code := range codesOf(e.bodies[world]) {
			name, _, _ := strings.Cut(code, " ")
			// The document does not list the members of an item that changed can name: it would break with each new member.
			if slices.Contains(malformed, name) && !strings.HasPrefix(code, "unknown_field changed[") {
				return e.fail("positive_data_acceptance", "a request that fits answered %d: %.1000s", status, answer.Body)
			}
		}
	}
	return nil
}

// described says whether the document has the method that was sent at the path.
func (e *exchange) described(world int) bool { return e.o.methods[e.sent[world].method] }

// sameOnBoth compares the two answers.
func (e *exchange) sameOnBoth(p *pool) *failure {
	a, b := e.answers[0], e.answers[1]
	if a.Code != b.Code {
		return e.fail("same_on_both_databases", "SQLite answers %d, PostgreSQL %d:\n%.500s\n%.500s", a.Code, b.Code, a.Body, b.Body)
	}
	if a, b := codesOf(e.bodies[0]), codesOf(e.bodies[1]); !slices.Equal(a, b) {
		return e.fail("same_on_both_databases", "SQLite answers %q, PostgreSQL %q", a, b)
	}
	if e.bodies[0] == nil && e.bodies[1] == nil {
		return nil
	}
	if err := p.compare("", e.bodies[0], e.bodies[1]); err != nil {
		return e.fail("same_on_both_databases", "%d, %.700s\nSQLite: %.700s\nPostgreSQL: %.700s", a.Code, err, a.Body, b.Body)
	}
	return nil
}
