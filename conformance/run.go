package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Runner replays transcripts against a service.
type Runner struct {
	Suite *Suite
	Base  string // where the service is reached, without a trailing slash
	// Send makes a request and returns its answer.
	Send func(*http.Request) (*http.Response, error)
	// Vars are what every transcript may use: KEY and LIVE_KEY of one seller, OTHER_KEY, a test key of another one, BASE.
	// WEBHOOKS_KEY, ITEMS_KEY and SALES_KEY are test keys of the first seller that permit less: the first webhooks:write alone, the
	// second items:read and account:read, the third items:read, sales:write, bills:write and webhooks:write, but not buyers:read. A
	// section that needs one that is missing is left out.
	Vars map[string]string
	// Nonce is different for each runner on one service, so the objects of its transcripts differ from earlier ones. It has
	// at most 8 letters and digits, because references of /rest have at most 20 characters.
	Nonce string
	// Beside is nil if the runner does not control the service; then the sections that need it are left out, and so are those that use what
	// one that is left out keeps.
	Beside Beside
	// Pause waits, for a submission to be published or a budget to fill again.
	Pause func(context.Context, time.Duration) error

	runs   int
	futile int // GETs that were repeated and stayed different
}

// Beside are actions that are possible only beside the service.
type Beside interface {
	// While creates the condition of a section's While:, and returns a function that ends it.
	While(ctx context.Context, what string) (end func() error, err error)
	// Work lets the workers do all due work.
	Work(ctx context.Context) error
}

// Result is how one section of a transcript went.
type Result struct {
	File, Operation, Title string
	Problems               []string    // the differences, none for a pass
	LeftOut                string      // why it was not replayed
	Corrected              *Correction // the correction because of which the section is no longer promised: it is replayed only for its effects
	Request, Response      string      // the bodies as they were

	answer *answer           // nil if the section was not replayed
	due    *Answer           // what was expected
	vars   map[string]string // what the names stood for
}

// errNeedsMore leaves a section out.
var errNeedsMore = errors.New("needs")

// run is one replay of one transcript.
type run struct {
	*Runner
	vars  map[string]string
	plays int
	after []func(context.Context) error // what removes the objects, in the order of their creation
	// lacking are the names that sections would have kept that are left out, with the titles of these.
	lacking map[string]string
}

// Run replays a transcript. One that many operations have to follow is replayed for the operation named.
func (r *Runner) Run(ctx context.Context, t *Transcript, operation string) (results []Result) {
	x := &run{Runner: r, vars: maps.Clone(r.Vars)}
	defer func() {
		clearing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		if err := x.clearAway(clearing); err != nil && len(results) > 0 {
			last := &results[len(results)-1]
			last.Problems = append(last.Problems, err.Error())
		}
	}()
	r.runs++
	x.vars["BASE"], x.vars["nonce"] = r.Base, fmt.Sprintf("%s-%d", r.Nonce, r.runs)
	x.finally(t)
	given, own := t.Given, t
	if t.Operation() == "" {
		if own = r.Suite.own(operation, t.Legacy()); own == nil {
			return x.stopped(t, operation, fmt.Errorf("%s has no transcript of its own", operation))
		}
		given = slices.Concat(own.Given, own.Sections[0].Given)
		x.finally(own)
		if t.Legacy() {
			x.vars["call"] = operation
		}
	}
	usual := own.Sections[0].Request
	if err := x.play(ctx, given); err != nil {
		return x.stopped(t, operation, err)
	}
	for i := range t.Sections {
		s := &t.Sections[i]
		result := Result{File: t.File, Operation: operation, Title: s.Title, Corrected: r.Suite.Corrected(t, operation, s.Title)}
		if err := x.section(ctx, s, usual, t.Legacy(), &result); err != nil {
			result.fail(err)
		}
		if result.LeftOut != "" {
			x.lack(s)
		}
		results = append(results, result)
	}
	return results
}

// judge replaces the problems of a corrected section. Its differences are expected; a corrected section without differences
// is a mistake in the correction.
func (r *Result) judge() {
	switch {
	case r.Corrected == nil:
	case len(r.Problems) > 0:
		r.Problems = nil
	default:
		r.Problems = []string{"release " + r.Corrected.Entry + " corrects this section, and the service still answers as it says"}
	}
}

// fail records why a section could not be replayed.
func (r *Result) fail(err error) {
	if errors.Is(err, errNeedsMore) {
		_, why, _ := strings.Cut(err.Error(), errNeedsMore.Error()) // without the stage
		r.LeftOut, r.Problems = errNeedsMore.Error()+why, nil
		return
	}
	r.Problems = append(r.Problems, err.Error())
}

// stopped records for every section that its situation could not be created.
func (r *run) stopped(t *Transcript, operation string, err error) []Result {
	var results []Result
	for _, s := range t.Sections {
		result := Result{File: t.File, Operation: operation, Title: s.Title}
		result.fail(err)
		results = append(results, result)
	}
	return results
}

// play plays stages.
func (r *run) play(ctx context.Context, stages []string) error {
	for _, name := range stages {
		stage := r.Suite.Stages[name]
		if stage == nil {
			return fmt.Errorf("there is no stage %q", name)
		}
		if err := r.play(ctx, stage.Given); err != nil {
			r.lackAll(stage.Sections, err)
			return err
		}
		r.finally(stage)
		r.plays++
		r.vars["play"] = fmt.Sprintf("%s-%d", r.vars["nonce"], r.plays)
		for i := range stage.Sections {
			s := &stage.Sections[i]
			if err := r.play(ctx, s.Given); err != nil {
				r.lackAll(stage.Sections[i:], err)
				return err
			}
			answer, err := r.exchange(ctx, s, "")
			if err == nil && answer.status >= 300 {
				err = fmt.Errorf("answered %d %s", answer.status, answer.body)
			}
			if err == nil {
				err = r.keep(s, answer)
			}
			if err != nil {
				r.lackAll(stage.Sections[i:], err)
				return fmt.Errorf("stage %s, %s: %w", name, s.Title, err)
			}
		}
	}
	return nil
}

// section replays a section and records the differences.
func (r *run) section(ctx context.Context, s *Section, usual string, legacy bool, result *Result) (err error) {
	if err := r.play(ctx, s.Given); err != nil {
		return err
	}
	for _, what := range s.While {
		if r.Beside == nil {
			return fmt.Errorf("%w a program beside the service: while %s", errNeedsMore, what)
		}
		end, begun := r.Beside.While(ctx, what)
		if begun != nil {
			return fmt.Errorf("while %s: %w", what, begun)
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	answer, err := r.compared(ctx, s, usual, legacy, result)
	if err != nil {
		return err
	}
	result.judge()
	if len(result.Problems) > 0 {
		result.Problems = append(result.Problems, "the answer was:\n"+answer.String())
	}
	if err := r.keep(s, answer); err != nil {
		return err
	}
	result.Request, result.Response = answer.sent, answer.body
	result.answer, result.due, result.vars = answer, s.Answer, maps.Clone(r.vars)
	return nil
}

// asksV1 says whether a request is one of /v1: a transcript about /rest may use /v1 to see the effects of its calls.
func asksV1(request string) bool { return strings.Contains(request, `"$BASE/v1/`) }

// How long the suite waits: a submission is published within seconds, and a budget of requests fills again in a minute.
const (
	pollEvery = 250 * time.Millisecond
	pollTimes = 240
)

// exchange makes a section's request, again and again if it waits for something.
func (r *run) exchange(ctx context.Context, s *Section, usual string) (*answer, error) {
	if err := r.has(s, usual); err != nil {
		return nil, err
	}
	for _, name := range []string{"KEY", "LIVE_KEY", "OTHER_KEY", "WEBHOOKS_KEY", "ITEMS_KEY", "SALES_KEY"} {
		if r.vars[name] == "" && (strings.Contains(s.Request, "$"+name) || changesUsual(s.Request) && strings.Contains(usual, "$"+name)) {
			return nil, fmt.Errorf("%w the key %s", errNeedsMore, name)
		}
	}
	c, err := read(s.Request, r.vars, usual)
	if err != nil {
		return nil, err
	}
	wanted, want, _ := strings.Cut(s.Until, "=")
	for range pollTimes {
		if r.Beside != nil && len(s.While) == 0 {
			if err := r.Beside.Work(ctx); err != nil {
				return nil, err
			}
		}
		answer, err := r.once(ctx, c)
		if err != nil {
			return nil, err
		}
		if wait, ok := answer.later(s); ok {
			if err := r.Pause(ctx, wait); err != nil {
				return nil, err
			}
			continue
		}
		if cursor, ok := r.readsOn(s, answer); ok {
			c.after = cursor
			continue
		}
		if s.Until == "" {
			return answer, nil
		}
		if value, err := answer.value(wanted); err == nil && value == want {
			return answer, nil
		}
		if err := r.Pause(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s did not come about", cmp.Or(s.Until, "an answer"))
}

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 8 << 20

func (r *run) once(ctx context.Context, c *command) (*answer, error) {
	request, err := c.request()
	if err != nil {
		return nil, err
	}
	sent := ""
	if c.hasBody {
		sent = c.body()
	}
	response, err := r.Send(request.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, longestAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > longestAnswer {
		return nil, fmt.Errorf("%s %s answers more than %d bytes", request.Method, request.URL.Path, longestAnswer)
	}
	return &answer{request.Method, response.StatusCode, response.Header, string(body), sent}, nil
}

// keep gives names to values of an answer, and prepares the removal of the section's objects. The removal needs the current
// values of the names; a stage that is played again changes them.
func (r *run) keep(s *Section, a *answer) error {
	for _, k := range s.Keep {
		value, err := a.value(os.Expand(k.Path, func(name string) string { return r.vars[name] }))
		if err != nil {
			return fmt.Errorf("keep %s: %w", k.Name, err)
		}
		r.vars[k.Name] = value
	}
	if len(s.After) == 0 {
		return nil
	}
	then := &run{Runner: r.Runner, vars: maps.Clone(r.vars)}
	for _, command := range s.After {
		r.after = append(r.after, func(ctx context.Context) error {
			_, err := then.exchange(ctx, &Section{Request: command}, "")
			return err
		})
	}
	return nil
}

// finally prepares the stages that clean up after a transcript. Their objects may be gone already.
func (r *run) finally(t *Transcript) {
	for _, stage := range t.Finally {
		r.after = append(r.after, func(ctx context.Context) error {
			_ = r.play(ctx, []string{stage})
			return nil
		})
	}
}

// clearAway removes the objects of the sections, the last first. It ignores objects that are gone already.
func (r *run) clearAway(ctx context.Context) error {
	var err error
	for _, clear := range slices.Backward(r.after) {
		err = errors.Join(err, clear(ctx))
	}
	return err
}

// longestWait for a budget to fill again, in seconds. A longer Retry-After than a budget of a minute needs is not waited
// for.
const longestWait = 90

// later says how long to wait when the budget of requests is spent and the section is not about that.
func (a *answer) later(s *Section) (time.Duration, bool) {
	if a.status != http.StatusTooManyRequests || len(s.While) > 0 || s.Answer != nil && s.Answer.Status == a.status ||
		a.body != "" && !strings.Contains(a.body, "rate_limited") { // an answer to HEAD has no body
		return 0, false
	}
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, err == nil && seconds > 0 && seconds <= longestWait
}
