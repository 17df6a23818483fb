// Package phrases has English texts with their translations, as they stand in text files. An English text may be a pattern, whose values
// go into the translation. It also writes days as languages do.
package phrases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Phrase is an English text with its translations. Its placeholders stand for values: %s for a text, %d for a number, %q for a text in
// quotes, %t for a text that has a phrase of its own, and %l for a list of requests, each with what it does.
type Phrase struct {
	English  string
	In       map[string]string // the translations, by language
	Literals []string          // what stands around and between the placeholders
	Verbs    []byte            // the placeholders
}

// Book has phrases.
type Book struct {
	fixed    map[string]*Phrase // those without placeholders
	patterns []*Phrase          // the others, those that say most first
}

// lengthOfLanguage is how many letters the code of a language has.
const lengthOfLanguage = 2

// Read reads files of blocks, by their names: an English text, and lines like "fr: …". Lines that begin with # are comments. An English
// text may have several blocks, if they have different languages.
func Read(files map[string]string) (*Book, error) {
	all := map[string]*Phrase{}
	var order []*Phrase
	for _, file := range slices.Sorted(maps.Keys(files)) {
		var current *Phrase
		for n, line := range strings.Split(files[file], "\n") {
			language, said, translates := strings.Cut(line, ": ")
			switch {
			case strings.HasPrefix(line, "# ") || line == "#":
			case line == "":
				current = nil
			case current == nil && all[line] != nil:
				current = all[line]
			case current == nil:
				current = newPhrase(line)
				all[line], order = current, append(order, current)
			case !translates || len(language) != lengthOfLanguage || current.In[language] != "":
				return nil, fmt.Errorf("%s:%d: %q is no further translation", file, n+1, line)
			default:
				current.In[language] = said
			}
		}
	}
	book := &Book{fixed: map[string]*Phrase{}}
	for _, p := range order {
		if p.Verbs == nil {
			book.fixed[p.English] = p
		} else {
			book.patterns = append(book.patterns, p)
		}
	}
	slices.SortStableFunc(book.patterns, func(a, b *Phrase) int { return cmp.Compare(b.letters(), a.letters()) })
	return book, nil
}

// All are the phrases, in no certain order.
func (b *Book) All() []*Phrase {
	return slices.AppendSeq(slices.Clone(b.patterns), maps.Values(b.fixed))
}

func newPhrase(english string) *Phrase {
	p := &Phrase{English: english, In: map[string]string{}}
	from := 0
	for i := 0; i+1 < len(english); i++ {
		if english[i] == '%' && strings.IndexByte("sdqvtl", english[i+1]) >= 0 {
			p.Literals, p.Verbs = append(p.Literals, english[from:i]), append(p.Verbs, english[i+1])
			from = i + 2
		}
	}
	p.Literals = append(p.Literals, english[from:])
	return p
}

// letters is how much of a text is the same whatever its values are.
func (p *Phrase) letters() (n int) {
	for _, literal := range p.Literals {
		n += len(literal)
	}
	return n
}

// match finds the values in an English text, if it is one of this pattern.
func (p *Phrase) match(text string) (values []string, ok bool) {
	last := len(p.Verbs)
	if text, ok = strings.CutPrefix(text, p.Literals[0]); !ok {
		return nil, false
	}
	if text, ok = strings.CutSuffix(text, p.Literals[last]); !ok {
		return nil, false
	}
	for i, verb := range p.Verbs {
		value := text
		if i+1 < last {
			if value, text, ok = strings.Cut(text, p.Literals[i+1]); !ok {
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

// Find is the phrase that says an English text, with the text's values.
func (b *Book) Find(english string) (p *Phrase, values []string, ok bool) {
	if p := b.fixed[english]; p != nil {
		return p, nil, true
	}
	for _, p := range b.patterns {
		if values, ok := p.match(english); ok {
			return p, values, true
		}
	}
	return nil, nil, false
}

// Say is an English text in another language. It reports false if there is no translation.
func (b *Book) Say(language, english string) (string, bool) {
	p, values, ok := b.Find(english)
	if !ok || p.In[language] == "" {
		return "", false
	}
	for i, verb := range p.Verbs {
		switch verb {
		case 't':
			if values[i], ok = b.Say(language, values[i]); !ok {
				return "", false
			}
		case 'l':
			values[i] = requestsAlone(values[i])
		}
	}
	return p.Say(language, values), true
}

// Say is the translation with values.
func (p *Phrase) Say(language string, values []string) string {
	if p.Verbs == nil {
		return p.In[language]
	}
	return fill(p.In[language], values)
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
