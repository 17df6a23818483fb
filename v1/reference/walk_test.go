package reference

import (
	"iter"
	"strings"
)

// These walks through the tree are for tests. The program needs runs of rows alone.

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
