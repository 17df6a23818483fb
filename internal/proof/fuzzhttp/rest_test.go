package fuzzhttp_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sellerd/internal/proof/servertest"
)

// This file sends calls of /rest: forms, and answers in XML.

// mistakes of calls.
var mistakesOfRest = []mistake{none, none, none, wrongForm, wrongForm, noToken, wrongKey, wrongMethod, wrongMedia, wrongID, twiceInQuery}

// numbers are the parts of answers that two services say in other words, with the name of the element.
var numbers = regexp.MustCompile(`<(id_[a-z_]+|id|token|[a-z_]*url[a-z_]*|thumb|link)>([^<]*)</`)

// stepOfRest sends a call with the seller's session.
func (s *sequence) stepOfRest(step *step) *failure {
	e := &exchange{o: step.operation}
	if s.keys[0].token == "" {
		for world := range s.f.handlers {
			login := &sent{method: http.MethodPost, path: "/rest/seller", header: http.Header{"Content-Type": {formType}}, hasBody: true, body: "apikey=" + s.keys[world].own}
			_, token, _ := strings.Cut(s.ask(world, login).Body.String(), "<token>")
			s.keys[world].token, _, _ = strings.Cut(token, "<")
		}
	}
	e.wrong = one(s.generator(step.seed+1, 0), mistakesOfRest)
	for world := range e.sent {
		g := s.generator(step.seed, world)
		g.d = s.f.rest
		e.sent[world], e.wrong = g.call(e.o, e.wrong, s.keys[world])
	}
	s.exchange(e)
	return e.checkRest(s.pool)
}

const formType = "application/x-www-form-urlencoded"

func (g *generator) call(o *operation, wrong mistake, k keys) (*sent, mistake) {
	s := &sent{method: o.method, path: o.path, header: http.Header{}, params: map[string]string{}}
	fields := url.Values{}
	for _, parameter := range o.parameters {
		name, schema := parameter["name"].(string), parameter["schema"].(map[string]any)
		value := g.field(name, schema)
		if wrong == wrongID {
			value = one(g, []string{"0", "-1", "x", "9223372036854775808", "%", "٣", value + "x", "\x00"})
		}
		if parameter["in"] == "path" {
			s.path = strings.Replace(s.path, "{"+name+"}", url.PathEscape(value), 1)
		} else if g.chance(40) {
			fields.Set(name, value)
		}
	}
	if o.body != nil {
		g.fields(fields, "", g.value("", o.body, 0))
	}
	if o.id == "login" {
		fields.Set("apikey", k.own)
	}
	switch {
	case wrong == wrongForm && len(fields) > 0:
		name := one(g, slices.Sorted(maps.Keys(fields)))
		fields.Set(name, fmt.Sprint(one(g, strange)))
	case wrong == wrongForm:
		fields.Set("unknown", "\x00")
	case wrong == twiceInQuery:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			fields.Add(name, "again")
		}
	}
	switch wrong {
	case noToken:
	case wrongKey:
		fields.Set("token", one(g, []string{"x", "", k.token + "0", k.own}))
		if o.id == "login" {
			fields.Set("apikey", "dk_test_0_0")
		}
	default:
		fields.Set("token", k.token)
	}
	form := fields.Encode()
	if o.method == http.MethodGet {
		s.query = []string{form}
	} else {
		s.body, s.hasBody = form, true
		s.header.Set("Content-Type", formType)
	}
	switch wrong {
	case wrongMedia:
		if s.header.Set("Content-Type", one(g, []string{"application/json", "text/plain", "multipart/form-data", ";"})); !s.hasBody {
			wrong = none
		}
	case wrongMethod:
		s.method = one(g, []string{"PUT", "PATCH", "DELETE", "POST", "TRACE"})
	}
	return s, wrong
}

// field is a text for a parameter, rather one that is known from /v1.
func (g *generator) field(name string, schema map[string]any) string {
	for _, known := range []string{name, strings.TrimPrefix(name, "id_") + "_id"} {
		if text := g.pool.value(g, known); text != "" && g.chance(90) {
			return text
		}
	}
	return fmt.Sprint(g.value("", schema, 0))
}

// fields writes an object in the form of PHP: items[0][title].
func (g *generator) fields(to url.Values, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			inner := member
			if name != "" {
				inner = name + "[" + member + "]"
			}
			text := v[member]
			if known := knownFields[member]; known != nil && g.chance(90) {
				text = one(g, known)
			}
			g.fields(to, inner, text)
		}
	case []any:
		for i := range v {
			g.fields(to, fmt.Sprintf("%s[%d]", name, i), v[i])
		}
	case nil:
	default:
		to.Set(name, fmt.Sprint(v))
	}
}

// knownFields are values that lead further than generated ones. The document of /rest has no examples.
var knownFields = map[string][]any{
	"id_category": {servertest.Category}, "fixed_price": {"12.50", "3"}, "price_starting": {"1", "9.99"}, "currency": {"EUR", "USD"},
	"destination": {"https://hooks.example.com/rest", "https://hooks.example.com/other"},
}

// checkRest is the first check that a call fails, nil for none.
func (e *exchange) checkRest(p *pool) *failure {
	for world, answer := range e.answers {
		if answer.Code >= 500 && !isResetting(answer) {
			return e.fail("not_a_server_error", "it answered %d: %.500s", answer.Code, answer.Body)
		}
		for _, found := range servertest.FindingsOfRest(e.sent[world].request(), answer) {
			return e.fail(found.Check, "%d: %.1500s\n%.500s", answer.Code, found.Text, answer.Body)
		}
		switch {
		case (e.wrong == noToken || e.wrong == wrongKey) && answer.Code < 300 && e.secured():
			return e.fail("ignored_auth", "with %s it answered %d", e.wrong, answer.Code)
		case e.wrong == wrongMethod && !e.described(world) && answer.Code < 400:
			return e.fail("unsupported_method", "%s answered %d", e.sent[world].method, answer.Code)
		case !strings.Contains(answer.Body.String(), "<status>") && e.sent[world].method != http.MethodHead:
			return e.fail("response_schema_conformance", "%d, not in the envelope: %.500s", answer.Code, answer.Body)
		}
	}
	a, b := e.answers[0], e.answers[1]
	inA, inB := numbers.FindAllStringSubmatch(a.Body.String(), -1), numbers.FindAllStringSubmatch(b.Body.String(), -1)
	if a.Code != b.Code || len(inA) != len(inB) || masked(a) != masked(b) {
		return e.fail("same_on_both_databases", "SQLite answers %d, PostgreSQL %d:\n%.900s\n%.900s", a.Code, b.Code, a.Body, b.Body)
	}
	for i := range inA {
		p.add(inA[i][1], pair{inA[i][2], inB[i][2]})
	}
	return nil
}

// secured says whether the call needs a session by the document. login has its key in the form.
func (e *exchange) secured() bool {
	security, says := e.o.node["security"].([]any)
	if e.o.id == "login" {
		return e.wrong == wrongKey
	}
	return !says || !slices.ContainsFunc(security, func(way any) bool { return len(way.(map[string]any)) == 0 })
}

func masked(answer *httptest.ResponseRecorder) string {
	return numbers.ReplaceAllString(answer.Body.String(), "<$1></")
}
