package translate

import (
	"fmt"
	"reflect"

	"sellerd/v1"
)

// This file names the places where /v1 has more about a sale than the elements of /rest's answers show.

// Place is a member of an operation's answer. For a list it is a member of each result.
type Place struct {
	Operation *v1.Operation
	Path      string // item.title, and sales[].title of each entry of a list
}

// SoldNames are the places of the title and the seller's reference of what was sold.
var SoldNames = []Place{
	{v1.BrowseSales.Operation, "item.title"},
	{v1.BrowseSales.Operation, "item.personal_reference"},
	{v1.BrowseBills.Operation, "sales[].title"},
	{v1.BrowseBills.Operation, "sales[].personal_reference"},
}

// check returns an error when the operation's answer has no such member.
func (p *Place) check() error {
	t, _ := resultOf(p.Operation.Out)
	t, err := typeAt(t, p.Path)
	switch {
	case err != nil:
		return fmt.Errorf("%s answers no %s: %w", p.Operation.Name, p.Path, err)
	case plain(t).Kind() == reflect.Slice:
		return fmt.Errorf("%s answers a list of %s", p.Operation.Name, p.Path)
	}
	return nil
}
