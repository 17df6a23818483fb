package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/client"
	"sellerd/v1/openapi"
)

// This file puts items on sale. Every item is checked first (validate_only), so a mistake in one of them creates none.

const (
	createItems    = "create_items" // the tool's name
	createItemsWas = "list_items"   // its name until 1.5.0, which is not listed and still works

	argItems        = "items"
	argValidateOnly = "validate_only"
	argOnlyClean    = "only_clean"
	argWait         = "wait"
)

// How long the tool waits between two looks at what it submitted: more each time.
const (
	firstLook   = 250 * time.Millisecond
	longestLook = 3 * time.Second
)

// makeListing makes the tool that lists items, of the operations that take one item and several.
func (s *Server) makeListing(t *tool, shown places) {
	one, several := s.operation(openapi.OperationID(v1.SubmitItem.Operation)), s.operation(openapi.OperationID(v1.SubmitBatch.Operation))
	t.required = []string{argItems}
	t.properties.Set(argItems, openjson.Of("type", "array", "items", shown.once(brief(one.body), createItems)))
	t.argument(argValidateOnly, "creates nothing", flagSchema())
	t.argument(argOnlyClean, "creates those that are right", flagSchema())
	t.argument(argWait, "until they are published", flagSchema())
	t.properties.Set(argKey, textSchema())
	t.run = func(ctx context.Context, args *arguments) (string, error) {
		l, err := s.newListing(one, several, args)
		if err != nil {
			return "", err
		}
		return l.run(ctx)
	}
}

// listing is one call of the tool.
type listing struct {
	*Server
	one, several             *operation
	args                     *arguments
	items                    []any
	onlyCheck, clean, awaits bool
}

func (s *Server) newListing(one, several *operation, args *arguments) (*listing, error) {
	parsed, err := openjson.Parse(args.values[argItems])
	if text, isText := parsed.(string); isText { // some hosts pass lists and objects so
		parsed, err = openjson.Parse([]byte(text))
	}
	if single := object(parsed); single != nil {
		parsed = []any{single}
	}
	l := &listing{Server: s, one: one, several: several, args: args, items: list(parsed)}
	if err != nil || len(l.items) == 0 || len(l.items) > v1.MaxBatch || slices.ContainsFunc(l.items, func(item any) bool { return object(item) == nil }) {
		return nil, argumentProblem(v1.InvalidParameter, argItems, fmt.Sprintf("It must be a list of 1 to %d items, each a JSON object.", v1.MaxBatch))
	}
	l.onlyCheck, l.clean, l.awaits = args.flag(argValidateOnly, false), args.flag(argOnlyClean, false), args.flag(argWait, true)
	return l, args.first()
}

// run checks the items, and submits them if that is asked for and nothing is wrong.
func (l *listing) run(ctx context.Context) (string, error) {
	right, wrong, err := l.check(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case wrong != nil && (!l.clean || len(right) == 0):
		return "", &failedCall{problems: wrong, note: fmt.Sprintf("%d of %d items are right. None was created.", len(right), len(l.items))}
	case l.onlyCheck:
		out := openjson.Of("valid", len(right), "accepted", 0)
		setErrors(&out, wrong)
		return beginning(string(openjson.Append(nil, out)), "The rest are errors."), nil
	}
	made, refused, err := l.submit(ctx, right)
	if err != nil {
		return "", err
	}
	out := openjson.Of("checked", len(l.items), "accepted", len(right)-refused.items())
	setErrors(&out, wrong, refused)
	for _, m := range made.described() {
		out.Set(m.Name, m.Value)
	}
	return beginning(string(openjson.Append(nil, out)), "The items are submitted. Read the submission or the batch for the rest."), nil
}

// check has the service check the items in one request, and returns the positions of those that are right. Its error is about something
// else than the items, such as the key.
func (l *listing) check(ctx context.Context) (right []int, wrong problems, err error) {
	positions := make([]int, len(l.items))
	for i := range positions {
		positions[i] = i
	}
	o, body := l.request(positions)
	got, err := l.api.Do(ctx, client.Request{Method: http.MethodPost, Path: o.Pattern, Query: url.Values{"validate_only": {"true"}}, Body: body})
	var failed *client.Error
	switch {
	case err == nil:
		whole := false
		if wrong, whole = l.refused(got, positions); !whole || got.Status != http.StatusOK {
			return nil, nil, fmt.Errorf("check %d items: the answer has the status %d, and not a result for each", len(positions), got.Status)
		}
	case !errors.As(err, &failed) || !isAboutItem(failed.Status):
		return nil, nil, l.sent(client.Request{}, err)
	default:
		wrong = l.problemsOf(failed)
		for i := range wrong {
			if wrong[i].Index == nil && len(positions) == 1 {
				wrong[i].Index = new(int)
			}
			if at := wrong[i].Index; at == nil || *at < 0 || *at >= len(positions) {
				return nil, nil, l.unchecked(failed)
			}
			wrong[i].isAbout(*wrong[i].Index)
		}
	}
	right = slices.DeleteFunc(positions, func(i int) bool {
		return slices.ContainsFunc(wrong, func(p problem) bool { return *p.Index == i })
	})
	return right, wrong, nil
}

// request returns the operation and the body for the items at some positions: one alone, or several as a batch.
func (l *listing) request(positions []int) (o *operation, body []byte) {
	if len(positions) == 1 {
		return l.one, openjson.Append(nil, l.items[positions[0]])
	}
	items := make([]any, 0, len(positions))
	for _, i := range positions {
		items = append(items, l.items[i])
	}
	return l.several, openjson.Append(nil, openjson.Of("items", items))
}

// isAbout sets the position of the item that a problem is about. The field is then one of the item: title, and not items[0].title.
func (p *problem) isAbout(position int) {
	p.Index = &position
	if _, field, ok := strings.Cut(p.Field, "]."); ok && strings.HasPrefix(p.Field, "items[") {
		p.Field = field
	}
}

// refused returns the problems in the results of a batch, with the positions of its items, and whether it has a result for each. The
// answer about one item has no results.
func (l *listing) refused(got *client.Answer, positions []int) (refused problems, whole bool) {
	var batch struct {
		Results []struct {
			Errors problems `json:"errors"`
		} `json:"results"`
	}
	_ = json.Unmarshal(got.Data, &batch)
	for at, result := range batch.Results[:min(len(batch.Results), len(positions))] {
		for _, p := range result.Errors {
			p.isAbout(positions[at])
			refused = append(refused, p.mended(l.config.BaseURL))
		}
	}
	return refused, len(positions) == 1 || len(batch.Results) == len(positions)
}

// unchecked is the error of a check that the service refused as a whole.
func (l *listing) unchecked(failed *client.Error) error {
	call := &failedCall{problems: l.problemsOf(failed), sent: failed, note: "None was created."}
	for i := range call.problems {
		if p := &call.problems[i]; p.Code == string(v1.UnknownParameter) {
			p.Mend = "The service is older than release 1.7.0, and does not check several items in one request. Send one item at a time."
		}
	}
	return call
}

// isAboutItem says whether an answer with a status refuses the item, and not the caller.
func isAboutItem(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, status)
}

// submit submits the items at some positions, one alone or several as a batch, and tells what became of them. A batch may refuse some of
// its items although each alone was right: when they are more than the store may have.
func (l *listing) submit(ctx context.Context, positions []int) (made *answer, refused problems, err error) {
	o, body := l.request(positions)
	r := client.Request{Method: http.MethodPost, Path: o.Pattern, Body: body}
	r.IdempotencyKey = l.idempotencyKey(r, l.args)
	if err := l.args.first(); err != nil {
		return nil, nil, err
	}
	got, err := l.api.Do(ctx, r)
	if err != nil {
		return nil, nil, l.sent(r, err)
	}
	made = newAnswer(o.id, got, r.IdempotencyKey)
	refused, _ = l.refused(got, positions) // they are submitted, whatever it says
	if l.awaits {
		l.await(ctx, made, got.Header.Get("Location"))
	}
	return made, refused, nil
}

// await reads the submission or the batch until it is done. What it saw last becomes the data of the answer. An error does not
// matter: the items are submitted.
func (l *listing) await(ctx context.Context, a *answer, path string) {
	for pause := firstLook; path != "" && isPending(object(a.data)); pause = min(2*pause, longestLook) {
		if l.config.Sleep(ctx, pause) != nil {
			break
		}
		seen, err := l.api.Do(ctx, client.Request{Method: http.MethodGet, Path: path})
		if err != nil {
			break
		}
		if data, err := openjson.Parse(seen.Data); err == nil {
			a.data = data
		}
	}
	data := object(a.data)
	if data.Get("status") == v1.SubmissionRejected {
		a.notes = append(a.notes, "The item was rejected and is not on sale: data.errors says why.")
	}
	if count, _ := data.Get("rejected_at_publication_count").(jsontext.Value); len(count) > 0 && string(count) != "0" {
		a.notes = append(a.notes, string(count)+" items were rejected at publication and are not on sale: the errors of their submissions say why.")
	}
	if isPending(data) {
		a.notes = append(a.notes, "Publication is still pending. Read the submission or the batch later.")
	}
}

// isPending says whether a submission, or an answered or read batch, is not final yet.
func isPending(data openjson.Object) bool {
	if done, isBatch := data.Get("done").(bool); isBatch {
		return !done
	}
	status := data.Get("status")
	return status != v1.SubmissionPublished && status != v1.SubmissionRejected
}
