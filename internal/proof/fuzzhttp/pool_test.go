package fuzzhttp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file keeps what earlier answers said, and finds where it leads.

// pair is a text as each of the two services says it.
type pair [2]string

// target is what a link leads to: the values of a path's parameters.
type target map[string]pair

// pool is what a sequence knows.
type pool struct {
	targets map[string][]target // by operation
	values  map[string][]pair   // by the name of the member: item_id, next_cursor, etag
	deleted map[pair]bool
}

func newPool() *pool {
	return &pool{targets: map[string][]target{}, values: map[string][]pair{}, deleted: map[pair]bool{}}
}

// value is a known value for a member or a parameter, "" for none.
func (p *pool) value(g *generator, name string) string {
	switch name {
	case "after":
		name = "next_cursor"
	case "resource_id":
		name = one(g, []string{"resource_id", "item_id", "sale_id"})
	case "personal_reference", "q":
		return ""
	}
	if values := p.values[name]; len(values) > 0 {
		return one(g, values)[g.world]
	}
	return ""
}

func (p *pool) add(name string, value pair) {
	if value[0] == "" || value[1] == "" || slices.Contains(p.values[name], value) {
		return
	}
	if p.values[name] = append(p.values[name], value); len(p.values[name]) > 40 {
		p.values[name] = p.values[name][1:]
	}
}

// differs are members that two services say in other words.
var differs = regexp.MustCompile(`^(id|key|prefix|.*_id|.*cursor|secret|secret_hint|etag|key_prefix|.*_url|request_headers|request_body|.*signature.*)$`)

// jittered are instants of attempts, which are repeated after a time that is in part random: of the longest, 24 hours, by a fifth at most.
var jittered = regexp.MustCompile(`^(scheduled_at|next_attempt_at)$`)

const longestJitter = 24 * time.Hour / 5

// near says whether two texts are instants that jitter can explain.
func near(a, b string) bool {
	at, err := time.Parse(time.RFC3339Nano, a)
	other, err2 := time.Parse(time.RFC3339Nano, b)
	return err == nil && err2 == nil && at.Sub(other).Abs() <= longestJitter
}

// compare walks two answers at the same time, learns the pairs of ids, and returns what differs.
func (p *pool) compare(name string, a, b any) error {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
			return fmt.Errorf("%s: %v and %v have other members", name, a, b)
		}
		for _, member := range slices.Sorted(maps.Keys(a)) {
			if err := p.compare(member, a[member], b[member]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return fmt.Errorf("%s: %v and %v", name, a, b)
		}
		for i := range a {
			if err := p.compare(name, a[i], b[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if differs.MatchString(name) {
		if a, ok := a.(string); ok {
			if b, ok := b.(string); ok {
				p.add(name, pair{a, b})
				return nil
			}
		}
	}
	if a == b {
		return nil
	}
	if jittered.MatchString(name) {
		if a, ok := a.(string); ok {
			if b, ok := b.(string); ok && near(a, b) {
				return nil
			}
		}
	}
	return fmt.Errorf("%s: %v and %v", name, a, b)
}

// follow adds what an answer's links lead to.
func (p *pool) follow(d *document, o *operation, sent [2]*sent, bodies [2]any, status int) {
	for id, link := range d.links(o, strconv.Itoa(status)) {
		found := target{}
		for name, expression := range link.(map[string]any)["parameters"].(map[string]any) {
			var value pair
			for world := range value {
				value[world] = evaluate(expression.(string), sent[world], bodies[world])
			}
			if value[0] != "" && value[1] != "" {
				found[name] = value
			}
		}
		if len(found) == len(link.(map[string]any)["parameters"].(map[string]any)) {
			p.addTarget(id, found)
		}
	}
}

func (p *pool) addTarget(id string, found target) {
	known := slices.DeleteFunc(p.targets[id], func(t target) bool { return maps.Equal(t, found) })
	p.targets[id] = append(known, found)
	if len(p.targets[id]) > 20 {
		p.targets[id] = p.targets[id][1:]
	}
}

// evaluate is the value of a runtime expression of a link, "" for none.
func evaluate(expression string, request *sent, body any) string {
	if name, ok := strings.CutPrefix(expression, "$request.path."); ok {
		return request.params[name]
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(expression, "$response.body#/"), "/") {
		switch v := body.(type) {
		case map[string]any:
			body = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return ""
			}
			body = v[i]
		}
	}
	text, _ := body.(string)
	return text
}

// parse reads an answer of /v1, nil for none.
func parse(body string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}
