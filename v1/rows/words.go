package rows

import "sellerd/ent/itemword"

// The words of items have no id: the owner, the word and the item are their key. WordInsert stores some of one owner, each with
// its item. WordRemoval removes some, each given with its owner and its item.
var (
	WordInsert  = NewInsert(itemword.Table, []string{itemword.FieldOwner}, []string{itemword.FieldWord, itemword.FieldItemID}, nil)
	WordRemoval = NewRemoval(itemword.Table, itemword.FieldOwner+" bigint", itemword.FieldWord+" text", itemword.FieldItemID+" bigint")
)
