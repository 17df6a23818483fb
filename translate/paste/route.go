package paste

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sellerd/translate"
)

// This file finds the call of a pasted address.

// segments returns the parts of a path, still encoded. On the old host the path has no /rest.
func segments(path string) []string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if strings.HasSuffix(path, "/") && path != "/" {
		parts = append(parts, "")
	}
	if i := slices.Index(parts, translate.Root); i >= 0 {
		return parts[i:]
	}
	return append([]string{translate.Root}, parts...)
}

// isFirst says whether paths of the tables begin with a part, with /rest before it or without.
func isFirst(t *translate.Table, part string) bool {
	return part == translate.Root || slices.ContainsFunc(t.Plans, func(p *translate.Plan) bool {
		return strings.HasPrefix(strings.TrimPrefix(p.Pattern, "/"+translate.Root)+"/", "/"+part+"/")
	})
}

// isV1 says whether a path is one of /v1.
func isV1(path string) bool {
	parts := strings.Split(path, "/")
	return slices.Contains(parts, "v1") && !slices.Contains(parts, translate.Root)
}

// findCalls returns the calls at a path, all of one pattern, and the values of the path's parts. A literal part of a pattern
// wins over a {part}, whatever the method, as on /rest.
func findCalls(t *translate.Table, parts []string) (plans []*translate.Plan, path map[string]string) {
	best := ""
	for _, p := range t.Plans {
		score, values := matchPattern(p.Pattern, parts)
		switch {
		case score == "" || score < best:
		case score > best:
			best, plans, path = score, []*translate.Plan{p}, values
		default:
			plans = append(plans, p)
		}
	}
	return plans, path
}

// matchPattern compares a path with a pattern. The score has a letter for each part, a greater one for a literal part; it is ""
// when they do not match.
func matchPattern(pattern string, parts []string) (score string, values map[string]string) {
	names := strings.Split(strings.Trim(pattern, "/"), "/")
	if len(names) != len(parts) {
		return "", nil
	}
	values = map[string]string{}
	for i, name := range names {
		text, err := url.PathUnescape(parts[i])
		switch {
		case err != nil:
			return "", nil
		case strings.HasPrefix(name, "{"):
			values[strings.Trim(name, "{}")] = text
			score += "a"
		case name == text:
			score += "b"
		default:
			return "", nil
		}
	}
	return score, values
}

// choose returns the call with a method, nil when there is none. Without a method it is the only one there is, or the one that
// curl would send.
func choose(plans []*translate.Plan, method string, hasBody bool, fields translate.Fields) *translate.Plan {
	all := methodsOf(plans)
	switch {
	case method == http.MethodHead:
		method = http.MethodGet
	case method != "":
	case len(all) == 1:
		method = all[0]
	case hasBody:
		method = http.MethodPost
	default:
		method = http.MethodGet
	}
	var chosen *translate.Plan
	for _, p := range plans {
		if p.Method == method && p.Match.Takes(fields) && (chosen == nil || p.Match != translate.Match{}) {
			chosen = p
		}
	}
	return chosen
}

// methodsOf returns the methods of some calls, sorted.
func methodsOf(plans []*translate.Plan) (methods []string) {
	for _, p := range plans {
		methods = append(methods, p.Method)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// nearestCalls returns the three calls whose addresses are most similar to a path, but for slashes too many. Of two calls at an address the
// one with the method comes first.
func nearestCalls(t *translate.Table, method string, parts []string) []string {
	plans, parts := slices.Clone(t.Plans), slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" })
	likeness := func(p *translate.Plan) int {
		names := strings.Split(strings.Trim(p.Pattern, "/"), "/")
		sum := -2 * max(len(names)-len(parts), len(parts)-len(names))
		for i := range min(len(names), len(parts)) {
			switch same := sharedPrefix(strings.ToLower(names[i]), strings.ToLower(parts[i])); {
			case same == len(names[i]) && same == len(parts[i]):
				sum += 10
			case names[i][0] == '{':
				sum++
			default:
				sum += min(same, 9)
			}
		}
		if p.Method == cmp.Or(method, http.MethodGet) {
			return 2*sum + 1
		}
		return 2 * sum
	}
	slices.SortStableFunc(plans, func(a, b *translate.Plan) int { return cmp.Compare(likeness(b), likeness(a)) })
	var near []string
	for _, p := range plans {
		if address := p.Method + " " + p.Pattern; len(near) < 3 && !slices.Contains(near, address) {
			near = append(near, address)
		}
	}
	return near
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
