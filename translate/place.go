package translate

import (
	"fmt"
	"reflect"
	"strings"

	"sellerd/v1"
)

// This file tells where /v1 has what no element of /rest's answer shows beside a sale.

// Place is a member of what an operation answers, of each result if it answers a list.
type Place struct {
	Operation *v1.Operation
	Path      string // item.title, and sales[].title of each entry of a list
}

// SoldNames are where the title and the seller's reference of what was sold stand.
var SoldNames = []Place{
	{v1.BrowseSales.Operation, "item.title"},
	{v1.BrowseSales.Operation, "item.personal_reference"},
	{v1.BrowseBills.Operation, "sales[].title"},
	{v1.BrowseBills.Operation, "sales[].personal_reference"},
}

// check refuses a place that the operation's answer does not have.
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
