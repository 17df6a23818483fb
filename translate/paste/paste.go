// Package paste translates a request of /rest that was copied from a shell, a browser or a log. It reads the pasted text: curl commands,
// addresses, forms, and what package capture reads: HAR, Postman, lines of logs, requests as they are sent. Package translate decodes the
// request, and package command prints it. Nothing is run or stored, and no answer contains a credential of the paste.
package paste

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

// Input is a legacy request as it was pasted.
type Input struct {
	Request string        // a curl command, a URL, a method and a URL, or a record with one request
	Body    string        // encoded as the request's Content-Type says, in addition to the body of the command
	BaseURL string        // of the service, without a trailing slash, for what is printed
	Shell   command.Shell // that reads what is printed; command.Sh if it is empty
}

// MaxBytes is the largest size of the request and the body of a paste together, in bytes.
const MaxBytes = 64 << 10

// Translation is what a pasted request means in /v1. Of a program with several requests it is that of the first one.
type Translation struct {
	Meaning
	Calls []Meaning `json:"calls" doc:"every call of a pasted program, in order; empty for one request"`
}

// Meaning is what one request means in /v1.
type Meaning struct {
	Call     string            `json:"call" doc:"its id in the migration guide"`
	Title    string            `json:"title" doc:"what it is for"`
	GuideURL string            `json:"guide_url"`
	Curl     v1.Opt[string]    `json:"curl" doc:"all steps as commands of a shell, with a line before them that sets ACT when one is a POST, null when there is nothing to call"`
	V1       v1.Opt[V1Request] `json:"v1" doc:"the request that takes the fields, the first of them if it takes several"`
	Steps    []V1Step          `json:"steps" doc:"every request, in order"`
	Why      v1.Opt[string]    `json:"why" doc:"why there is nothing to call"`
	Instead  v1.Opt[string]    `json:"instead" doc:"what to do when there is nothing to call"`
	Notes    []translate.Note  `json:"notes" doc:"each field that /v1 does not take over unchanged"`

	Line   int     `json:"line" doc:"of the paste in which the call begins, from 1"`
	Method string  `json:"method" doc:"of the old request"`
	Path   string  `json:"path" doc:"of the old interface, with {name} for the parts that are values"`
	Fields []Given `json:"fields" doc:"that were seen, in order"`

	doubtful bool // a part of the program that changes the request is not understood
}

// Unchanged says whether /v1 takes every field that the request has as it is.
func (m *Meaning) Unchanged() bool {
	return m.Curl.Set && len(m.Notes) == 0 && !m.Rejected()
}

// Rejected says whether a value of the request is rejected.
func (m *Meaning) Rejected() bool {
	return slices.ContainsFunc(m.Fields, func(f Given) bool { return f.Error.Set })
}

// Ignored says whether the call does not have a field.
func (m *Meaning) Ignored(name string) bool {
	return slices.ContainsFunc(m.Notes, func(n translate.Note) bool { return n.Kind == translate.NoteUnknown && n.Field == name })
}

// Given is a field of the old request.
type Given struct {
	Name     string         `json:"name"`
	Value    string         `json:"value" doc:"as it was pasted; what only the running program knows is $ and a name"`
	Variable bool           `json:"variable" doc:"a part of the value is a placeholder: put your own value there"`
	Error    v1.Opt[string] `json:"error" doc:"why the value is rejected, null if it is not; the translation has it as it was pasted"`
}

// V1Request is a request of /v1 without its key. Values that the step before finds are {name}. An Idempotency-Key ends with
// {act}, which the caller replaces: by another text for each act, and by the same one to repeat a request.
type V1Request struct {
	Method  string                   `json:"method"`
	Path    string                   `json:"path"`
	Query   string                   `json:"query" doc:"encoded, empty without one"`
	Headers []V1Header               `json:"headers" doc:"besides X-Api-Key and Content-Type"`
	Body    v1.Opt[v1.Raw[struct{}]] `json:"body" doc:"JSON, null without one"`
}

// V1Header is a header of a request.
type V1Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// V1Step is one of the requests that replace a call.
type V1Step struct {
	Purpose string                   `json:"purpose"`
	Curl    string                   `json:"curl"`
	Method  string                   `json:"method"`
	Path    string                   `json:"path"`
	Query   string                   `json:"query"`
	Headers []V1Header               `json:"headers"`
	Body    v1.Opt[v1.Raw[struct{}]] `json:"body"`
}

// Commands returns the step as commands that work on their own: before the one that uses ACT stands the line that sets it.
func (s V1Step) Commands() string {
	if strings.Contains(s.Curl, `"$ACT"`) {
		return command.Sh.SetAct() + s.Curl
	}
	return s.Curl
}

// maxReported is the largest number of notes, and of errors, in the answer to a paste.
const maxReported = 200

// Translate translates a pasted request, or each request of a pasted program, to /v1. Its error is v1.Errors: about the fields request and
// body when the paste cannot be read, and about the legacy fields when /rest would refuse them. Then the translation shows them as they
// are, if that is possible, and is not nil. Neither result contains a credential.
func Translate(t *translate.Table, in Input) (*Translation, error) {
	p, err := read(in)
	var one *Meaning
	if err == nil {
		one, err = p.meaning(t, in)
	}
	if all := programCalls(t, in, p, err); len(all) > 1 || len(all) == 1 && one == nil && (p == nil || all[0].Curl.Set) {
		known := ofCSharp().MatchString(in.Request) || !otherLanguage().MatchString(in.Request)
		if errs := (v1.Errors{}); len(all) > 1 || known && !all[0].doubtful && errors.As(err, &errs) && errs[0].Message == notReadable {
			err = nil
		}
		return &Translation{all[0], all}, err
	}
	if one == nil {
		return nil, err
	}
	one.Line = 1
	return &Translation{*one, []Meaning{}}, err
}

// meaning translates a request that was read.
func (p *pasted) meaning(t *translate.Table, in Input) (*Meaning, error) {
	path, query, err := p.target(t)
	if err != nil {
		return nil, err
	}
	if isV1(path) {
		return nil, refusePaste("request", "This is a request of /v1 already. Send it as it is, with your key in the header X-Api-Key.")
	}
	parts := segments(path)
	plans, values := findCalls(t, parts)
	if len(plans) == 0 {
		return nil, refuseWith(v1.RouteNotFound, "request", "The old interface has no call at this address. The nearest are "+
			inList(nearestCalls(t, p.method, parts), "and")+". The guide lists all of them: "+in.BaseURL+translate.GuidePath)
	}
	fields, err := p.fields(query, in.Body)
	if err == nil {
		err = p.checkPath(values)
	}
	switch {
	case err != nil:
		return nil, err
	case p.vars.beyond && !p.whole:
		return nil, refusePaste("request", fmt.Sprintf("It has more than %d variables.", maxVariables))
	}
	plan := choose(plans, p.method, p.hasBody, fields)
	if plan == nil {
		return nil, refusePaste("request", "This address takes "+inList(methodsOf(plans), "or")+", and the request has another method, or none. Put the right "+
			"one before the address, or behind -X.")
	}
	plan = plan.Holding(p.vars.held)
	request, left := plan.Decode(values, fields)
	given, refused := fields, v1.Errors(nil)
	if left != nil {
		refused = p.reported(left, plan, request.Given)
		if taking, all := p.taking(plan, fields, left); taking != nil {
			if again, more := taking.Decode(values, all); more == nil {
				plan, request, fields, left = taking, again, all, nil
			}
		}
		if left != nil && !p.whole {
			return nil, refused
		}
	}
	out := &Meaning{
		Method: plan.Method, Path: plan.Pattern, Fields: p.given(given, fields, refused), doubtful: p.doubtful,
		Call: plan.ID, Title: plan.Title, GuideURL: in.BaseURL + translate.GuidePath + "#" + plan.ID,
		Steps: []V1Step{}, Notes: p.asSentences(slices.Concat(p.vars.notes, p.notes, request.Notes, request.Cautions)),
	}
	switch {
	case plan.Target.Kind == translate.Local, plan.Target.Kind == translate.Absent:
		out.Why, out.Instead = v1.Some(plan.Target.Why), v1.Some(plan.Target.Instead)
		return out, nil
	case left != nil:
		out.Why = v1.Some(strings.TrimSpace(refused[0].Field + " " + sentence(refused[0].Message)))
		return out, nil //nolint:nilerr // a program has other calls: this one says why it has none
	}
	if p.whole {
		refused = nil
	}
	if field := plan.ListOf; field != "" {
		out.Notes = append(out.Notes, translate.Note{Field: field, Kind: translate.NoteNarrowed, Text: translate.WholeListNote})
	}
	p.shell = in.Shell
	p.print(out, plan, request, in.BaseURL)
	out.mark(plan, request)
	if out.V1.V.Body.V.Text == "{}" {
		const nothing = "None of the fields that it sends is one of this call, so nothing would be asked. Paste the method, the URL and the form that it sends, " +
			"such as title=Postcard&fixed_price=4.50"
		switch {
		case p.whole:
			out.Notes = append(out.Notes, translate.Note{Kind: translate.NoteUnknown, Text: sentence(nothing)})
		case p.program, p.hasBody && len(fields) == 0, slices.ContainsFunc(fields, func(f translate.Field) bool { return p.vars.in(f.Name) != nil }):
			return nil, refusePaste("request", nothing)
		}
	}
	if err := p.checkVariables(out.Curl.V, values); err != nil {
		return nil, err
	}
	if refused != nil {
		return out, refused
	}
	return out, nil
}

// refusePaste returns the error for a paste that cannot be read or translated.
func refusePaste(field, message string) v1.Errors {
	return refuseWith(v1.InvalidValue, field, message)
}

func refuseWith(code v1.Code, field, message string) v1.Errors {
	return v1.Errors{{Code: code, Field: field, Message: message}}
}

// target returns the path and the query of the address, still encoded. An address without a host begins with the first part of a path of
// the tables, such as item/4711.
func (p *pasted) target(t *translate.Table) (path, query string, err error) {
	address, _, _ := strings.Cut(p.vars.filledIn(p.address, braces), "#")
	if first, _, _ := strings.Cut(strings.ReplaceAll(address, "?", "/"), "/"); first != "" && isFirst(t, first) {
		address = "/" + address
	}
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		switch known := strings.ToLower(scheme); {
		case known == "http" || known == "https" || len(p.vars.in(scheme)) > 0:
		case strings.ContainsFunc(scheme, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+.-", r)
		}):
			return "", "", refusePaste("request", notReadable)
		default:
			return "", "", refusePaste("request", "Its address begins with another scheme than http and https.")
		}
		address = rest
	}
	address, query, _ = strings.Cut(address, "?")
	host, path, ok := strings.Cut(address, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		_ = p.user("", host[:i])
	}
	if !ok {
		return "", "", refusePaste("request", notReadable)
	}
	u, err := url.Parse("http://host/" + path)
	if err != nil {
		return "", "", refusePaste("request", "Its address is not encoded as addresses are: a % must be written %25.")
	}
	return u.EscapedPath(), p.queryOf(query), nil
}

// queryOf returns the whole query: that of the address, that of --url-query, and the form that -G sends there.
func (p *pasted) queryOf(query string) string {
	all := append([]string{query}, p.query...)
	if p.get {
		all = append(all, p.form...)
		p.form, p.hasBody = nil, false
	}
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), "&")
}

// checkPath rejects texts that no part of a path can be, and gives variables in the path the form of numbers.
func (p *pasted) checkPath(values map[string]string) error {
	for name, text := range values {
		if err := checkText(name, text); err != nil {
			return err
		}
		values[name] = p.vars.numbered(p.vars.filledIn(p.withoutSecrets(text), ofPart))
	}
	return nil
}

// reported returns errors about fields as the answer to a paste: without credentials.
func (p *pasted) reported(errs v1.Errors, plan *translate.Plan, given translate.Fields) v1.Errors {
	errs = slices.Clone(errs[:min(len(errs), maxReported)])
	for i := range errs {
		plan.NameUnread(&errs[i], given)
		errs[i].Field, errs[i].Message = p.shown(errs[i].Field), p.vars.restore(errs[i].Message)
	}
	return errs
}

// asSentences returns the notes of a request as sentences.
func (p *pasted) asSentences(notes []translate.Note) []translate.Note {
	out := make([]translate.Note, 0, min(len(notes), maxReported)+1)
	for i, note := range notes {
		if i == maxReported {
			return append(out, translate.Note{Kind: translate.NoteUnknown, Text: fmt.Sprintf("There are %d notes more, which are not shown.", len(notes)-i)})
		}
		out = append(out, translate.Note{Field: p.shown(note.Field), Kind: note.Kind, Text: p.vars.restore(sentence(note.Text))})
	}
	return out
}

// sentence adds a full stop to a text that has none.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// checkVariables rejects variables whose values are needed: a number that /v1 writes in another way, and the output of a
// command.
func (p *pasted) checkVariables(printed string, path map[string]string) error {
	if strings.Contains(printed, p.variable(outputOfCommand)) {
		return refusePaste("request", "It takes the output of a command, and nothing is run here: put that value in its place.")
	}
	for name, text := range path {
		if name == translate.SettingField {
			continue // the webhook is found by another step
		}
		for _, used := range p.vars.in(text) {
			if !strings.Contains(printed, p.variable(used[1:])) {
				return refusePaste(name, "/v1 writes this number in another way. Put its value in the place of "+used)
			}
		}
	}
	return nil
}

// inList joins texts to a list in a sentence.
func inList(texts []string, conjunction string) string {
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " " + conjunction + " " + texts[n-1]
	}
	return strings.Join(texts, "")
}
