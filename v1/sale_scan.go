package v1

import (
	"slices"
	"sync"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/ent/sale"
	"sellerd/v1/rows"
)

// A page of sales is one statement with the buyers joined to it, read as pages of items are (item_scan.go).

// saleColumns and buyerColumns are what a page shows of a sale and of its buyer.
var (
	saleColumns = columnsBut(sale.Columns,
		sale.FieldOwner, sale.FieldBuyerID, sale.FieldWeightGrams, sale.FieldShippingModelID, sale.FieldSequence)
	buyerColumns = columnsBut(buyer.Columns,
		buyer.FieldScope, buyer.FieldAddress, buyer.FieldCreatedAt, buyer.FieldUpdatedAt, buyer.FieldForgottenAt)
	saleColumnList = rows.ColumnList(sale.Table, saleColumns) + ", " + rows.ColumnList(buyer.Table, buyerColumns)
)

// saleScan scans a sale and its buyer.
type saleScan struct {
	sale    *rowScan[ent.Sale]
	buyer   *rowScan[ent.Buyer]
	targets []any
}

// saleScans are spare scans, for reads that convert the row at once.
var saleScans = sync.Pool{New: func() any {
	scan := &saleScan{sale: newRowScan[ent.Sale](saleColumns), buyer: newRowScan[ent.Buyer](buyerColumns)}
	scan.targets = slices.Concat(scan.sale.targets, scan.buyer.targets)
	return scan
}}
