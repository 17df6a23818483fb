package v1

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// categoryLanguages are the languages of category names, in the order of their columns and of categoryRow.names.
var categoryLanguages = [...]string{"en", "fr", "de", "it", "es", "nl"}

// categoryLanguage is the place of a language code in categoryLanguages.
func categoryLanguage(code string) (index int, ok bool) {
	index = slices.Index(categoryLanguages[:], code)
	return index, index >= 0
}

// rootCategories is how many roots there are. Their ids are fixed: -1 stamps, -2 postcards, -3 coins and banknotes,
// -4 books, -5 other collections, -6 phonecards, -7 badges, -8 old paper.
const rootCategories = 8

// categoryRow is one category.
type categoryRow struct {
	id         int64 // negative for the roots, positive below
	parentID   int64 // 0 for the roots
	level      int   // 0 for the roots
	selectable bool  // whether an item may be put into it; always so without children, sometimes with
	names      [len(categoryLanguages)]string

	end int // the place in the tree's rows after its last descendant
}

// categoryTree is the whole tree. Its rows stand in tree order: a category, then everything below it, then its next
// sibling, siblings by the size of their ids. So a subtree is one run of rows, which is what every method uses.
type categoryTree struct {
	rows []categoryRow
	ids  []int64       // of the rows, in the same order
	at   map[int64]int // where an id stands in rows

	folded [len(categoryLanguages)][]string // the names of the rows as search compares them
}

// lookup finds a category by its id.
func (t *categoryTree) lookup(id int64) (*categoryRow, bool) {
	i, ok := t.at[id]
	if !ok {
		return nil, false
	}
	return &t.rows[i], true
}

// hasChildren says whether there is anything below a category of this tree.
func (t *categoryTree) hasChildren(row *categoryRow) bool { return row.end > t.at[row.id]+1 }

// roots goes through the categories without parent.
func (t *categoryTree) roots() iter.Seq[*categoryRow] { return t.siblings(0, len(t.rows)) }

// children goes through the categories directly below one, which are none for an unknown id.
func (t *categoryTree) children(id int64) iter.Seq[*categoryRow] {
	i, ok := t.at[id]
	if !ok {
		return t.siblings(0, 0)
	}
	return t.siblings(i+1, t.rows[i].end)
}

// siblings goes through the topmost categories of a run of rows, jumping over what is below each.
func (t *categoryTree) siblings(from, end int) iter.Seq[*categoryRow] {
	return func(yield func(*categoryRow) bool) {
		for i := from; i < end && yield(&t.rows[i]); i = t.rows[i].end {
		}
	}
}

// subtree is a category and everything below it in tree order, or nothing for an unknown id.
func (t *categoryTree) subtree(id int64) []categoryRow {
	i, ok := t.at[id]
	if !ok {
		return nil
	}
	return t.rows[i:t.rows[i].end:t.rows[i].end]
}

// descendants are the ids of a category and of everything below it in tree order, or nothing for an unknown id.
func (t *categoryTree) descendants(id int64) []int64 {
	i, ok := t.at[id]
	if !ok {
		return nil
	}
	return t.ids[i:t.rows[i].end:t.rows[i].end]
}

// path leads from the root to a category, both included. It is nothing for an unknown id.
func (t *categoryTree) path(id int64) []*categoryRow {
	row, ok := t.lookup(id)
	if !ok {
		return nil
	}
	path := make([]*categoryRow, row.level+1)
	for level := row.level; level > 0; level-- {
		path[level] = row
		row = &t.rows[t.at[row.parentID]]
	}
	path[0] = row
	return path
}

// search goes through the categories whose name in one language (an index of categoryLanguages) contains the query,
// in tree order. Case, accents and the space around the query do not count; an empty query finds everything.
func (t *categoryTree) search(language int, query string) iter.Seq[*categoryRow] {
	query = foldName(query)
	return func(yield func(*categoryRow) bool) {
		for i, name := range t.folded[language] {
			if strings.Contains(name, query) && !yield(&t.rows[i]) {
				return
			}
		}
	}
}

// foldName reduces a name to what search compares: small letters without accents, plain apostrophes and hyphens,
// one space between words. Letters that Unicode does not decompose are written as people type them without their key.
func foldName(name string) string {
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
var categoryColumns = append([]string{"id", "parent_id", "selectable"}, categoryLanguages[:]...)

// parseCategories reads the text of a category file. Its rows must stand in tree order, so a parent is always known
// and a cycle cannot be written.
func parseCategories(file, text string) (*categoryTree, error) {
	lines, err := readTSV(file, text, categoryColumns)
	if err != nil {
		return nil, err
	}
	b := categoryTreeBuilder{tree: &categoryTree{
		rows: make([]categoryRow, 0, len(lines)), ids: make([]int64, 0, len(lines)), at: make(map[int64]int, len(lines)),
	}}
	for i := range b.tree.folded {
		b.tree.folded[i] = make([]string, 0, len(lines))
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
	for i, row := range b.tree.rows {
		if row.end == i+1 && !row.selectable {
			return nil, lines[i].error(fmt.Errorf("category %d has no children and is not selectable", row.id))
		}
	}
	return b.tree, nil
}

// categoryTreeBuilder adds rows to a tree and knows the branch that the last one stands on.
type categoryTreeBuilder struct {
	tree  *categoryTree
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
	row := categoryRow{names: [len(categoryLanguages)]string(fields[3:])}
	var err error
	if row.id, err = tsvID(fields[0]); err != nil {
		return err
	}
	if row.selectable, err = tsvFlag("selectable", fields[2]); err != nil {
		return err
	}
	if _, taken := b.tree.at[row.id]; taken {
		return fmt.Errorf("id %d is taken", row.id)
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
	if n := len(*siblings); n > 0 && magnitude(b.tree.ids[(*siblings)[n-1]]) >= magnitude(row.id) {
		return fmt.Errorf("id %d follows its sibling %d: siblings are in the order of their ids", row.id, b.tree.ids[(*siblings)[n-1]])
	}
	if err := b.name(&row, *siblings); err != nil {
		return err
	}
	at := len(b.tree.rows)
	*siblings = append(*siblings, at)
	b.tree.at[row.id] = at
	b.tree.ids = append(b.tree.ids, row.id)
	b.tree.rows = append(b.tree.rows, row)
	b.open = append(b.open, openCategory{row: at})
	return nil
}

// placeRoot checks a row without parent and closes everything before it.
func (b *categoryTreeBuilder) placeRoot(row categoryRow) error {
	if want := -int64(len(b.roots) + 1); row.id != want {
		return fmt.Errorf("root %d stands where %d belongs", row.id, want)
	}
	if row.selectable {
		return fmt.Errorf("root %d is selectable", row.id)
	}
	b.close(0)
	return nil
}

// placeBelow finds a row's parent on the open branch, closes what is below it, and returns its children so far.
func (b *categoryTreeBuilder) placeBelow(row *categoryRow, parent string) (*[]int, error) {
	if row.id < 0 {
		return nil, fmt.Errorf("category %d has a parent and a root's id", row.id)
	}
	var err error
	if row.parentID, err = tsvID(parent); err != nil {
		return nil, fmt.Errorf("parent_id: %w", err)
	}
	level := slices.IndexFunc(b.open, func(o openCategory) bool { return b.tree.ids[o.row] == row.parentID })
	if level < 0 {
		return nil, fmt.Errorf("parent %d of category %d is not above it: rows are in tree order", row.parentID, row.id)
	}
	row.level = level + 1
	b.close(row.level)
	return &b.open[level].children, nil
}

// name checks the names of a row against those of its siblings, as search would compare them, and keeps them.
func (b *categoryTreeBuilder) name(row *categoryRow, siblings []int) error {
	for language, name := range row.names {
		folded := foldName(name)
		if folded == "" {
			return fmt.Errorf("category %d has no name in %s", row.id, categoryLanguages[language])
		}
		for _, sibling := range siblings {
			if b.tree.folded[language][sibling] == folded {
				return fmt.Errorf("category %d has the name %q of its sibling %d in %s", row.id, name, b.tree.ids[sibling], categoryLanguages[language])
			}
		}
		b.tree.folded[language] = append(b.tree.folded[language], folded)
	}
	return nil
}

// close ends the open categories from a level on: the next row is not below them.
func (b *categoryTreeBuilder) close(level int) {
	for _, o := range b.open[level:] {
		b.tree.rows[o.row].end = len(b.tree.rows)
	}
	b.open = b.open[:level]
}

// magnitude is an id without its sign, which orders roots and all others alike.
func magnitude(id int64) int64 { return max(id, -id) }
