package fuzzhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// This file makes requests of /v1: valid ones, and such with one mistake.

// sent is a request as one of the services gets it.
type sent struct {
	method, path string
	query        []string
	header       http.Header
	body         string
	hasBody      bool
	params       map[string]string // of the path
}

func (s *sent) request() *http.Request {
	address := s.path
	if len(s.query) > 0 {
		address += "?" + strings.Join(s.query, "&")
	}
	r := httptest.NewRequest(s.method, "/", strings.NewReader(s.body))
	r.RequestURI = address
	if u, err := url.ParseRequestURI(address); err == nil {
		r.URL = u
	}
	if !s.hasBody {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header = s.header.Clone()
	return r
}

func (s *sent) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %.200s %.500s", s.method, s.path, strings.Join(s.query, "&"))
	for _, name := range []string{"Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"} {
		for _, value := range s.header.Values(name) {
			fmt.Fprintf(&b, " [%s: %q]", name, value)
		}
	}
	if s.hasBody {
		fmt.Fprintf(&b, " %.1500q", s.body)
	}
	return b.String()
}

// mistake is what is wrong with a request.
type mistake string

const (
	none          mistake = ""
	wrongBody     mistake = "a changed body"
	brokenJSON    mistake = "broken JSON"
	wrongMedia    mistake = "a wrong media type"
	noBody        mistake = "no body"
	noKey         mistake = "no key"
	wrongKey      mistake = "a wrong key"
	twoKeys       mistake = "two keys"
	otherKey      mistake = "the key of another seller"
	liveKey       mistake = "the key of the other mode"
	wrongMethod   mistake = "a method that is not described"
	wrongQuery    mistake = "a changed query"
	twiceInQuery  mistake = "a parameter twice"
	wrongID       mistake = "a changed id"
	wrongIdemKey  mistake = "a malformed Idempotency-Key"
	twoIdemKeys   mistake = "two Idempotency-Keys"
	wrongIfMatch  mistake = "a malformed If-Match"
	noToken       mistake = "no token"       // of /rest
	wrongForm     mistake = "a changed form" // of /rest
	unknownMember mistake = "an unknown member"
)

// mistakes of a request to an operation that has a body, or not.
var (
	withBody    = []mistake{wrongBody, wrongBody, wrongBody, wrongBody, unknownMember, brokenJSON, wrongMedia, noBody}
	withoutBody = []mistake{wrongQuery, wrongQuery, twiceInQuery}
	anywhere    = []mistake{noKey, wrongKey, twoKeys, otherKey, liveKey, wrongMethod, wrongQuery, wrongID, wrongIdemKey, twoIdemKeys, wrongIfMatch}
)

func (g *generator) mistake(o *operation) mistake {
	switch {
	case g.chance(55):
		return none
	case strings.Contains(o.path, "{") && g.chance(10): // by chance alone it was six of more than 4,000 requests
		return otherKey
	case g.chance(30):
		return one(g, anywhere)
	case o.body != nil:
		return one(g, withBody)
	}
	return one(g, withoutBody)
}

// keys are the keys of one sequence on one service.
type keys struct{ own, live, other, token string }

// request makes a request. A mistake that the operation cannot have is none.
func (g *generator) request(o *operation, wrong mistake, k keys) (*sent, mistake) {
	s := &sent{method: o.method, header: http.Header{}, params: map[string]string{}}
	aim := target{}
	if targets := g.pool.targets[o.id]; len(targets) > 0 && g.chance(95) {
		aim = targets[max(g.IntN(len(targets)), g.IntN(len(targets)))] // rather a late one
	}
	s.path = o.path
	for _, parameter := range o.parameters {
		name := parameter["name"].(string)
		schema := parameter["schema"].(map[string]any)
		if parameter["in"] == "query" {
			if g.chance(12) && name != "wait" { // it would wait for events in real time
				s.query = append(s.query, url.QueryEscape(name)+"="+url.QueryEscape(inQuery(g.value(name, schema, 0))))
			}
			continue
		}
		made := fmt.Sprint(g.value("", schema, 0))
		if known, ok := aim[name]; ok {
			made = known[g.world]
		} else if wrong == otherKey || wrong == liveKey {
			wrong = none
		}
		if wrong == wrongID {
			made = one(g, []string{"0", "-1", "x", "%00", "9223372036854775807", "99999999999999999999", "..%2f", "%C3%28", made + "x", strings.Repeat("1", 3000), "null", "%20", "٣"})
			made = strings.ReplaceAll(url.PathEscape(made), "%25", "%")
		}
		s.params[name] = made
		s.path = strings.Replace(s.path, "{"+name+"}", made, 1)
	}
	if !strings.Contains(o.path, "{") && (wrong == wrongID || wrong == otherKey || wrong == liveKey) {
		wrong = none
	}
	wrong = g.spoilQuery(s, o, wrong)
	wrong = g.headers(s, o, wrong, k)
	if wrong == wrongMethod {
		s.method = one(g, []string{"PUT", "PATCH", "DELETE", "POST", "TRACE", "PURGE"})
	} else if o.method == http.MethodGet && g.chance(5) {
		s.method = http.MethodHead
	}
	if o.body != nil {
		wrong = g.sendBody(s, o, wrong)
	}
	return s, wrong
}

func inQuery(value any) string {
	if list, ok := value.([]any); ok {
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = fmt.Sprint(list[i])
		}
		return strings.Join(texts, ",")
	}
	return fmt.Sprint(value)
}

func (g *generator) spoilQuery(s *sent, o *operation, wrong mistake) mistake {
	var names []string
	for _, parameter := range o.parameters {
		if parameter["in"] == "query" {
			names = append(names, parameter["name"].(string))
		}
	}
	switch wrong {
	case wrongQuery:
		name := "unknown"
		if len(names) > 0 && g.chance(75) {
			name = one(g, names)
		}
		s.query = append(s.query, name+"="+one(g, []string{"", "-1", "%00", "x", "%ff", "%zz", "99999999999999999999", "2026-13-01", "a,,b", strings.Repeat("1", 3000), "%F0%9F%8E%81", "1e3", "NaN", "true", "%27"}))
	case twiceInQuery:
		if len(names) == 0 {
			return none
		}
		s.query = []string{names[0] + "=1", names[0] + "=2"}
		if slices.Contains(names, "limit") {
			s.query = []string{"limit=1", "limit=2"}
		}
	}
	return wrong
}

func (g *generator) headers(s *sent, o *operation, wrong mistake, k keys) mistake {
	switch wrong {
	case noKey:
	case wrongKey:
		s.header.Set("X-Api-Key", one(g, []string{"x", k.own[:len(k.own)-1] + "!", "dk_test_0_0", strings.ToUpper(k.own), k.own + k.own}))
	case twoKeys:
		s.header["X-Api-Key"] = []string{k.own, k.own}
	case otherKey:
		s.header.Set("X-Api-Key", k.other)
	case liveKey:
		s.header.Set("X-Api-Key", k.live)
	default:
		s.header.Set("X-Api-Key", k.own)
	}
	if g.chance(10) {
		s.header.Set("Accept-Language", one(g, []string{"fr", "de-CH, nl;q=0.5", "xx", "*", ";;;", strings.Repeat("a,", 500)}))
	}
	isPost := o.method == http.MethodPost
	switch {
	case (wrong == wrongIdemKey || wrong == twoIdemKeys) && !isPost:
		wrong = none
	case wrong == wrongIdemKey:
		s.header.Set("Idempotency-Key", one(g, []string{"", "a b", "é", strings.Repeat("k", 256), "\x01"}))
	case wrong == twoIdemKeys:
		s.header["Idempotency-Key"] = []string{"one", "two"}
	case isPost && g.chance(30):
		s.header.Set("Idempotency-Key", "key-"+strconv.Itoa(g.IntN(12)))
	}
	name := ""
	switch list, _ := o.node["parameters"].([]any); {
	case slices.ContainsFunc(list, func(p any) bool { return g.d.resolve(p)["name"] == "If-Match" }):
		name = "If-Match"
	case slices.ContainsFunc(list, func(p any) bool { return g.d.resolve(p)["name"] == "If-None-Match" }):
		name = "If-None-Match"
	}
	switch {
	case wrong == wrongIfMatch && name != "If-Match":
		wrong = none
	case wrong == wrongIfMatch:
		s.header.Set(name, one(g, []string{"x", "\"", "\"a\",", "W/x", "\"a\" \"b\""}))
	case name != "" && g.chance(35):
		tag := g.pool.value(g, "etag")
		if tag == "" || g.chance(30) {
			tag = one(g, []string{"*", `"none"`, `"a", "b"`})
		}
		s.header.Set(name, tag)
	}
	return wrong
}

// sendBody gives the request a body.
func (g *generator) sendBody(s *sent, o *operation, wrong mistake) mistake {
	if wrong == noBody {
		if required := g.d.resolve(o.node["requestBody"])["required"]; required != true {
			return none
		}
		return wrong
	}
	body := g.body(o)
	switch wrong {
	case wrongBody:
		body = g.mutate(body)
		if g.chance(20) {
			body = g.mutate(body)
		}
	case unknownMember:
		if object, ok := body.(map[string]any); ok {
			object["unknown_"+strconv.Itoa(g.IntN(9))] = one(g, strange)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		text = []byte("{}") // a number that JSON does not have
	}
	s.body, s.hasBody = string(text), true
	if wrong == brokenJSON {
		s.body = one(g, []string{s.body[:len(s.body)-1], s.body + "}", "{", "\xff\xfe", `{"a":1,"a":2}`, strings.Repeat("[", 5000), "{'a':1}", s.body + s.body, "\x00", `"\ud800"`, "nul"})
	}
	s.header.Set("Content-Type", one(g, o.media))
	if wrong == wrongMedia {
		s.header.Set("Content-Type", one(g, []string{"text/plain", "application/xml", "application/x-www-form-urlencoded", "application/json/x", ";", "image/png"}))
	}
	return wrong
}
