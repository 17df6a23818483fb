package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/client"
)

const (
	// maxText is the largest text of an answer, in bytes.
	maxText = 32 << 10
	// maxFrame is the most that stands in an answer beside its data.
	maxFrame = 1 << 10
)

// answer is what a request brought.
type answer struct {
	*client.Answer
	operation      string
	idempotencyKey string // of a POST
	data           any    // of openjson, nil for data that is not JSON, which the client does not return
	notes          []string
}

func newAnswer(operation string, from *client.Answer, key string) *answer {
	data, _ := openjson.Parse(from.Data)
	return &answer{Answer: from, operation: operation, idempotencyKey: key, data: data}
}

// hiddenSecret stands for a secret that the call did not ask for.
const hiddenSecret = "hidden"

// hideSecret replaces the secret of a webhook.
func (a *answer) hideSecret() {
	data := object(a.data)
	if data.Get("secret") == nil {
		return
	}
	data.Set("secret", hiddenSecret)
	a.notes = append(a.notes, "The secret is hidden. To store it, repeat the same call with "+argShowSecret+": true.")
}

const noteReplayed = "This was done before, and nothing was done now. To do it once more, pass a new " + argKey + "."

// text is the answer as a JSON text.
func (a *answer) text() string { return string(openjson.Append(nil, a.described())) }

// described is the answer as a JSON object.
func (a *answer) described() openjson.Object {
	out := openjson.Of("operation", a.operation, "status", a.Status)
	out.Set("etag", a.ETag())
	out.Set(argKey, a.idempotencyKey)
	notes := a.notes
	if a.Replayed() {
		out.Set("replayed", true)
		notes = append(notes, noteReplayed)
	}
	out.Set("note", strings.Join(notes, " "))
	return append(out, openjson.Member{Name: "data", Value: a.data})
}

// part is the part of a text from an offset on that fits into an answer, and says how to read on.
func part(text string, offset int) (string, error) {
	if offset > len(text) || offset > 0 && offset == len(text) {
		return "", argumentProblem(v1.InvalidParameter, argOffset, fmt.Sprintf("The answer has %d bytes.", len(text)))
	}
	from := start(text, offset)
	rest := text[from:]
	if len(rest) <= maxText {
		return rest, nil
	}
	end := from + cutAt(rest, maxText-maxFrame)
	return fmt.Sprintf("%s\n\n[This is a part of the answer: bytes %d to %d of %d. For the rest, make the same call with %s: %d.]",
		text[from:end], from, end, len(text), argOffset, end), nil
}

// beginning is a text that fits into an answer, and says so if it was longer.
func beginning(text, words string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s\n\n[The answer was cut off: it has %d bytes. %s]", text[:cutAt(text, maxText-maxFrame)], len(text), words)
}

// start moves an offset back to the beginning of a character.
func start(text string, offset int) int {
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	return offset
}

// cutAt is where a text is cut so that it has at most so many bytes: after a line if one ends in the last quarter, else after a
// character.
func cutAt(text string, most int) int {
	end := start(text, most)
	if line := strings.LastIndexByte(text[:end], '\n'); line > end*3/4 {
		return line + 1
	}
	return end
}

// shown is a text without the API key, whatever brought it there.
func (s *Server) shown(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), s.config.Key, "(API key)")
}

// beginningOf is the beginning of a text, with a sign if something follows.
func beginningOf(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:start(text, most)] + "…"
}
