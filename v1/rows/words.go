package rows

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/itemword"
)

// Word is a word of an owner's item.
type Word struct {
	Owner int64
	Text  string
	Item  int64
}

// InsertWords stores words of items. It sorts them as their tree has them, which saves a third of the cost on SQLite. Most sets are of one
// owner, who is then sent once.
func InsertWords(ctx context.Context, tx *ent.Client, words []Word) error {
	if len(words) == 0 {
		return nil
	}
	slices.SortFunc(words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), strings.Compare(a.Text, b.Text), cmp.Compare(a.Item, b.Item))
	})
	insert, shared := ownerWordInsert, []any{words[0].Owner}
	if words[len(words)-1].Owner != words[0].Owner {
		insert, shared = wordInsert, nil
	}
	values := make([]any, 0, 3*len(words))
	for _, word := range words {
		if shared == nil {
			values = append(values, word.Owner)
		}
		values = append(values, word.Text, word.Item)
	}
	return insert.Rows(ctx, tx, shared, values)
}

var (
	ownerWordInsert = NewInsert(itemword.Table, []string{itemword.FieldOwner}, []string{itemword.FieldWord, itemword.FieldItemID}, nil)
	wordInsert      = NewInsert(itemword.Table, nil, []string{itemword.FieldOwner, itemword.FieldWord, itemword.FieldItemID}, nil)
	// WordRemoval removes words of items, which have no id: each is given with its owner and its item.
	WordRemoval = NewRemoval(itemword.Table, itemword.FieldOwner+" bigint", itemword.FieldWord+" text", itemword.FieldItemID+" bigint")
)
