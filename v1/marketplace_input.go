package v1

// These are the inputs of the operator's side. The simulation endpoints share those whose bodies may be empty.

// BidInput is a bid on an item.
type BidInput struct {
	ID  ID  `path:"id" missing:"item_not_found"`
	Bid Bid `body:"json"`
}

// PurchaseInput is a purchase of an item.
type PurchaseInput struct {
	ID       ID       `path:"id" missing:"item_not_found"`
	Purchase Purchase `body:"json"`
}

// ItemMoveInput moves an item to another category.
type ItemMoveInput struct {
	ID   ID           `path:"id" missing:"item_not_found"`
	Move CategoryMove `body:"json"`
}

// InvoiceInput is a bill's invoicing.
type InvoiceInput struct {
	ID      ID      `path:"id" missing:"bill_not_found"`
	Invoice Invoice `body:"optional"`
}

// BillPaymentInput is the payment of a bill.
type BillPaymentInput struct {
	ID      ID           `path:"id" missing:"bill_not_found"`
	Payment PaymentInput `body:"optional"`
}

// CancellationInput is a step in the cancellation of a sale.
type CancellationInput struct {
	ID           ID                   `path:"id" missing:"sale_not_found"`
	Cancellation CancellationDecision `body:"json"`
}
