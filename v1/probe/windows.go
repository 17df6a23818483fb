package probe

import (
	"math"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/sunset"
	"sellerd/v1/trade"
)

// WindowStatements are the statements that read a window: one that finds a bucket, one that finds a row in it, and one that
// reads from there.
type WindowStatements struct{ Buckets, Seek, Page Statement }

func windowStatements(s *v1.Service, l *sunset.List) WindowStatements {
	text, args := l.Buckets(sunset.CoarseLevel, 0, math.MaxInt64)
	seek := l.Seek(s.Store.ManyWriters(), &sunset.Bucket{From: 0, To: int64(s.Now()), Before: 10})
	page := l.After(s.Store.ManyWriters(), rows.Cursor{Key: int64(s.Now()), ID: 1}, sunset.MaxWindow)
	return WindowStatements{Statement{text, args}, Statement{seek.Text.String(), seek.Args}, Statement{page.Text.String(), page.Args}}
}

// ItemWindowStatements are the statements of ItemWindow.
func ItemWindowStatements(s *v1.Service, owner core.Owner, in *items.BrowseItemsInput) (WindowStatements, error) {
	l, err := s.ItemWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return windowStatements(s, l), nil
}

// SaleWindowStatements are the statements of SaleWindow.
func SaleWindowStatements(s *v1.Service, owner core.Owner, in *trade.BrowseSalesInput) (WindowStatements, error) {
	l, err := s.SaleWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return windowStatements(s, l), nil
}
