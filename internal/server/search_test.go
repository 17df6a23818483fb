package server_test

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/server"
)

// found are the addresses of the pages that a search finds, the best first. Operations are there as POST /v1/items.
func found(body string) (paths []string) {
	for _, result := range regexp.MustCompile(`<li><a href="([^"]+)">[^<]*</a>(?: <span>[^<]*</span>)?\n<p>(?:((?:GET|POST|PUT|PATCH|DELETE) /v1\S*):)?`).FindAllStringSubmatch(
		regexp.MustCompile(`</?mark>`).ReplaceAllString(body, ""), -1) {
		if paths = append(paths, result[1]); result[2] != "" {
			paths[len(paths)-1] = result[2]
		}
	}
	return paths
}

// TestPeopleFindThePageTheyLookFor asks what users ask, and expects the page first that testdata/questions.txt names.
func TestPeopleFindThePageTheyLookFor(t *testing.T) {
	_, demo, _ := logged(t)
	public := publicServer(t)
	questions := questionsOf(t, "testdata/questions.txt", 70)
	for _, line := range questions {
		question, pages, ok := strings.Cut(line, " > ")
		if !ok {
			t.Fatalf("no question: %s", line)
		}
		onDemo, onPublic, other := strings.Cut(pages, " | ")
		if !other {
			onPublic = onDemo
		}
		for want, s := range map[string]*server.Server{onDemo: demo, onPublic: public} {
			if first := append(found(get(s.Public, "/search?q="+url.QueryEscape(question)).Body.String()), "", "", ""); first[0] != want && want != "-" {
				t.Errorf("%q finds %s first, then %s and %s, want %s", question, first[0], first[1], first[2], want)
			}
		}
	}
}

// questionsOf are the lines of a file that has at least so many.
func questionsOf(t *testing.T, name string, least int) []string {
	t.Helper()
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	questions := strings.Split(strings.TrimSpace(string(file)), "\n")
	if len(questions) < least {
		t.Errorf("%s has only %d questions", name, len(questions))
	}
	return questions
}

// TestFrenchQuestionsFindPages asks in French. The best page comes first: in French where it exists in French, else in English and marked so.
func TestFrenchQuestionsFindPages(t *testing.T) {
	s := publicServer(t)
	first := regexp.MustCompile(`<ol class="results"[^>]*>\n<li><a href="([^"]+)"( hreflang="en")?>([^<]*)</a>`)
	for _, line := range questionsOf(t, "testdata/questions-fr.txt", 10) {
		question, want, _ := strings.Cut(line, " > ")
		page := get(s.Public, "/fr/search?q="+url.QueryEscape(question)).Body.String()
		found := first.FindStringSubmatch(page)
		if found == nil || found[1] != want || (found[2] == "") != strings.HasPrefix(want, "/fr/") {
			t.Errorf("%q finds %q first, want %s", question, found, want)
		}
	}
}
