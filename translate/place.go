package translate

import (
	"fmt"
	"reflect"
	"strings"

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
	for name := range strings.SplitSeq(p.Path, ".") {
		name, list := strings.CutSuffix(name, "[]")
		field, ok := member(t, name)
		if !ok {
			return fmt.Errorf("%s answers no %s", p.Operation.Name, p.Path)
		}
		if t = plain(field.Type); list != (t.Kind() == reflect.Slice) {
			return fmt.Errorf("%s answers %s otherwise: [] stands behind lists alone", p.Operation.Name, p.Path)
		}
		if list {
			t = plain(t.Elem())
		}
	}
	return nil
}
