package refusal

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Messages are made, logged and stored in English. An answer in another language is made of them when it is written: the English
// message is looked up among the patterns of messages.txt, and its values go into the translation. So a rule says its message once,
// in the place where it refuses, and messages that an older release has stored can be read in all languages.

// English is the language in which messages are made.
const English = "en"

//go:embed messages.txt
var messageFile string

// translated is an English message with its translations.
type translated struct {
	english  string
	literals []string          // what stands around and between the placeholders of the English message
	verbs    []byte            // the placeholders
	in       map[string]string // the translations, by language
}

// translations are all messages.
type translations struct {
	fixed    map[string]*translated // those without placeholders
	patterns []*translated          // the others, those that say most first
}

// inAllLanguages is what messages.txt has. It is read when the first caller asks for another language than English.
var inAllLanguages = sync.OnceValue(func() *translations {
	all, err := readTranslations(messageFile)
	if err != nil {
		panic(err) // a mistake in the program
	}
	return all
})

// readTranslations reads blocks of an English message and lines like "fr: …".
func readTranslations(text string) (*translations, error) {
	all := &translations{fixed: map[string]*translated{}}
	var current *translated
	for n, line := range strings.Split(text, "\n") {
		language, said, translates := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			current = nil
		case current == nil:
			current = newTranslated(line)
			if current.verbs == nil {
				all.fixed[line] = current
			} else {
				all.patterns = append(all.patterns, current)
			}
		case !translates || len(language) != len(English) || current.in[language] != "":
			return nil, fmt.Errorf("messages.txt:%d: %q is no further translation", n+1, line)
		default:
			current.in[language] = said
		}
	}
	slices.SortStableFunc(all.patterns, func(a, b *translated) int { return cmp.Compare(b.letters(), a.letters()) })
	return all, nil
}

func newTranslated(english string) *translated {
	m := &translated{english: english, in: map[string]string{}}
	from := 0
	for i := 0; i+1 < len(english); i++ {
		if english[i] == '%' && strings.IndexByte("sdqvtl", english[i+1]) >= 0 {
			m.literals, m.verbs = append(m.literals, english[from:i]), append(m.verbs, english[i+1])
			from = i + 2
		}
	}
	m.literals = append(m.literals, english[from:])
	return m
}

// letters is how much of a message is the same whatever its values are.
func (m *translated) letters() (n int) {
	for _, literal := range m.literals {
		n += len(literal)
	}
	return n
}

// match finds the values in an English message, if it is one of this pattern.
func (m *translated) match(text string) (values []string, ok bool) {
	last := len(m.verbs)
	if text, ok = strings.CutPrefix(text, m.literals[0]); !ok {
		return nil, false
	}
	if text, ok = strings.CutSuffix(text, m.literals[last]); !ok {
		return nil, false
	}
	for i, verb := range m.verbs {
		value := text
		if i+1 < last {
			if value, text, ok = strings.Cut(text, m.literals[i+1]); !ok {
				return nil, false
			}
		}
		if verb == 'd' && (value == "" || strings.Trim(value, "0123456789") != "") {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// say is an English message in another language. It reports false if there is no translation.
func (all *translations) say(language, english string) (string, bool) {
	if m := all.fixed[english]; m != nil {
		return m.in[language], m.in[language] != ""
	}
	for _, m := range all.patterns {
		values, ok := m.match(english)
		if !ok {
			continue
		}
		for i, verb := range m.verbs {
			switch verb {
			case 't':
				if values[i], ok = all.say(language, values[i]); !ok {
					return "", false
				}
			case 'l':
				values[i] = requestsAlone(values[i])
			}
		}
		return fill(m.in[language], values), m.in[language] != ""
	}
	return "", false
}

// requestsAlone is a list of requests without what each of them does.
func requestsAlone(list string) string {
	requests := strings.Split(list, "; ")
	for i := range requests {
		requests[i], _, _ = strings.Cut(requests[i], ", which ")
	}
	return strings.Join(requests, "; ")
}

// fill puts values in the place of %s, or of %[2]s and the like.
func fill(translation string, values []string) string {
	var b strings.Builder
	for next := 0; ; next++ {
		before, after, found := strings.Cut(translation, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		number, behind, numbered := strings.Cut(strings.TrimPrefix(after, "["), "]s")
		at, err := strconv.Atoi(number)
		switch {
		case strings.HasPrefix(after, "s") && next < len(values):
			b.WriteString(values[next])
			translation = after[1:]
		case strings.HasPrefix(after, "[") && numbered && err == nil && at >= 1 && at <= len(values):
			b.WriteString(values[at-1])
			translation = behind
		default: // not a placeholder
			b.WriteByte('%')
			translation = after
			next--
		}
	}
}

// In is the errors with their messages in a language, and the language that they are in. That is English if one of the messages has no
// translation: an answer is in one language.
func (e Errors) In(language string) (said Errors, spoken string) {
	if language == English || language == "" {
		return e, English
	}
	said = slices.Clone(e)
	if !Say(language, said) {
		return e, English
	}
	return said, language
}

// Say puts the messages of errors into a language other than English: all of them, or none if one has no translation. It reports whether
// there are messages in that language now.
func Say(language string, lists ...[]Error) bool {
	var said []string
	for _, list := range lists {
		for i := range list {
			text, ok := inAllLanguages().say(language, list[i].Message)
			if !ok {
				return false
			}
			said = append(said, text)
		}
	}
	n := 0
	for _, list := range lists {
		for i := range list {
			list[i].Message, n = said[n], n+1
		}
	}
	return n > 0
}
