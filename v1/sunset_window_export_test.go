package v1

import (
	"math"

	"sellerd/v1/rows"
	"sellerd/v1/sunset"
)

// WindowStatements are the statements that read a window: one that finds a bucket, one that finds a row in it, and one that
// reads from there.
type WindowStatements struct{ Buckets, Seek, Page Statement }

func (s *Service) windowStatements(l *sunset.List) WindowStatements {
	text, args := l.Buckets(sunset.CoarseLevel, 0, math.MaxInt64)
	seek := l.Seek(s.store.ManyWriters(), &sunset.Bucket{From: 0, To: int64(s.now()), Before: 10})
	page := l.After(s.store.ManyWriters(), rows.Cursor{Key: int64(s.now()), ID: 1}, MaxWindow)
	return WindowStatements{Statement{text, args}, Statement{seek.Text.String(), seek.Args}, Statement{page.Text.String(), page.Args}}
}

// ItemWindowStatements are the statements of ItemWindow.
func (s *Service) ItemWindowStatements(owner Owner, in *BrowseItemsInput) (WindowStatements, error) {
	l, err := s.itemWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l), nil
}

// SaleWindowStatements are the statements of SaleWindow.
func (s *Service) SaleWindowStatements(owner Owner, in *BrowseSalesInput) (WindowStatements, error) {
	l, err := s.saleWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l), nil
}
