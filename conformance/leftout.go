package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"sellerd/internal/base/each"
)

// names finds what a request, a pattern or a path uses, apart from the names in capitals.
var names = regexp.MustCompile(`\$\{?([a-z][a-z0-9_]*)`)

// uses are the names that stand in a section, with those of the usual request if it changes that.
func (s *Section) uses(usual string) []string {
	var text strings.Builder
	used := Section{Request: s.Request, Keep: s.Keep, Answer: s.Answer}
	used.print(&text)
	if changesUsual(s.Request) {
		text.WriteString(usual)
	}
	return each.Of(names.FindAllStringSubmatch(text.String(), -1), func(found []string) string { return found[1] })
}

// lack notes what a section that is left out would have kept, by Keep or in its answer.
func (r *run) lack(s *Section) {
	if r.lacking == nil {
		r.lacking = map[string]string{}
	}
	for _, name := range s.uses("") {
		_, known := r.vars[name]
		if _, lacking := r.lacking[name]; !known && !lacking {
			r.lacking[name] = s.Title
		}
	}
	for _, k := range s.Keep {
		r.lacking[k.Name] = s.Title
		delete(r.vars, k.Name)
	}
}

// lackAll notes what the sections of a stage would have kept, if the stage is left out.
func (r *run) lackAll(sections []Section, err error) {
	if !errors.Is(err, errNeedsMore) {
		return
	}
	for i := range sections {
		r.lack(&sections[i])
	}
}

// has is an error if a section uses what one that is left out would have kept.
func (r *run) has(s *Section, usual string) error {
	for _, name := range s.uses(usual) {
		title, lacking := r.lacking[name]
		if _, known := r.vars[name]; lacking && !known {
			return fmt.Errorf("%w a section that is left out: %s is kept by %q", errNeedsMore, name, title)
		}
	}
	return nil
}

// targetCodes are the errors of addresses that a service with --allow-private-targets takes.
var targetCodes = regexp.MustCompile(`"code": "(invalid_image_url|invalid_webhook_url)"`)

// public is an error if a section wants an address refused and the service takes it because it takes every one.
func (r *run) public(ctx context.Context, s *Section, a *answer) error {
	if r.Beside != nil || a.status >= 300 || s.Answer.Status != http.StatusUnprocessableEntity || !targetCodes.MatchString(s.Answer.Body) {
		return nil
	}
	private, err := r.takesPrivate(ctx)
	if err == nil && private {
		err = fmt.Errorf("%w a service without --allow-private-targets", errNeedsMore)
	}
	return err
}

// takesPrivate asks whether a webhook may be on an http address of the service's own machine, and removes it again.
func (r *run) takesPrivate(ctx context.Context) (bool, error) {
	made, err := r.exchange(ctx, &Section{
		Request: `curl "$BASE/v1/webhooks" -H "X-Api-Key: $KEY" --json '{"url": "http://127.0.0.1:9000/'$nonce'", "status": "paused"}'`,
	}, "")
	if err != nil || made.status != http.StatusCreated {
		return false, err
	}
	id, err := made.value("data.id")
	if err != nil {
		return true, err
	}
	_, err = r.exchange(ctx, &Section{Request: `curl -X DELETE "$BASE/v1/webhooks/` + id + `" -H "X-Api-Key: $KEY"`}, "")
	return true, err
}
