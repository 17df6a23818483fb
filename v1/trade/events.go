package trade

import (
	"sellerd/v1/items"
)

// This file has the shapes of the events of sales and bills.

// soldEvent is the data of an event about an item that was sold.
type soldEvent struct {
	Item      items.Item     `json:"item"`
	Sale      SaleWithRating `json:"sale"`
	Truncated []string       `json:"truncated,omitempty"`
}

// Shorten implements EventShape.
func (e *soldEvent) Shorten() bool {
	part := e.Item.Shorten()
	if part != "" {
		e.Truncated = append(e.Truncated, part)
	}
	return part != ""
}

// saleEvent is the data of an event about a sale.
type saleEvent struct {
	Sale SaleWithRating `json:"sale"`
}

// Shorten implements EventShape. A sale is never too long.
func (e *saleEvent) Shorten() bool { return false }

// billEvent is the data of an event about a bill.
type billEvent struct {
	Bill      Bill     `json:"bill"`
	Truncated []string `json:"truncated,omitempty"`
}

// Shorten implements EventShape.
func (e *billEvent) Shorten() bool {
	switch {
	case len(e.Bill.Sales) > 0:
		e.Bill.Sales = nil
		e.Truncated = append(e.Truncated, "bill.sales")
	case len(e.Bill.Trackings) > 0:
		e.Bill.Trackings = nil
		e.Truncated = append(e.Truncated, "bill.trackings")
	default:
		return false
	}
	return true
}
