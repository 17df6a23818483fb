package translate

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"sellerd/v1"
)

// This file translates the paging of lists, which /rest pages by position and /v1 by cursor.

// pagingFields are the fields that select a part of a list.
var pagingFields = []string{"startingItem", "numberOfItems", "order"}

// Bounds of a window.
const (
	MaxStart      = 1_000_000_000
	MaxWindow     = 1000
	DefaultWindow = 100
)

// Window returns the part of a list that a request asks for: how many entries to skip, how many to answer, and whether the
// newest come first. Without the fields, or with empty ones, it is the oldest 100.
func (p *Plan) Window(fields Fields) (start, count int, descending bool, errs v1.Errors) {
	refuse := func(name, message string) {
		errs = append(errs, v1.Error{Code: v1.InvalidParameter, Field: name, Message: message})
	}
	text := func(name string) string {
		texts := fields.list(name)
		if field, _ := fields.Lookup(name); field.nests() || len(texts) > 1 {
			refuse(name, "must be one value")
			return ""
		}
		if given := strings.Join(texts, ""); p.hold(given, true) == "" {
			return given
		}
		return ""
	}
	number := func(name string, otherwise, least, most int) int {
		given := text(name)
		if given == "" {
			return otherwise
		}
		n, err := strconv.Atoi(given)
		if err != nil || !digits(given) || n < least || n > most {
			refuse(name, fmt.Sprintf("must be a number from %d to %d", least, most))
			return otherwise
		}
		return n
	}
	start = number("startingItem", 0, 0, MaxStart)
	count = number("numberOfItems", DefaultWindow, 1, MaxWindow)
	switch order := text("order"); strings.ToUpper(order) {
	case "", "ASC":
	case "DESC":
		descending = true
	default:
		refuse("order", "must be ASC or DESC")
	}
	return start, count, descending, errs
}

// window rejects an invalid window, and notes which part of it the first page of /v1 does not show.
func (d *decoder) window(given Fields) {
	start, count, _, errs := d.plan.Window(given)
	d.problems = append(d.problems, errs...)
	for _, name := range pagingFields {
		if text := given.Text(name); d.plan.hold(text, true) != "" {
			d.note(name, NoteDropped, "The part of a list that is in "+text+" is not known: this is the list without it")
		}
	}
	if start > 0 {
		d.note("startingItem", NoteNarrowed, "/v1 knows no positions: follow next_cursor from the first page on.")
	}
	if count > v1.MaxPageSize {
		d.note("numberOfItems", NoteNarrowed, fmt.Sprintf("A page of /v1 has at most %d entries: follow next_cursor for the rest.", v1.MaxPageSize))
	}
}

// resolveSort finds the order of a list: the first value of the parameter sort is the default, and the opposite order begins
// with the newest.
func (p *Plan) resolveSort() error {
	if !p.Paged {
		return nil
	}
	if p.main == nil || p.Each != "" {
		return fmt.Errorf("is paged, but is no list of an operation")
	}
	field, ok := p.main.In.FieldByName("Sort")
	sort, _, _ := strings.Cut(field.Tag.Get("enum"), " ")
	column, ascending := strings.CutSuffix(sort, "_asc")
	if limit, limited := p.main.In.FieldByName("Limit"); !ok || !ascending || !limited || limit.Type != reflect.TypeFor[v1.Opt[int]]() {
		return fmt.Errorf("is paged, but %s is not", p.main.Name)
	}
	p.sort = column + "_desc"
	return nil
}

// WholeListNote is a note on every call that answers everything where /v1 answers a page (see Call.ListOf).
var WholeListNote = fmt.Sprintf("/rest answers all at once, /v1 a page of %d, or of up to %d with limit: follow next_cursor for the rest.",
	v1.DefaultPageSize, v1.MaxPageSize)
