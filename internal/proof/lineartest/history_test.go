package lineartest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

const (
	retryEvery   = 10 * time.Millisecond // while no process takes the request
	giveUpAfter  = 30 * time.Second      // for one request that no process takes
	mostUnknown  = 6                     // requests of a history whose outcome is unknown, after which its clients stop: each doubles the search
	searchLimit  = 30 * time.Second      // for one history; a search usually takes less than a millisecond
	neverAnswers = math.MaxInt64
)

// subject is what one history is about.
type subject interface {
	// model says what one process without faults would answer, beginning with the subject as it was in the beginning. The history may
	// tell it where the search need not look.
	model(history []porcupine.Operation) porcupine.Model
	// next is a client's next request.
	next(rng *rand.Rand, m *memory) request
	// last are requests that one client sends when all others have ended.
	last(m *memory) []request
}

// memory is what a client knows of its subject from earlier answers.
type memory struct {
	client int
	sent   int
	tag    string // the entity tag that it read last
	cursor string // its place in the feed
	events int    // that it has read

	outcome string // of a submission
}

// request is one request, and how the model is told of it.
type request struct {
	method, path string
	key          string // the Idempotency-Key
	tag          string // If-Match
	body         any
	in           any // the request as the model knows it
	// out is the answer as the model knows it, for 2xx. nil stands for an answer that tells nothing.
	out func(blackbox.Answer) (any, error)
}

// unknown is the output of a request that may have taken effect, or may yet do so.
type unknown struct{}

// refused is the output of a request that was refused: the code of the first error, and what its details say of the object.
type refused struct{ Code, Detail string }

// history is the requests about one subject.
type history struct {
	kind    string
	subject subject
	began   time.Time

	mu      sync.Mutex
	ops     []porcupine.Operation
	unknown int
	errs    []error
}

// client sends requests to the processes in turns of its own.
type client struct {
	*history
	servers []*blackbox.Server
	key     string // of the seller
	rng     *rand.Rand
	memory  memory
}

// work sends a number of requests.
func (c *client) work(requests int) {
	for range requests {
		if c.full() || !c.do(c.subject.next(c.rng, &c.memory)) {
			return
		}
	}
}

// finish sends the last requests.
func (c *client) finish() {
	for _, a := range c.subject.last(&c.memory) {
		if !c.do(a) {
			return
		}
	}
}

func (h *history) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unknown >= mostUnknown || len(h.errs) > 0
}

// do sends a request and notes it. Each request goes to a process that is chosen at random. It says whether to go on.
func (c *client) do(a request) bool {
	c.memory.sent++
	for start := time.Now(); ; time.Sleep(retryEvery) {
		at := &blackbox.Client{Server: c.servers[c.rng.IntN(len(c.servers))], Key: c.key, Fresh: true}
		sent := time.Since(c.began)
		got, err := c.send(at, a)
		answered := time.Since(c.began)
		switch {
		case errors.Is(err, syscall.ECONNREFUSED): // it was not sent
			if time.Since(start) > giveUpAfter {
				c.fail("%s %s: no process takes it", a.method, a.path)
				return false
			}
			continue
		case err != nil || got.Status == http.StatusServiceUnavailable:
			if a.method != http.MethodGet { // a reading without an answer tells nothing
				c.note(a.in, unknown{}, sent, neverAnswers)
			}
			return true
		case got.Status >= 500:
			c.note(a.in, unknown{}, sent, neverAnswers)
			c.fail("%s %s: %d %s", a.method, a.path, got.Status, got.Errors)
			return false
		}
		out, err := outOf(a, got)
		if err != nil {
			c.fail("%s %s: %d %s %s: %v", a.method, a.path, got.Status, got.Data, got.Errors, err)
			return false
		}
		if out != nil {
			c.note(a.in, out, sent, answered)
		}
		return true
	}
}

func (c *client) send(at *blackbox.Client, a request) (blackbox.Answer, error) {
	var body []byte
	if a.body != nil {
		var err error
		if body, err = json.Marshal(a.body); err != nil {
			return blackbox.Answer{}, err
		}
	}
	if a.tag != "" {
		return at.DoIfMatch(a.method, a.path, a.tag, body)
	}
	return at.Do(a.method, a.path, a.key, body)
}

// outOf is an answer as the model knows it.
func outOf(a request, got blackbox.Answer) (any, error) {
	if got.Status/100 == 2 {
		return a.out(got)
	}
	var problems []struct {
		Code    string
		Details struct {
			Status, Minimum   string
			QuantityAvailable *int `json:"quantity_available"`
		}
	}
	if err := json.Unmarshal(got.Errors, &problems); err != nil || len(problems) == 0 {
		return nil, errors.Join(errors.New("there are no errors in the answer"), err)
	}
	first := problems[0]
	if first.Code == "idempotency_key_in_progress" {
		return nil, nil
	}
	detail := first.Details.Status + first.Details.Minimum
	if left := first.Details.QuantityAvailable; left != nil {
		detail += fmt.Sprint(*left)
	}
	return refused{first.Code, detail}, nil
}

func (c *client) note(in, out any, sent, answered time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.memory.client
	if out == any(unknown{}) { // on the page, such a request takes a line of its own to the end
		c.unknown++
		id = 100 + c.unknown
	}
	c.ops = append(c.ops, porcupine.Operation{ClientId: id, Input: in, Output: out, Call: int64(sent), Return: int64(answered)})
}

func (c *client) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// modelOf is a porcupine model with states of a comparable type. step says whether an answer fits, and what the next state
// is. An answer that is unknown always fits.
func modelOf[S comparable](begin S, step func(state S, in, out any) (next S, fits bool)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return begin },
		Step: func(state, in, out any) (bool, any) {
			next, fits := step(state.(S), in, out)
			return fits, next
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%s → %s", describe(in), describe(out)) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// exactly is the step of a model in which the state and the request alone decide what the answer is. No answer fits nil.
func exactly[S comparable](do func(state S, in any) (next S, out any)) func(S, any, any) (S, bool) {
	return func(state S, in, out any) (S, bool) {
		next, want := do(state, in)
		return next, want != nil && (out == any(unknown{}) || out == want)
	}
}

// describe writes a value with its type's name, without that of the package.
func describe(v any) string {
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "lineartest.") + strings.TrimPrefix(fmt.Sprintf("%+v", v), "lineartest.")
}

// checked is what the search found.
type checked struct {
	*history
	model porcupine.Model
	info  porcupine.LinearizationInfo
	found porcupine.CheckResult
}

// judge looks for an order of the history's requests.
func (h *history) judge() checked {
	v := checked{history: h, model: h.subject.model(h.ops)}
	v.found, v.info = porcupine.CheckOperationsVerbose(v.model, h.ops, searchLimit)
	return v
}

// show logs a history without an order, and writes it to a page.
func (v checked) show(tb testing.TB, page *os.File) {
	tb.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "a history of the kind %q is not linearizable (%s); its page is %s\n", v.kind, v.found, page.Name())
	for _, op := range slices.SortedFunc(slices.Values(v.ops), func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) }) {
		end := "never"
		if op.Return != neverAnswers {
			end = fmt.Sprintf("%.2f", float64(op.Return)/1e6)
		}
		fmt.Fprintf(&text, "  client %3d  %9.2f – %9s ms  %s\n", op.ClientId, float64(op.Call)/1e6, end, v.model.DescribeOperation(op.Input, op.Output))
	}
	longest := 0
	for _, orders := range v.info.PartialLinearizations() {
		for _, order := range orders {
			longest = max(longest, len(order))
		}
	}
	fmt.Fprintf(&text, "  the longest order has %d of %d requests\n", longest, len(v.ops))
	tb.Log(text.String())
	if err := porcupine.Visualize(v.model, v.info, page); err != nil {
		tb.Error(err)
	}
}
