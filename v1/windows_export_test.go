package v1

// WindowStatements are the statements that read a window: one that finds a row in a bucket, and one that reads from there.
type WindowStatements struct{ Seek, Page Statement }

func (s *Service) windowStatements(l *list) WindowStatements {
	seek := l.seekStatement(s.store.Dialect(), &countedBucket{from: 0, to: int64(s.now()), before: 10})
	page := l.windowStatement(s.store.Dialect(), cursor{key: int64(s.now()), id: 1}, MaxWindow)
	return WindowStatements{Statement{seek.text.String(), seek.args}, Statement{page.text.String(), page.args}}
}

// ItemWindowStatements are the statements of ItemWindow.
func (s *Service) ItemWindowStatements(owner Owner, in *BrowseItemsInput) (WindowStatements, error) {
	l, _, err := s.itemWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l), nil
}

// SaleWindowStatements are the statements of SaleWindow.
func (s *Service) SaleWindowStatements(owner Owner, in *BrowseSalesInput) (WindowStatements, error) {
	l, _, err := s.saleWindowList(owner, in)
	if err != nil {
		return WindowStatements{}, err
	}
	return s.windowStatements(l), nil
}
