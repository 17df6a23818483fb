package reference

import (
	"fmt"
	"iter"
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

// rootCategories is how many roots there are. Their ids are fixed: -1 stamps, -2 postcards, -3 coins and banknotes,
// -4 books, -5 other collections, -6 phonecards, -7 badges, -8 old paper.
const rootCategories = 8

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

// roots goes through the categories without parent.
func (t *Tree) roots() iter.Seq[*Category] { return t.siblings(0, len(t.Rows)) }

// children goes through the categories directly below one, which are none for an unknown id.
func (t *Tree) children(id int64) iter.Seq[*Category] {
	i, ok := t.at[id]
	if !ok {
		return t.siblings(0, 0)
	}
	return t.siblings(i+1, t.Rows[i].end)
}

// siblings goes through the topmost categories of a run of rows, jumping over what is below each.
func (t *Tree) siblings(from, end int) iter.Seq[*Category] {
	return func(yield func(*Category) bool) {
		for i := from; i < end && yield(&t.Rows[i]); i = t.Rows[i].end {
		}
	}
}

// subtree is a category and everything below it in tree order, or nothing for an unknown id.
func (t *Tree) subtree(id int64) []Category {
	i, ok := t.at[id]
	if !ok {
		return nil
	}
	return t.Rows[i:t.Rows[i].end:t.Rows[i].end]
}

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

// search goes through the categories whose name in one language (an index of Languages) contains the query,
// in tree order. Case, accents and the space around the query do not count; an empty query finds everything.
func (t *Tree) search(language int, query string) iter.Seq[*Category] {
	query = Fold(query)
	return func(yield func(*Category) bool) {
		for i, name := range t.Folded[language] {
			if strings.Contains(name, query) && !yield(&t.Rows[i]) {
				return
			}
		}
	}
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

// categoryColumns is the header of categories.tsv.
var categoryColumns = append([]string{"id", "parent_id", "selectable"}, Languages[:]...)

// parseCategories reads the text of a category file. Its rows must stand in tree order, so a parent is always known
// and a cycle cannot be written.
func parseCategories(file, text string) (*Tree, error) {
	lines, err := readTSV(file, text, categoryColumns)
	if err != nil {
		return nil, err
	}
	b := categoryTreeBuilder{tree: &Tree{
		Rows: make([]Category, 0, len(lines)), ids: make([]int64, 0, len(lines)), at: make(map[int64]int, len(lines)),
	}}
	for i := range b.tree.Folded {
		b.tree.Folded[i] = make([]string, 0, len(lines))
	}
	for _, line := range lines {
		if err := b.add(line.fields); err != nil {
			return nil, line.error(err)
		}
	}
	b.close(0)
	if len(b.roots) != rootCategories {
		return nil, fmt.Errorf("%s:%d: %d roots instead of %d", file, len(lines)+1, len(b.roots), rootCategories)
	}
	for i, row := range b.tree.Rows {
		if row.end == i+1 && !row.Selectable {
			return nil, lines[i].error(fmt.Errorf("category %d has no children and is not selectable", row.ID))
		}
	}
	return b.tree, nil
}

// categoryTreeBuilder adds rows to a tree and knows the branch that the last one stands on.
type categoryTreeBuilder struct {
	tree  *Tree
	roots []int          // places of the roots so far
	open  []openCategory // the last row and what it is below, the root first
}

// openCategory is a category that may still get children.
type openCategory struct {
	row      int
	children []int // places of the children so far
}

// add appends one row of the file.
func (b *categoryTreeBuilder) add(fields []string) error {
	row := Category{Names: [len(Languages)]string(fields[3:])}
	var err error
	if row.ID, err = tsvID(fields[0]); err != nil {
		return err
	}
	if row.Selectable, err = tsvFlag("selectable", fields[2]); err != nil {
		return err
	}
	if _, taken := b.tree.at[row.ID]; taken {
		return fmt.Errorf("id %d is taken", row.ID)
	}
	siblings := &b.roots
	if fields[1] == "" {
		err = b.placeRoot(row)
	} else {
		siblings, err = b.placeBelow(&row, fields[1])
	}
	if err != nil {
		return err
	}
	if n := len(*siblings); n > 0 && magnitude(b.tree.ids[(*siblings)[n-1]]) >= magnitude(row.ID) {
		return fmt.Errorf("id %d follows its sibling %d: siblings are in the order of their ids", row.ID, b.tree.ids[(*siblings)[n-1]])
	}
	if err := b.name(&row, *siblings); err != nil {
		return err
	}
	at := len(b.tree.Rows)
	*siblings = append(*siblings, at)
	b.tree.at[row.ID] = at
	b.tree.ids = append(b.tree.ids, row.ID)
	b.tree.Rows = append(b.tree.Rows, row)
	b.open = append(b.open, openCategory{row: at})
	return nil
}

// placeRoot checks a row without parent and closes everything before it.
func (b *categoryTreeBuilder) placeRoot(row Category) error {
	if want := -int64(len(b.roots) + 1); row.ID != want {
		return fmt.Errorf("root %d stands where %d belongs", row.ID, want)
	}
	if row.Selectable {
		return fmt.Errorf("root %d is selectable", row.ID)
	}
	b.close(0)
	return nil
}

// placeBelow finds a row's parent on the open branch, closes what is below it, and returns its children so far.
func (b *categoryTreeBuilder) placeBelow(row *Category, parent string) (*[]int, error) {
	if row.ID < 0 {
		return nil, fmt.Errorf("category %d has a parent and a root's id", row.ID)
	}
	var err error
	if row.ParentID, err = tsvID(parent); err != nil {
		return nil, fmt.Errorf("parent_id: %w", err)
	}
	level := slices.IndexFunc(b.open, func(o openCategory) bool { return b.tree.ids[o.row] == row.ParentID })
	if level < 0 {
		return nil, fmt.Errorf("parent %d of category %d is not above it: rows are in tree order", row.ParentID, row.ID)
	}
	row.Level = level + 1
	b.close(row.Level)
	return &b.open[level].children, nil
}

// name checks the names of a row against those of its siblings, as search would compare them, and keeps them.
func (b *categoryTreeBuilder) name(row *Category, siblings []int) error {
	for language, name := range row.Names {
		folded := Fold(name)
		if folded == "" {
			return fmt.Errorf("category %d has no name in %s", row.ID, Languages[language])
		}
		for _, sibling := range siblings {
			if b.tree.Folded[language][sibling] == folded {
				return fmt.Errorf("category %d has the name %q of its sibling %d in %s", row.ID, name, b.tree.ids[sibling], Languages[language])
			}
		}
		b.tree.Folded[language] = append(b.tree.Folded[language], folded)
	}
	return nil
}

// close ends the open categories from a level on: the next row is not below them.
func (b *categoryTreeBuilder) close(level int) {
	for _, o := range b.open[level:] {
		b.tree.Rows[o.row].end = len(b.tree.Rows)
	}
	b.open = b.open[:level]
}

// magnitude is an id without its sign, which orders roots and all others alike.
func magnitude(id int64) int64 { return max(id, -id) }
