// Package permission has the permissions of API keys. A key has all of them, or those of a list. Each operation of /v1 needs
// one, or none if it reads reference data that every key may read. A permission to write includes that to read the same. No operation
// needs BuyersRead: without it, answers leave out the personal data of buyers.
package permission

import (
	"fmt"
	"math/bits"
	"strings"
)

// Set is a set of permissions, a bit each. Its zero value is the empty set.
type Set uint16

// The permissions, in the order in which lists show them. The bit of each permission to write follows that to read the same. Buyers
// are only read.
const (
	ItemsRead Set = 1 << iota
	ItemsWrite
	SalesRead
	SalesWrite
	BillsRead
	BillsWrite
	WebhooksRead
	WebhooksWrite
	AccountRead
	AccountWrite
	BuyersRead
)

// These are sets of several permissions. A key without a list has All. A key that only reads has Reads, and does not read the personal
// data of buyers.
const (
	Reads = ItemsRead | SalesRead | BillsRead | WebhooksRead | AccountRead
	All   = Reads | Reads<<1 | BuyersRead
)

// names are the permissions' names, by the number of their bit.
var names = [...]string{
	"items:read", "items:write", "sales:read", "sales:write", "bills:read", "bills:write",
	"webhooks:read", "webhooks:write", "account:read", "account:write", "buyers:read",
}

// Find returns the permission with a name.
func Find(name string) (Set, bool) {
	for i := range names {
		if names[i] == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Parse returns the permissions with these names. A list that is empty, and a name that is unknown or occurs twice, are errors.
func Parse(list []string) (Set, error) {
	if len(list) == 0 {
		return 0, fmt.Errorf("the list of permissions is empty: name at least one of %s", strings.Join(names[:], ", "))
	}
	var s Set
	for _, name := range list {
		one, ok := Find(name)
		switch {
		case !ok:
			return 0, fmt.Errorf("there is no permission %q: there are %s", name, strings.Join(names[:], ", "))
		case s&one != 0:
			return 0, fmt.Errorf("the permission %s is there twice", name)
		}
		s |= one
	}
	return s, nil
}

// Missing is the part of the needed permissions that the set does not have.
func (s Set) Missing(needed Set) Set {
	return needed &^ (s | s>>1&Reads) // the bit below that of a permission to write is that to read
}

// Names are the names of the permissions of the set, in their order.
func (s Set) Names() []string {
	list := make([]string, 0, bits.OnesCount16(uint16(s)))
	for i := range names {
		if s&(1<<i) != 0 {
			list = append(list, names[i])
		}
	}
	return list
}

// String is the text in which a set is stored: the names with spaces between them. For a set of one permission it is the name.
func (s Set) String() string { return strings.Join(s.Names(), " ") }

// Scan implements sql.Scanner for the text of String. NULL is All. A name that this version does not know permits nothing.
func (s *Set) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s = All
	case string:
		*s = read(v)
	case []byte:
		*s = read(string(v))
	default:
		return fmt.Errorf("permissions are stored as text, not as %T", src)
	}
	return nil
}

func read(text string) (s Set) {
	for name := range strings.SplitSeq(text, " ") {
		one, _ := Find(name)
		s |= one
	}
	return s
}
