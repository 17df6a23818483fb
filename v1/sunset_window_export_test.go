package v1

import "math"
import (
	"sellerd/v1/rows"
)

// WindowStatements are the statements that read a window: one that finds a bucket, one that finds a row in it, and one that
// reads from there.
type WindowStatements struct{ Buckets, Seek, Page Statement }

func (s *Service) windowStatements(l *rows.List, positions countedList) WindowStatements {
	text, args := bucketsStatement(Owner(l.Owner), positions, l.Descending, len(positionShifts)-1, 0, math.MaxInt64)
	seek := seekStatement(l, s.store.Dialect(), &countedBucket{from: 0, to: int64(s.now()), before: 10})
	page := windowStatement(l, s.store.Dialect(), rows.Cursor{Key: int64(s.now()), ID: 1}, MaxWindow)
	return WindowStatements{Statement{text, args}, Statement{seek.Text.String(), seek.Args}, Statement{page.Text.String(), page.Args}}
}

// ItemWindowStatements are the statements of ItemWindow.
func (s *Service) ItemWindowStatements(owner Owner, in *BrowseItemsInput) (WindowStatements, error) {
	l, positions, err := s.itemWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l, positions), nil
}

// SaleWindowStatements are the statements of SaleWindow.
func (s *Service) SaleWindowStatements(owner Owner, in *BrowseSalesInput) (WindowStatements, error) {
	l, positions, err := s.saleWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l, positions), nil
}
