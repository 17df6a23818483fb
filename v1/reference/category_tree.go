package reference

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Languages are the languages of category names, in the order of their columns and of Category.names.
var Languages = [...]string{"en", "fr", "de", "it", "es", "nl"}

// Language is the place of a language code in Languages.
func Language(code string) (index int, ok bool) {
	index = slices.Index(Languages[:], code)
	return index, index >= 0
}

// Category is one category.
type Category struct {
	ID         int64 // negative for the roots, positive below
	ParentID   int64 // 0 for the roots
	Level      int   // 0 for the roots
	Selectable bool  // whether an item may be put into it; always so without children, sometimes with
	Names      [len(Languages)]string

	end int // the place in the tree's rows after its last descendant
}

// Tree is the whole tree. Its rows stand in tree order: a category, then everything below it, then its next
// sibling, siblings by the size of their ids. So a subtree is one run of rows, which is what every method uses.
type Tree struct {
	Rows []Category
	ids  []int64       // of the rows, in the same order
	at   map[int64]int // where an id stands in rows

	Folded [len(Languages)][]string // the names of the rows as search compares them
}

// Lookup finds a category by its id.
func (t *Tree) Lookup(id int64) (*Category, bool) {
	i, ok := t.at[id]
	if !ok {
		return nil, false
	}
	return &t.Rows[i], true
}

// HasChildren says whether there is anything below a category of this tree.
func (t *Tree) HasChildren(row *Category) bool { return row.end > t.at[row.ID]+1 }

// Descendants are the ids of a category and of everything below it in tree order, or nothing for an unknown id.
func (t *Tree) Descendants(id int64) []int64 {
	i, ok := t.at[id]
	if !ok {
		return nil
	}
	return t.ids[i:t.Rows[i].end:t.Rows[i].end]
}

// Path leads from the root to a category, both included. It is nothing for an unknown id.
func (t *Tree) Path(id int64) []*Category {
	row, ok := t.Lookup(id)
	if !ok {
		return nil
	}
	path := make([]*Category, row.Level+1)
	for level := row.Level; level > 0; level-- {
		path[level] = row
		row = &t.Rows[t.at[row.ParentID]]
	}
	path[0] = row
	return path
}

// Fold reduces a name to what search compares: small letters without accents, plain apostrophes and hyphens,
// one space between words. Letters that Unicode does not decompose are written as people type them without their key.
func Fold(name string) string {
	var folded strings.Builder
	folded.Grow(len(name))
	space := false
	for _, r := range norm.NFKD.String(name) {
		if unicode.IsSpace(r) {
			space = folded.Len() > 0
			continue
		}
		if r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r) {
			continue
		}
		if space {
			folded.WriteByte(' ')
			space = false
		}
		r = unicode.ToLower(r)
		if r < utf8.RuneSelf {
			folded.WriteByte(byte(r))
		} else if typed, ok := typedLetters[r]; ok {
			folded.WriteString(typed)
		} else {
			folded.WriteRune(r)
		}
	}
	return folded.String()
}

// typedLetters are the letters and signs of the six languages, and of names in them, that have no decomposition.
var typedLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i",
	'’': "'", '‘': "'", '‐': "-", '–': "-", '—': "-",
}

// readCategories reads the rows of categories.tsv: id, parent, whether it can be selected, and a name in each language. They stand in
// tree order.
func readCategories(rows [][]string) *Tree {
	t := &Tree{Rows: make([]Category, len(rows)), ids: make([]int64, len(rows)), at: make(map[int64]int, len(rows))}
	for i, fields := range rows {
		row := Category{ID: number(fields[0]), Selectable: fields[2] == "1", Names: [len(Languages)]string(fields[3:])}
		if fields[1] != "" {
			row.ParentID = number(fields[1])
			row.Level = t.Rows[t.at[row.ParentID]].Level + 1
		}
		for language, name := range row.Names {
			t.Folded[language] = append(t.Folded[language], Fold(name))
		}
		t.Rows[i], t.ids[i], t.at[row.ID] = row, row.ID, i
	}
	for i := len(rows) - 1; i >= 0; i-- { // what is below a row stands behind it
		row := &t.Rows[i]
		row.end = max(row.end, i+1)
		if above, ok := t.at[row.ParentID]; ok {
			t.Rows[above].end = max(t.Rows[above].end, row.end)
		}
	}
	return t
}
