package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"text/tabwriter"
	"time"

	"sellerd/v1"
)

// The windows' case reads the same rows twice: a thousand at an offset, as the legacy interface asks for them, and as five
// pages of the largest size after a cursor. First here and there in a list, without HTTP around them, which tells whether
// depth costs anything; then a whole list from its beginning to its end, through the handlers of both interfaces (walk.go).

// windowDepths are the places of a list, as shares of it, where windows are read.
var windowDepths = []float64{0, 0.5, 0.9}

// windowCost is what reading at one depth of one list took, in medians.
type windowCost struct {
	list            string
	rows, start     int // of the list; where the windows begin, about
	window, cursors time.Duration
}

// windowed is one list in both ways.
type windowed struct {
	name   string
	window func(ctx context.Context, start int) (rows any, err error)
	pages  func(ctx context.Context, after v1.Opt[string], count int) (rows any, next v1.Opt[string], err error)
}

// windowReads is how often one depth is read in each way.
const windowReads = 60

// measureWindows opens the database and reads the large seller's lists.
func (b *bench) measureWindows(ctx context.Context, db database, out io.Writer) (err error) {
	data := db.reads()
	opened, err := openService(ctx, data.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.db.Close()) }()
	caller, err := opened.service.Authenticate(ctx, data.Key)
	if err != nil {
		return err
	}
	costs, err := measureDepths(ctx, opened.service, caller)
	printWindows(out, db.name(), costs)
	if err != nil {
		return err
	}
	cost, err := b.measureWalk(ctx, opened.public, data.Key)
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	printWalk(out, db.name(), cost)
	return nil
}

func measureDepths(ctx context.Context, service *v1.Service, caller v1.Caller) (costs []windowCost, err error) {
	call := &v1.Call{Caller: caller}
	for _, list := range []windowed{
		{
			"open items",
			func(ctx context.Context, start int) (any, error) {
				in := &v1.BrowseItemsInput{SaleType: []string{v1.SaleTypeFixedPrice}, Status: []string{v1.ItemOpen}}
				return service.ItemWindow(ctx, call, in, v1.Window{Start: start, Count: v1.MaxWindow})
			},
			func(ctx context.Context, after v1.Opt[string], count int) (any, v1.Opt[string], error) {
				return readPages(ctx, count, after, func(after v1.Opt[string]) (*v1.Page[v1.Item], error) {
					return v1.BrowseItems.Call(ctx, service, call, &v1.BrowseItemsInput{
						SaleType: []string{v1.SaleTypeFixedPrice}, Status: []string{v1.ItemOpen}, Limit: v1.Some(v1.MaxPageSize), After: after,
					})
				})
			},
		},
		{
			"sales",
			func(ctx context.Context, start int) (any, error) {
				return service.SaleWindow(ctx, call, &v1.BrowseSalesInput{SaleType: []string{v1.SaleTypeFixedPrice}, CancellationStatus: v1.StandingSales}, v1.Window{Start: start, Count: v1.MaxWindow})
			},
			func(ctx context.Context, after v1.Opt[string], count int) (any, v1.Opt[string], error) {
				return readPages(ctx, count, after, func(after v1.Opt[string]) (*v1.Page[v1.Sale], error) {
					return v1.BrowseSales.Call(ctx, service, call, &v1.BrowseSalesInput{
						SaleType: []string{v1.SaleTypeFixedPrice}, CancellationStatus: v1.StandingSales, Limit: v1.Some(v1.MaxPageSize), After: after,
					})
				})
			},
		},
	} {
		found, err := list.measure(ctx)
		if err != nil {
			return costs, fmt.Errorf("windows of %s: %w", list.name, err)
		}
		costs = append(costs, found...)
	}
	return costs, nil
}

// readPages reads pages until it has so many rows.
func readPages[T any](ctx context.Context, count int, after v1.Opt[string], browse func(after v1.Opt[string]) (*v1.Page[T], error)) (any, v1.Opt[string], error) {
	rows := make([]T, 0, count)
	for len(rows) < count && ctx.Err() == nil {
		page, err := browse(after)
		if err != nil {
			return nil, after, err
		}
		rows, after = append(rows, page.Results...), page.NextCursor
		if !after.Set {
			break
		}
	}
	return rows, after, ctx.Err()
}

// measure walks through the list for its cursors, and reads around every depth, each time somewhere else.
func (l windowed) measure(ctx context.Context) (costs []windowCost, err error) {
	cursors := []v1.Opt[string]{{}} // every v1.MaxPageSize rows
	for {
		_, next, err := l.pages(ctx, cursors[len(cursors)-1], v1.MaxPageSize)
		if err != nil {
			return nil, err
		}
		if !next.Set {
			break
		}
		cursors = append(cursors, next)
	}
	for _, depth := range windowDepths {
		first := int(depth * float64(len(cursors)))
		var windows, pages []time.Duration
		for range windowReads {
			at := first + rand.IntN(len(cursors)/50+1)
			began := time.Now()
			one, err1 := l.window(ctx, at*v1.MaxPageSize)
			between := time.Now()
			other, _, err2 := l.pages(ctx, cursors[at], v1.MaxWindow)
			ended := time.Now()
			if err := errors.Join(err1, err2); err != nil {
				return nil, err
			}
			if !reflect.DeepEqual(one, other) {
				return nil, fmt.Errorf("from %d on, the window and the pages have different rows", at*v1.MaxPageSize)
			}
			windows, pages = append(windows, between.Sub(began)), append(pages, ended.Sub(between))
		}
		costs = append(costs, windowCost{l.name, len(cursors) * v1.MaxPageSize, first * v1.MaxPageSize, median(windows), median(pages)})
	}
	return costs, nil
}

// printWindows prints one line a depth.
func printWindows(out io.Writer, database string, costs []windowCost) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\n"+database+", 1,000 rows\tof about\tfrom about\tby offset\tby five cursors\toffset ÷ cursors\t")
	for _, c := range costs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%.2f\t\n", c.list, c.rows, c.start,
			c.window.Round(10*time.Microsecond), c.cursors.Round(10*time.Microsecond), float64(c.window)/float64(c.cursors))
	}
	_ = t.Flush()
}
