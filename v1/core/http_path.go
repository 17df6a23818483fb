package core

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"sellerd/internal/base/near"
	"sellerd/v1/wire"
)

// This file is about the paths of requests: how they are spelled, and which one a caller meant that is not there.

// NormalURL decodes the letters, digits and -._~ of a path that are percent-encoded, because they mean the same either way
// (RFC 3986, 6.2.2.2). All other characters stay encoded. It returns the URL itself if there is nothing to decode.
func NormalURL(u *url.URL) *url.URL {
	if u.RawPath == "" {
		return u
	}
	path := encoded.ReplaceAllStringFunc(u.RawPath, func(code string) string {
		if decoded, err := url.PathUnescape(code); err == nil && unreserved.MatchString(decoded) {
			return decoded
		}
		return strings.ToUpper(code)
	})
	normal := *u
	normal.RawPath = ""
	if path != normal.EscapedPath() {
		normal.RawPath = path
	}
	return &normal
}

var (
	encoded    = regexp.MustCompile(`%..`) // the URL was parsed, so two digits follow each %
	unreserved = regexp.MustCompile(`^[a-zA-Z0-9._~-]$`)
)

// nothingAt is the message for a path without a route. It names the route that the caller may have meant, or where all are listed.
func (s *Core) nothingAt(path string, operations []*Operation) string {
	if strings.Contains(path, "dk_live_") || strings.Contains(path, "dk_test_") {
		return "There is nothing at this path, which holds an API key. Others may have read it on the way: replace the key, and send the new one in X-Api-Key."
	}
	message := "There is nothing at " + wire.Printable(path) + "."
	near := nearest(path, operations)
	switch {
	case near != "":
		return message + " Did you mean " + near + "?"
	case len(operations) > 0 && operations[0].IsOperators():
		return message
	}
	return message + " All paths are listed at " + s.Config.BaseURL + "/docs."
}

// insteadOf is what is said to a method that a path does not accept: which routes directly below it act on the same object. A route that
// only reads is not one that the caller missed.
func insteadOf(method, pattern string, operations []*Operation) string {
	if method == http.MethodGet || method == http.MethodHead {
		return ""
	}
	var actions []string
	for _, o := range operations {
		below, ok := strings.CutPrefix(o.Pattern, pattern+"/")
		if !ok || o.Method != http.MethodPost || strings.ContainsAny(below, "/{") {
			continue
		}
		does, _, _ := strings.Cut(o.Doc, ". ")
		first, size := utf8.DecodeRuneInString(does)
		actions = append(actions, o.Method+" "+o.Pattern+", which "+string(unicode.ToLower(first))+strings.TrimSuffix(does[size:], "."))
	}
	if len(actions) == 0 {
		return ""
	}
	return " There is also " + strings.Join(actions, "; ") + "."
}

// These are the costs by which two paths differ. A route is near if it costs at most the last.
const (
	costOfStray   = 2  // a segment before the path, such as api
	costOfVersion = 1  // no version
	costOfOddID   = 2  // no digit where an id is due
	costTooHigh   = 10 // another path
	costOfNear    = 2
)

// longestNear bounds the paths for which a route is looked for, in bytes.
const longestNear = 200

// nearest is the pattern of the route that a path without one may mean, empty if none is near or several are.
func nearest(path string, operations []*Operation) string {
	if len(path) > longestNear {
		return ""
	}
	segments, best, several := segmentsOf(path), "", false
	least := costOfNear
	for _, o := range operations {
		switch cost := distance(segments, segmentsOf(o.Pattern)); {
		case cost > least || o.Pattern == best:
		case cost == least && best != "":
			several = true
		default:
			best, least, several = o.Pattern, cost, false
		}
	}
	if several {
		return ""
	}
	return best
}

func segmentsOf(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
}

// distance is the cost of a path against a pattern.
func distance(path, pattern []string) int {
	cost := 0
	for len(path) > len(pattern) && cost <= costOfNear {
		path, cost = path[1:], cost+costOfStray
	}
	if len(path) == len(pattern)-1 && (len(path) == 0 || difference(path[0], pattern[0]) > costOfNear) {
		pattern, cost = pattern[1:], cost+costOfVersion
	}
	if len(path) != len(pattern) || len(path) == 0 {
		return costTooHigh
	}
	for i, segment := range path {
		cost += difference(segment, pattern[i])
	}
	return cost
}

// difference is the cost of a segment against one of a pattern: the letters to add, drop or replace, if the words are alike.
func difference(segment, pattern string) int {
	if strings.HasPrefix(pattern, "{") {
		if strings.ContainsAny(segment, "0123456789") {
			return 0
		}
		return costOfOddID
	}
	if letters := near.Distance(strings.ToLower(segment), pattern); letters*3 <= len(pattern)+1 {
		return letters
	}
	return costTooHigh
}
