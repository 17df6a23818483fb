package rows

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/itemword"
)

// Word is a word of an item.
type Word struct {
	Text string
	Item int64
}

// InsertWords stores words of one owner's items. It sorts them as their tree has them, which saves a third of the cost on SQLite.
func InsertWords(ctx context.Context, tx *ent.Client, owner int64, words []Word) error {
	slices.SortFunc(words, func(a, b Word) int { return cmp.Or(strings.Compare(a.Text, b.Text), cmp.Compare(a.Item, b.Item)) })
	values := make([]any, 0, 2*len(words))
	for _, word := range words {
		values = append(values, word.Text, word.Item)
	}
	return wordInsert.Rows(ctx, tx, []any{owner}, values)
}

var (
	wordInsert = NewInsert(itemword.Table, []string{itemword.FieldOwner}, []string{itemword.FieldWord, itemword.FieldItemID}, nil)
	// WordRemoval removes words of items, which have no id: each is given with its owner and its item.
	WordRemoval = NewRemoval(itemword.Table, itemword.FieldOwner+" bigint", itemword.FieldWord+" text", itemword.FieldItemID+" bigint")
)
