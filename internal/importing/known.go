package importing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// This file tells rows that were listed before from those that are new.

// choose returns the rows that have to be sent, and gives the others their outcome.
func (l *lister) choose(ctx context.Context) ([]*Row, error) {
	listed, rejected := l.state.listed()
	var fresh []*Row
	for _, row := range l.File.Rows {
		switch sent := listed[row.id]; {
		case row.Outcome != Unsent:
		case sent != nil:
			row.take(sent)
			row.Replayed = true
		default:
			fresh = append(fresh, row)
		}
	}
	if !l.File.Options.AllowDuplicates {
		var err error
		if fresh, err = l.withoutKnown(ctx, fresh, listed); err != nil {
			return nil, err
		}
		if err := l.doubt(fresh, listed); err != nil {
			return nil, err
		}
	}
	if !l.DryRun {
		l.sayRejected(fresh, rejected)
	}
	return fresh, nil
}

// withoutKnown leaves out rows whose reference an item has, or another row that was listed, and gives them their outcome.
func (l *lister) withoutKnown(ctx context.Context, fresh []*Row, listed map[string]*sentRow) ([]*Row, error) {
	gone := map[string]*sentRow{} // rows that were listed before, and are not in the file
	for id, sent := range listed {
		if l.rows[id] == nil && sent.Reference != "" {
			gone[sent.Reference] = sent
		}
	}
	known, err := l.known(ctx, fresh)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(fresh, func(row *Row) bool {
		sent := gone[row.Reference]
		var items []item
		for _, name := range row.spellings() {
			if len(items) == 0 {
				items = known[name]
			}
		}
		if offered := slices.DeleteFunc(slices.Clone(items), func(it item) bool { return !it.onSale() }); len(offered) > 0 {
			items = offered // those that are over may be listed once more
		}
		switch {
		case row.Reference == "":
			return false
		case len(items) == 1 && row.describes(items[0]) && items[0].onSale():
			row.Outcome, row.ItemID, row.Replayed = Published, items[0].ID, true
			return true
		case len(items) > 0:
			row.ItemID = items[0].ID
			row.isListed("Item "+items[0].ID+" has this reference, and it is "+items[0].Status, items[0].onSale())
		case sent != nil:
			row.ItemID = sent.item
			row.isListed("A row with this reference was listed before, with other values", true)
		default:
			return false
		}
		row.Outcome = Known
		return true
	}), nil
}

// sayRejected says why publication has rejected rows before, as the run that sent them may not have waited for it.
func (l *lister) sayRejected(rows []*Row, rejected map[string][]*sentRow) {
	n, first := 0, ""
	for _, row := range rows {
		if before := rejected[row.id]; len(before) > 0 {
			if n++; n == 1 {
				row.take(before[len(before)-1])
				first = fmt.Sprintf("row %d", row.Row)
				for _, p := range row.Problems {
					first += ": " + p.String()
				}
				row.Outcome, row.Problems = Unsent, nil
			}
		}
	}
	if n > 0 {
		l.note(fmt.Sprintf("rejected before, and now tried again: %s (%s)", Count(n), first))
	}
}

// Doubt is an error that asks whether rows were listed before. Running the command again as it was gives it again.
type Doubt string

// Error is the question.
func (d Doubt) Error() string { return string(d) }

// doubt asks about new rows that may be listed ones with another reference, or without one.
func (l *lister) doubt(fresh []*Row, listed map[string]*sentRow) error {
	if l.File.Options.OtherPieces {
		return nil
	}
	here := map[string]bool{}
	for _, row := range l.File.Rows {
		here[row.Reference] = row.Reference != ""
	}
	lost, like := 0, map[string]*sentRow{} // listed rows of which neither the values nor the reference are here, by what they have in common with a row
	for id, sent := range listed {
		if l.rows[id] != nil || here[sent.Reference] {
			continue
		}
		like["values "+sent.bare] = sent
		if sent.Reference != "" {
			like["reference "+folded(sent.Reference)] = sent
		}
		book, sheet, _ := strings.Cut(sent.file, sheetOf)
		switch same := book == l.Name; {
		case same && slices.Contains(l.File.OtherSheets, sheet): // which is not read now
		case same, sent.Reference == "":
			lost++
		}
	}
	unnamed, alike := []*Row(nil), 0
	for _, row := range fresh {
		if row.Reference == "" {
			unnamed = append(unnamed, row)
		}
		sent := cmp.Or(like["values "+bare(row.item)], like["reference "+folded(row.Reference)])
		if sent == nil {
			continue
		}
		alike++
		before := "without a reference"
		if sent.Reference != "" {
			before = fmt.Sprintf("with the reference %q", sent.Reference)
		}
		row.Problems = []Problem{row.placed(Problem{
			Field: "personal_reference", Value: short(row.Reference),
			Message: fmt.Sprintf("Is this the same piece as row %d of %s, which was listed %s?", sent.Row, sent.shown, before),
		})}
	}
	switch {
	case alike > 0:
		return Doubt(fmt.Sprintf("like rows that were listed before with another reference, or without one: %s. Nothing was sent, so that nothing is listed twice. "+
			"If it is the same piece, give the row its earlier reference again, or take it out. "+
			"If they are other pieces, list them with --other-pieces", Count(alike)))
	case len(unnamed) > 0 && lost > 0:
		const asked = "Is this a new piece, or a listed one that was changed? The row has no reference."
		for _, row := range unnamed {
			row.Problems = []Problem{row.placed(Problem{Field: "personal_reference", Message: asked})}
		}
		return Doubt(fmt.Sprintf("new without a reference: %s; listed before and not in this file: %s. If they are the same pieces, changed, they would be "+
			"listed twice. Nothing was sent. Change listed items with --update: items without a reference by their ids, "+
			"which `sellerd export items --for-update` writes. If the rows are other pieces, give them references, or list them with --other-pieces",
			Count(len(unnamed)), Count(lost)))
	}
	return nil
}

// sheetOf stands between the names of a workbook and of one of its sheets.
const sheetOf = ", sheet "

// origin names the file and, of a workbook with several, the sheet that the rows come from.
func (im *Importer) origin() string {
	if im.File.Sheet == "" {
		return im.Name
	}
	return im.Name + sheetOf + im.File.Sheet
}

// folded is a reference without what is easily lost: case, blanks, forms of letters, and zeros before it or after a point.
func folded(reference string) string {
	text := strings.ToLower(norm.NFKC.String(reference))
	text = strings.TrimLeft(strings.Join(strings.FieldsFunc(text, unicode.IsSpace), ""), "0")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(text, "0")
	}
	return text
}

// describes says whether an item has all that its row says.
func (r *Row) describes(it item) bool {
	c := &change{}
	return json.Unmarshal(r.item, &c.Patch) == nil && c.matches(it)
}

// isListed keeps a row back, because something with its reference is or was listed.
func (r *Row) isListed(why string, changeable bool) {
	advice := "To list the piece once more, put its row into a file of its own, and import that with --run and a name, such as --run autumn."
	if changeable {
		advice = "Change the item with --update, or list another with --allow-duplicates."
	}
	r.Problems = []Problem{r.placed(Problem{Field: "personal_reference", Message: why + ". The row was not sent. " + advice})}
}

// known looks up the items that have the references of rows already.
func (l *lister) known(ctx context.Context, rows []*Row) (map[string][]item, error) {
	if l.File.Options.Run != "" { // the same rows are to be listed once more
		return nil, nil
	}
	var references []string
	for _, row := range rows {
		if row.Reference != "" {
			references = append(references, row.spellings()...)
		}
	}
	if len(references) == 0 {
		return nil, nil
	}
	l.Progress.Begin("looking up", len(references))
	return l.find(ctx, "personal_reference", references)
}

// take gives a row what became of it in an earlier run.
func (r *Row) take(sent *sentRow) {
	r.Outcome, r.ItemID, r.Problems = Accepted, sent.item, nil
	for _, p := range sent.problems {
		r.Problems = append(r.Problems, r.placed(p))
	}
	switch {
	case sent.final && sent.item != "":
		r.Outcome = Published
	case sent.final:
		r.Outcome = Rejected
	}
}
