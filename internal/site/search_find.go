package site

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// This file answers questions from the index.

// Result is a page that fits a question, with its sections that do, the best first.
type Result struct {
	Link
	Place     string  // the part of the site that the page is in
	Extract   []Piece // of the best section: the words that were found, and those around them
	Sections  []Link
	InEnglish bool // the extract, in an index of another language
}

// Piece is a part of an extract. Found is set for words of the question.
type Piece struct {
	Text  string
	Found bool
}

// How much a word of the index counts that is not the word of the question itself.
const (
	sameMeaning = 0.7 // a word of the same meaning
	beginning   = 0.4 // a longer word that begins with it
	misspelt    = 0.8 // a word that differs in one letter, if no page has the word itself
)

const (
	mostWords    = 10   // of a question are looked for; each costs a pass over all words of the index
	tooLittle    = 0.03 // of the best page's score: pages with less are not shown
	asNamed      = 2    // is what the score is multiplied by if the question is a name of the page
	twice        = 0.25 // of a word's lower score counts if it is in the title and in the section
	mostSections = 3    // of a page are linked
	near         = 0.55 // of the best section's score: sections of the page with less are not linked
)

// fit is how well a page fits the words of a question.
type fit struct {
	page     int
	title    []float64         // for each word
	sections map[int][]float64 // the same of each section that has some
	score    float64
	best     []int // sections, the best first
	named    bool  // the question is a name of the page
	all      bool  // the title and the best section have all words together
}

// Find returns up to most pages that have words of a question, the best first. A page that lacks a word of the question may be better than
// one that has all: its score is lowered for that. Words such as "how" and "the" are not looked for. A word may be the beginning of a
// longer one, its plural, another one of its meaning, or misspelt. Words after the first ten are ignored. all says whether one of these
// pages has all words.
func (x *Index) Find(question string, most int) (results []Result, all bool) {
	asked := x.asked(question)
	fits, found := map[int]*fit{}, map[string]bool{}
	for i, word := range asked {
		matches, pages := x.matches(word), map[int]bool{}
		for other := range matches {
			found[other] = true
			for _, p := range x.places[other] {
				pages[p.page] = true
			}
		}
		rarity := math.Log(1 + float64(len(x.pages))/float64(1+len(pages))) // a word that few pages have says more
		for other, part := range matches {
			for _, p := range x.places[other] {
				if fits[p.page] == nil {
					fits[p.page] = &fit{page: p.page, title: make([]float64, len(asked)), sections: map[int][]float64{}}
				}
				fits[p.page].raise(p.section, i, part*p.score*rarity)
			}
		}
	}
	for _, page := range x.named[x.nameKey(question)] {
		if f := fits[page]; f != nil {
			f.named = true
		}
	}
	var sorted []*fit
	for _, f := range fits {
		f.finish(x.pages[f.page].Weight)
		sorted = append(sorted, f)
	}
	slices.SortFunc(sorted, func(a, b *fit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.page, b.page)) })
	for _, f := range sorted[:min(most, len(sorted))] {
		if f.score > sorted[0].score*tooLittle {
			results = append(results, x.pages[f.page].result(f.best, func(text string) []Piece { return x.extract(text, found) }))
			all = all || f.all
		}
	}
	return results, all
}

// raise notes a score of a word. Of several, the highest counts.
func (f *fit) raise(section, word int, score float64) {
	scores := f.title
	if section != ofTitle {
		if f.sections[section] == nil {
			f.sections[section] = make([]float64, len(f.title))
		}
		scores = f.sections[section]
	}
	scores[word] = max(scores[word], score)
}

// finish computes the score from those of the words: of the title, and of the section that is the best beside it.
func (f *fit) finish(weight float64) {
	totals := map[int]float64{}
	sum := func(section []float64) (total float64, all bool) {
		has := 0
		for i, score := range f.title {
			if section != nil {
				score = max(score, section[i]) + twice*min(score, section[i])
			}
			if score > 0 {
				has++
			}
			total += score
		}
		share := float64(has) / float64(len(f.title))
		return total * share * share * weight, share == 1
	}
	if f.named {
		weight *= asNamed
	}
	f.score, f.all = sum(nil)
	for number, section := range f.sections {
		total, all := sum(section)
		f.score, f.all = max(f.score, total), f.all || all
		totals[number] = total
		f.best = append(f.best, number)
	}
	slices.SortFunc(f.best, func(a, b int) int { return cmp.Or(cmp.Compare(totals[b], totals[a]), cmp.Compare(a, b)) })
	f.best = slices.DeleteFunc(f.best, func(number int) bool { return totals[number] < near*f.score })
}

// result is the page with its best sections.
func (p *indexed) result(best []int, extract func(text string) []Piece) Result {
	result := Result{Link: Link{p.Path, p.Title}, Place: p.Place, InEnglish: p.InEnglish}
	shown := p.sections[0]
	if len(best) > 0 {
		shown = p.sections[best[0]]
	}
	result.Extract = extract(cmp.Or(shown.text, p.sections[0].text))
	for _, number := range best {
		if s := p.sections[number]; s.anchor != "" && len(result.Sections) < mostSections {
			result.Sections = append(result.Sections, Link{p.Path + "#" + s.anchor, s.heading})
		}
	}
	return result
}

// asked are the words of a question that are looked for. A name that no page has is looked for by its parts.
func (x *Index) asked(question string) []string {
	var words []string
	for _, name := range names(question) {
		whole := strings.ToLower(name)
		if parts := partsOf(name); len(parts) > 1 && len(x.matches(whole)) == 0 {
			words = append(words, parts...)
		} else {
			words = append(words, whole)
		}
	}
	var asked []string
	for _, word := range x.meaningful(words) {
		if !slices.Contains(asked, word) && len(asked) < mostWords {
			asked = append(asked, word)
		}
	}
	return asked
}

// matches are the words of the index that fit a word of a question, each with how much it counts.
func (x *Index) matches(word string) map[string]float64 {
	matches := map[string]float64{}
	stem := x.stem(word)
	for other := range x.places {
		switch {
		case other == stem:
			matches[other] = 1
		case slices.Contains(alsoMeant[stem], other):
			matches[other] = sameMeaning
		case strings.HasPrefix(other, word):
			matches[other] = beginning
		}
	}
	if len(matches) == 0 {
		for other := range x.places {
			if len(stem) >= 5 && oneOff(stem, other) {
				matches[other] = misspelt
			}
		}
	}
	return matches
}

// oneOff says whether two words differ in one letter, which one of them lacks, has wrong, or has swapped with the next.
func oneOff(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	at := 0
	for at < len(a) && a[at] == b[at] {
		at++
	}
	switch rest, other := a[at:], b[at:]; {
	case len(b)-len(a) == 1:
		return rest == other[1:]
	case len(a) != len(b) || rest == "":
		return false
	default:
		return rest[1:] == other[1:] || len(rest) > 1 && rest[0] == other[1] && rest[1] == other[0] && rest[2:] == other[2:]
	}
}

// extractWords is how many words of a section's text a result shows.
const extractWords = 32

// extract is the part of a text that has the most of the words, each once.
func (w *Words) extract(text string, found map[string]bool) []Piece {
	fields := strings.Fields(text)
	has := make([][]string, len(fields)) // of each field, the words that were found
	for i, field := range fields {
		has[i] = slices.DeleteFunc(w.stems(field), func(word string) bool { return !found[word] })
	}
	begin, most := 0, 0
	for i := range fields {
		if len(has[i]) == 0 {
			continue
		}
		different := map[string]bool{}
		for _, words := range has[i:min(i+extractWords-extractWords/4, len(fields))] {
			for _, word := range words {
				different[word] = true
			}
		}
		if len(different) > most {
			begin, most = max(0, i-extractWords/4), len(different)
		}
	}
	begin = max(0, min(begin, len(fields)-extractWords))
	end := min(begin+extractWords, len(fields))
	var pieces []Piece
	add := func(text string, found bool) {
		if n := len(pieces); n > 0 && pieces[n-1].Found == found {
			pieces[n-1].Text += text
		} else if text != "" {
			pieces = append(pieces, Piece{text, found})
		}
	}
	if begin > 0 {
		add("… ", false)
	}
	for i := begin; i < end; i++ {
		word := strings.TrimFunc(fields[i], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		before, after, _ := strings.Cut(fields[i], word)
		if i > begin {
			before = " " + before
		}
		add(before, false)
		add(word, len(has[i]) > 0)
		add(after, false)
	}
	if end < len(fields) {
		add(" …", false)
	}
	return pieces
}
