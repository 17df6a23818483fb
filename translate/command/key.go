package command

import (
	"fmt"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/v1"
)

// This file makes the Idempotency-Key of printed requests. A key names the act and ends with a part that the reader sets:
// another one for each act, and the same one to repeat a request whose answer did not arrive. So a command that is copied into
// a program does not list an item twice, and is not answered with the result of last week.

// KeyHeader is the header of requests that can be repeated.
const KeyHeader = "Idempotency-Key"

// ActPart is the end of each key. In commands it is the variable ACT.
const ActPart = "{act}"

// SetAct sets the variable, to nanoseconds since 1970 where the system's date supports them.
const SetAct = "ACT=$(date +%s%N)"

var (
	partOfAct  = pattern.Late(`\{(\w+)\}`)
	noKeyText  = pattern.Late(`[^A-Za-z0-9._]+`)
	keyDivides = pattern.Late(`-{2,}`)
)

// longestKeyPart is the largest number of bytes that a key takes of a field. So a key stays below the 255 bytes that /v1
// accepts.
const longestKeyPart = 64

// stepKey returns the Idempotency-Key of a step for a request with some fields, "" when the step is no POST. Values that the
// step before finds stand there as {name}.
func stepKey(s *translate.Step, r *translate.Request, fields translate.Fields) string {
	if s.Act == "" {
		return ""
	}
	act := partOfAct().ReplaceAllStringFunc(s.Act, func(part string) string {
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

// batchKey returns the key of one of several batches, that of the entries from first on. It contains the number of the batch,
// because references need not be unique.
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

// keyText returns a text as a part of a key, with characters that every header may contain.
func keyText(text string) string {
	text = noKeyText().ReplaceAllString(text, "-")
	return text[:min(len(text), longestKeyPart)]
}

// CleanKey removes the empty parts of a key.
func CleanKey(key string) string { return keyDivides().ReplaceAllString(key, "-") }
