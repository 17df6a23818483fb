package command

import (
	"fmt"
	"regexp"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file makes the Idempotency-Key of printed requests. A key says what is done to what, and ends with a part of the
// reader's own: another one for each act, the same one to repeat a request whose answer did not arrive. So a command that
// is copied into a program neither lists twice nor is answered with what was done last week.

// KeyHeader is the header of requests that can be repeated.
const KeyHeader = "Idempotency-Key"

// ActPart ends each key. In commands it is the variable ACT.
const ActPart = "{act}"

// SetAct gives the variable a value, in nanoseconds since 1970 where the system's date knows them.
const SetAct = "ACT=$(date +%s%N)"

var (
	partOfAct  = regexp.MustCompile(`\{(\w+)\}`)
	noKeyText  = regexp.MustCompile(`[^A-Za-z0-9._]+`)
	keyDivides = regexp.MustCompile(`-{2,}`)
)

// longestKeyPart is how many bytes of a field a key has, so that it stays below the 255 that /v1 accepts.
const longestKeyPart = 64

// stepKey is the Idempotency-Key of a step about a request with some fields, "" when it is no POST. What the step learns from
// the one before stands there as {name}.
func stepKey(s *translate.Step, r *translate.Request, fields translate.Fields) string {
	if s.Act == "" {
		return ""
	}
	act := partOfAct.ReplaceAllStringFunc(s.Act, func(part string) string {
		name := strings.Trim(part, "{}")
		switch {
		case s.Path[name] != "":
			return "{" + s.Path[name] + "}"
		case r.Path[name] != "":
			return keyText(r.Path[name])
		default:
			return keyText(fields.Text(name))
		}
	})
	return CleanKey(act + "-" + ActPart)
}

// batchKey is the key of one of several batches, that of the entries from first on. References need not be unique, so the
// number of the batch is part of it.
func batchKey(p *translate.Plan, step *translate.Step, r *translate.Request, first, entries int) string {
	var fields translate.Fields
	if list, _ := r.Given.Lookup(p.Each); first < len(list.Parts) {
		fields = list.Parts[first].Parts
	}
	act, _ := strings.CutSuffix(stepKey(step, r, fields), ActPart)
	if entries > 1 {
		act += fmt.Sprintf("and-%d-more-", entries-1)
	}
	if len(r.Entries) > v1.MaxBatch {
		act += fmt.Sprintf("batch-%d-", first/v1.MaxBatch+1)
	}
	return act + ActPart
}

// keyText is a text as a part of a key, of letters and digits that every header may hold.
func keyText(text string) string {
	text = noKeyText.ReplaceAllString(text, "-")
	return text[:min(len(text), longestKeyPart)]
}

// CleanKey is a key without empty parts.
func CleanKey(key string) string { return keyDivides.ReplaceAllString(key, "-") }
