package conformance

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// answer is an answer as it was received.
type answer struct {
	method string // the request's
	status int
	header http.Header
	body   string
	sent   string // the request's body
}

// watchedHeaders are the headers that transcripts pin, in the order in which they print them.
var watchedHeaders = []string{
	"Content-Type", "Content-Language", "Location", "ETag", "Allow", "WWW-Authenticate", "Retry-After", "Idempotent-Replayed", "Cache-Control",
	"Deprecation", "Sunset", "Legacy-Drill", "Link",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After", "RateLimit-Policy", "RateLimit",
	"X-StoreLimit-Limit", "X-StoreLimit-Used", "X-StoreLimit-Remaining", "X-StoreLimit-Daily-Limit", "X-StoreLimit-Daily-Remaining", "X-StoreLimit-Daily-Reset",
}

// switchedOff says whether a header is about a limit that is off here.
func (a *answer) switchedOff(name string) bool {
	for _, family := range []string{"X-RateLimit-", "X-StoreLimit-Daily-", "X-StoreLimit-"} {
		if strings.HasPrefix(name, family) {
			return a.header.Get(family+"Limit") == "0"
		}
	}
	return isQuota(name) && a.header.Get("X-RateLimit-Limit") == "0"
}

// isQuota says whether a header is one of draft-ietf-httpapi-ratelimit-headers.
func isQuota(name string) bool { return name == "RateLimit-Policy" || name == "RateLimit" }

// watchedWith are the headers that are compared: a transcript may pin further ones by hand.
func watchedWith(want *Answer) []string {
	names := slices.Clone(watchedHeaders)
	for _, h := range want.Headers {
		if !slices.Contains(names, h.Name) {
			names = append(names, h.Name)
		}
	}
	return names
}

// String prints an answer for people.
func (a *answer) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP %d\n", a.status)
	for _, name := range watchedHeaders {
		for _, value := range a.header.Values(name) {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return b.String() + "\n" + a.body
}

func (a *answer) isJSON() bool {
	return strings.HasPrefix(a.header.Get("Content-Type"), "application/json")
}

// differences are the differences between an answer and the expected one. An answer of /v1 may have more, one of /rest may
// not.
func (a *answer) differences(want *Answer, vars map[string]string, legacy bool) []string {
	var all []string
	if a.status != want.Status {
		all = append(all, fmt.Sprintf("want status %d, got %d", want.Status, a.status))
	}
	due := map[string][]string{}
	for _, h := range want.Headers {
		due[h.Name] = append(due[h.Name], h.Value)
	}
	for _, name := range watchedWith(want) {
		got := a.header.Values(name)
		if len(due[name]) == 0 && !legacy || len(got) == 0 && a.switchedOff(name) {
			continue
		}
		if _, _, ok := compareLines(due[name], got, vars); !ok {
			all = append(all, fmt.Sprintf("%s: want %q, got %q", name, due[name], got))
		}
	}
	return append(all, a.bodyDifferences(want.Body, vars)...)
}

func (a *answer) bodyDifferences(want string, vars map[string]string) []string {
	if want == "" || a.body == "" {
		if want != a.body {
			return []string{fmt.Sprintf("want the body %q, got %q", want, a.body)}
		}
		return nil
	}
	if a.isJSON() {
		due, err := parseJSON(want)
		if err != nil {
			return []string{"what is recorded is no JSON: " + err.Error()}
		}
		got, err := parseJSON(a.body)
		if err != nil {
			return []string{err.Error()}
		}
		return differences("body", due, got, vars)
	}
	text, err := indentXML(a.body)
	if err != nil {
		return []string{err.Error()}
	}
	due, got := strings.Split(want, "\n"), strings.Split(text, "\n")
	switch i, j, ok := compareLines(due, got, vars); {
	case ok:
		return nil
	case i < len(due) && j < len(got):
		return []string{fmt.Sprintf("line %d of the body: want %q, got %q", j+1, due[i], got[j])}
	default:
		return []string{fmt.Sprintf("want %d lines of body, got %d", len(due), len(got))}
	}
}

// compareLines compares lines with patterns, and returns how many are the same.
func compareLines(due, got []string, vars map[string]string) (i, j int, ok bool) {
	for ; i < len(due); i++ {
		switch {
		case strings.TrimSpace(due[i]) == others:
			behind, at, ok := passOthers(due[i], due[i+1:], got[j:], vars)
			return i + 1 + behind, j + at, ok
		case j < len(got) && match(due[i], got[j], vars):
			j++
		case !optional(due[i], vars):
			return i, j, false
		}
	}
	return i, j, j == len(got)
}

// passOthers skips as many elements as needed until the rest is the same. It returns how far the lines with the best match
// are the same.
func passOthers(line string, due, got []string, vars map[string]string) (i, j int, ok bool) {
	for from := 0; ; {
		tried := maps.Clone(vars)
		behind, at, same := compareLines(due, got[from:], tried)
		if same || behind > i || i == 0 {
			i, j = behind, from+at
		}
		if same {
			maps.Copy(vars, tried)
			return i, j, true
		}
		length := elementEnd(got[from:], strings.TrimSuffix(line, others))
		if length == 0 {
			return i, j, false
		}
		from += length
	}
}

// elementEnd is the number of lines of the element with which they begin, 0 if none begins there at that depth.
func elementEnd(lines []string, indent string) int {
	if len(lines) == 0 {
		return 0
	}
	start, ok := strings.CutPrefix(lines[0], indent+"<")
	if !ok || strings.HasPrefix(start, "/") {
		return 0
	}
	name := start[:strings.IndexAny(start+">", " />")]
	if strings.HasSuffix(start, "/>") || strings.HasSuffix(start, "</"+name+">") {
		return 1
	}
	return slices.Index(lines, indent+"</"+name+">") + 1
}

// value finds a value of an answer: header.ETag, <token> (the first element of that name), <id> before TEXT (the last one
// that stands before the text), or a path into JSON like data.results[0].id.
func (a *answer) value(path string) (string, error) {
	if name, ok := strings.CutPrefix(path, "header."); ok {
		return a.header.Get(name), nil
	}
	if strings.HasPrefix(path, "<") {
		element, text, before := strings.Cut(path, " before ")
		at := strings.Index(a.body, element)
		if before {
			head, _, has := strings.Cut(a.body, text)
			if at = -1; has {
				at = strings.LastIndex(head, element)
			}
		}
		if at < 0 {
			return "", fmt.Errorf("no %s in %s", path, a.body)
		}
		value, _, _ := strings.Cut(a.body[at+len(element):], "</")
		return value, nil
	}
	value, err := parseJSON(a.body)
	if err != nil {
		return "", err
	}
	for _, step := range pathSteps.FindAllString(path, -1) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(strings.Trim(step, "[]"))
			if err != nil || i >= len(v) {
				return "", fmt.Errorf("no %s in %s", path, a.body)
			}
			value = v[i]
		default:
			return "", fmt.Errorf("no %s in %s", path, a.body)
		}
	}
	if value == nil {
		return "", fmt.Errorf("no %s in %s", path, a.body)
	}
	return fmt.Sprint(value), nil
}

var pathSteps = regexp.MustCompile(`[^.\[\]]+|\[\d+\]`)

// indentXML puts each element on a line of its own, for reading; texts stay as they are.
func indentXML(text string) (string, error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	var lines []string
	depth, isElement, inText := 0, false, false
	for {
		begins := decoder.InputOffset()
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && isElement {
			return strings.Join(lines, "\n"), nil
		} else if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%.200q", text)
		}
		if err != nil {
			return "", fmt.Errorf("the body is neither JSON nor XML: %w", err)
		}
		part := text[begins:decoder.InputOffset()]
		_, ends := token.(xml.EndElement)
		_, isText := token.(xml.CharData)
		if ends {
			depth--
		}
		switch {
		case isText && strings.TrimSpace(part) == "", part == "": // or the end of an element that is closed in its beginning
		case len(lines) > 0 && (isText || ends && inText):
			lines[len(lines)-1] += part
		default:
			lines = append(lines, strings.Repeat("  ", depth)+part)
		}
		inText = isText
		if _, begins := token.(xml.StartElement); begins {
			depth, isElement = depth+1, true
		}
	}
}
