package source

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// This file has how families of languages are written, which families.json lists.

// Family is how a family of languages is written. Lists have blanks between their words.
type Family struct {
	Line      string // what begins a comment that ends with the line
	Block     string // what begins and what ends a comment
	Quotes    string // what begins and ends a text
	Long      string // the quotes whose texts may have several lines
	Joins     string // the operators that join texts
	Links     string // the operators that lead to a member; "" for those of most languages
	Keys      bool   // => follows a key
	Templates string // what begins a hole in a text: $ for $x and ${x}, # for #{x}, \ for \(x), { for {x} after f or $, ## for #x#, %% for %x%
	Newlines  bool   // a line break ends a statement
	Loose     bool   // words need no quotes: shells and settings
	Doubled   bool   // a quote in a text is written twice, and a backslash is itself
	Regexes   bool   // a slash may begin a pattern
	Objects   bool   // a brace never begins a block
	Adjoins   bool   // texts that follow one another are one
	Bare      bool   // an address needs no quotes
	Character string // what a character begins with: ' in '"', \ in \"
	Casts     string // the types that stand in brackets before a value: (int)$id
	Calls     bool   // a function may join what follows its name: (str base "/item/" id)

	line, block []string
	casts       []string
	operators   [128][]operator // by their first byte
}

// operator is a sign of several characters, or one with another meaning than its character: . leads to a member, + joins, = gives a value
// to a name, a appends, : follows a key, ~ compares, and > is the arrow of a function.
type operator struct {
	text string
	sign byte
}

// common are the operators of most languages, each with its sign.
const common = "=== ~ !== ~ == ~ != ~ <= ~ >= ~ =~ ~ && ? || ? => > -> > := = ++ ? -- ? += a"

//go:embed families.json
var familiesJSON []byte

// Families are those of the kinds of files in words.txt.
var Families = sync.OnceValue(func() (all map[string]*Family) {
	if err := json.Unmarshal(familiesJSON, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range all {
		words := func(text string) []string { return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) }
		f.line, f.block, f.casts = words(f.Line), words(f.Block), words(f.Casts)
		var list []operator
		for _, text := range words(f.Joins) {
			list = append(list, operator{text, '+'}, operator{text + "=", 'a'})
		}
		for _, text := range words(cmp.Or(f.Links, ". :: ?. !. !!.")) {
			list = append(list, operator{text, '.'})
		}
		if f.Keys {
			list = append(list, operator{"=>", ':'})
		}
		for pair := range slices.Chunk(words(common), 2) {
			list = append(list, operator{pair[0], pair[1][0]})
		}
		slices.SortStableFunc(list, func(a, b operator) int { return len(b.text) - len(a.text) })
		for _, o := range list {
			if !f.Loose {
				f.operators[o.text[0]] = append(f.operators[o.text[0]], o)
			}
		}
	}
	return all
})
