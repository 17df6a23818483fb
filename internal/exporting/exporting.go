// Package exporting writes an account's items, sales or bills into a file. It is a client of the API like any other.
//
//   - exporting.go walks through the list, and makes each object a row.
//   - items.go has the columns of items, which the import takes back, and trade.go those of sales and bills; columns.go is about all columns.
//   - sums.go adds up amounts, and spool.go puts rows in order.
package exporting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"sellerd/internal/apiclient"
	"sellerd/internal/sheet"
)

// The kinds of objects, each with its list.
const (
	Items = "items"
	Sales = "sales"
	Bills = "bills"
)

// Options are what the user asks for.
type Options struct {
	Kind      string
	From, To  time.Time // the first instant, and the first that is too late; zero for no bound
	By        string    // the time of a bill that is looked at: created, paid or sent; by default created
	Status    []string  // of items and bills; none for all
	ForUpdate bool      // items for a file of changes, and not for one of listings
	Form      sheet.Form
}

// Progress is shown to the user.
type Progress interface {
	Add(n int)
}

// Exporter writes a file.
type Exporter struct {
	Client   *apiclient.Client
	Progress Progress
	Options  Options
	Zone     *time.Location                            // in which times are shown
	LoadZone func(name string) (*time.Location, error) // for FindZone

	Rows   int
	Hidden bool // buyers' data are missing from a row whose buyer was not forgotten
	Alike  int  // items with the reference of another one in the file
	AsHTML int  // items with a title or subtitle such as A &amp; B, which buyers see like that
	sums   sums
}

// pageSize is as many objects as a page can have.
const pageSize = 200

// Write writes the file. After an error, what was written is no file.
//
// Every object that fits the filters from the beginning to the end of the walk is written once, as it is when its page is read: the list is in
// the order of a time that never changes. What is made meanwhile, or changes its state, is in the file or not.
func (e *Exporter) Write(ctx context.Context, out io.Writer) error {
	e.Options.Form.Sheet, e.Options.Form.Back = e.Options.Kind, e.Options.Kind == Items
	w, err := sheet.NewWriter(out, e.Options.Form, headerOf(columnsFor(e.Options)))
	if err != nil {
		return err
	}
	if err = e.rows(ctx, w.Row); err != nil {
		return err
	}
	return w.Finish()
}

// rows passes the rows of the file.
func (e *Exporter) rows(ctx context.Context, row func(cells []string) error) error {
	if e.Options.Kind != Items {
		return e.walk(ctx, func(from object, cells []string) error { return errors.Join(e.note(from), row(cells)) })
	}
	kept, err := newSpool()
	if err != nil {
		return err
	}
	defer kept.remove()
	references := map[string]bool{}
	err = e.walk(ctx, func(it object, cells []string) error {
		reference := norm.NFC.String(sheet.Trim(it.text("personal_reference")))
		if references[reference] && reference != "" {
			e.Alike++
		}
		references[reference] = true
		if sheet.Entities(it.text("title")+" "+it.text("subtitle")) != nil {
			e.AsHTML++
		}
		return kept.add(it.text("id"), cells)
	})
	if err != nil {
		return err
	}
	return kept.each(row)
}

// note adds up the total of a sale or a bill, and notes whether its buyer is hidden.
func (e *Exporter) note(from object) error {
	e.Hidden = e.Hidden || hidesBuyer(from)
	total := "total_price"
	if e.Options.Kind == Bills {
		total = "total"
	}
	return e.sums.add(total, from.money(total), from["status"] == "cancelled")
}

// Sums are the sums of the amounts, in words, one for each currency and state that matters. They are empty for items.
func (e *Exporter) Sums() []string { return e.sums.lines() }

// walk reads the list to its end.
func (e *Exporter) walk(ctx context.Context, row func(from object, cells []string) error) error {
	columns := columnsFor(e.Options)
	cells := make([]string, len(columns))
	return apiclient.Walk(ctx, e.Client, "/v1/"+e.Options.Kind, e.Options.query(), func(results []object) error {
		for _, from := range results {
			for at, column := range columns {
				cells[at] = column.cell(e, from)
			}
			if err := row(from, cells); err != nil {
				return err
			}
		}
		e.Rows += len(results)
		e.Progress.Add(len(results))
		return nil
	})
}

// query are the filters of the list, in the order of a time that never changes.
func (o Options) query() url.Values {
	name, sort := "created", "created_at_asc"
	if o.Kind == Sales {
		name, sort = "sold", "sold_at_asc"
	}
	if o.By != "" {
		name = o.By
	}
	if o.From.IsZero() && o.To.IsZero() && (name == "paid" || name == "sent") {
		o.From = time.Unix(0, 0) // without a bound, the list has those that never had this time, too
	}
	query := url.Values{"limit": {strconv.Itoa(pageSize)}, "sort": {sort}}
	if !o.From.IsZero() {
		query.Set(name+"_from", o.From.UTC().Format(time.RFC3339))
	}
	if !o.To.IsZero() {
		query.Set(name+"_to", o.To.UTC().Format(time.RFC3339))
	}
	if len(o.Status) > 0 {
		query.Set("status", strings.Join(o.Status, ","))
	}
	return query
}

// FindZone reads the account's time zone.
func (e *Exporter) FindZone(ctx context.Context) error {
	var account struct {
		TimeZone string `json:"time_zone"`
	}
	status, err := e.Client.Get(ctx, "/v1/account", &account)
	if status == http.StatusForbidden {
		return fmt.Errorf("%w. The export asks for the account's time zone: --time-zone names one", err)
	}
	if err != nil {
		return err
	}
	if e.Zone, err = e.LoadZone(account.TimeZone); err != nil {
		return fmt.Errorf("%w: --time-zone names another than the account's", err)
	}
	return nil
}

// StartOfDay is the first instant of a day in a time zone. Where clocks change at midnight, the day has no midnight, or two.
func StartOfDay(year int, month time.Month, day int, zone *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	switch change, _ := noon.ZoneBounds(); {
	case midnight.YearDay() != noon.YearDay() || midnight.Hour() != 0: // the clock went over it
		return change
	case midnight.Add(-time.Hour).YearDay() == noon.YearDay(): // the second midnight
		return midnight.Add(-time.Hour)
	}
	return midnight
}
