package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
)

// spoken are the messages of each language, as v1/refusal/messages.txt has them. Here they are read in another way than there.
type spoken map[string][]*regexp.Regexp

func readSpoken(t *testing.T) spoken {
	t.Helper()
	text, err := os.ReadFile("../v1/refusal/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	anyValue := regexp.MustCompile(`%(\\\[\d\\\])?[sdqvtl]`)
	messages := spoken{}
	begins := true
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			begins = true
			continue
		}
		language := "en"
		if !begins {
			language, line, _ = strings.Cut(line, ": ")
		}
		begins = false
		pattern := anyValue.ReplaceAllString(regexp.QuoteMeta(line), `(.*)`)
		messages[language] = append(messages[language], regexp.MustCompile(`^`+pattern+`$`))
	}
	return messages
}

// englishWords are words that no other language of messages has.
var englishWords = regexp.MustCompile(`\b(the|must|and|with|there|which|cannot|without|should)\b`)

// has says whether a text is a message of a language. Its values have no words of English.
func (s spoken) has(language, text string) bool {
	return slices.ContainsFunc(s[language], func(message *regexp.Regexp) bool {
		values := message.FindStringSubmatch(text)
		if values == nil {
			return false
		}
		return language == "en" || !slices.ContainsFunc(values[1:], englishWords.MatchString)
	})
}

// messagesIn are the messages of all errors in an answer.
func messagesIn(value any) (all []string) {
	switch v := value.(type) {
	case map[string]any:
		_, coded := v["code"]
		if message, ok := v["message"].(string); ok && coded {
			all = append(all, message)
		}
		for _, member := range v {
			all = append(all, messagesIn(member)...)
		}
	case []any:
		for _, entry := range v {
			all = append(all, messagesIn(entry)...)
		}
	}
	return all
}

// TestNoAnswerHasATextInALanguageThatItDoesNotName replays every transcript of /v1, each in one language after the other. Requests that ask
// for a language already keep it. Events are in English, and so is the whole answer that has one.
func TestNoAnswerHasATextInALanguageThatItDoesNotName(t *testing.T) {
	suite, messages := load(t), readSpoken(t)
	languages := []string{"de", "en", "es", "fr", "it", "nl"}
	var counting sync.Mutex
	seen, replayed := map[string]map[string]bool{}, 0 // the messages in each language
	t.Cleanup(func() {
		for _, language := range languages {
			t.Logf("%d messages in %s", len(seen[language]), language)
			if replayed == len(suite.Replays()) && len(seen[language]) < 50 {
				t.Errorf("only %d messages in %s", len(seen[language]), language)
			}
		}
	})
	for _, replay := range suite.Replays() {
		if replay.Transcript.Legacy() {
			replayed++
			continue
		}
		t.Run(fileName(replay.Transcript.File)+"/"+replay.Operation, func(t *testing.T) {
			t.Parallel()
			b := newBeside(t, servertest.SQLite(t))
			runner := b.runner(suite)
			start := fnv.New32()
			fmt.Fprint(start, replay.Transcript.File, replay.Operation)
			asked := int(start.Sum32() % 60)
			send := runner.Send
			runner.Send = func(r *http.Request) (*http.Response, error) {
				language := languages[asked%len(languages)]
				asked++
				chosen := r.Header.Get("Accept-Language") != ""
				if !chosen {
					r.Header.Set("Accept-Language", language)
				}
				response, err := send(r)
				if err != nil || !strings.HasPrefix(r.URL.Path, "/v1") {
					return response, err
				}
				body, err := io.ReadAll(response.Body)
				if err != nil {
					return response, err
				}
				response.Body = io.NopCloser(bytes.NewReader(body))
				var answer map[string]any
				if len(body) > 0 && json.Unmarshal(body, &answer) != nil {
					t.Errorf("%s %s: no JSON: %s", r.Method, r.URL, body)
				}
				names := response.Header.Get("Content-Language")
				for _, message := range messagesIn(answer) {
					counting.Lock()
					if seen[names] == nil {
						seen[names] = map[string]bool{}
					}
					seen[names][message] = true
					counting.Unlock()
					if !messages.has(names, message) {
						t.Errorf("%s %s: Content-Language is %q, and a message is %q", r.Method, r.URL, names, message)
					}
				}
				if answer["errors"] != nil && names != language && !chosen || !slices.Contains(languages, names) {
					t.Errorf("%s %s: asked in %s, answered in %q", r.Method, r.URL, language, names)
				}
				return response, nil
			}
			runner.Run(t.Context(), replay.Transcript, replay.Operation)
			counting.Lock()
			defer counting.Unlock()
			replayed++
		})
	}
}
