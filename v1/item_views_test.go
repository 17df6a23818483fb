package v1_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// This file has items and events as a seller reads them, for the tests of what changes items.

// itemView is an item as far as the tests of changes look at it.
type itemView struct {
	ID            string         `json:"id"`
	SaleType      string         `json:"sale_type"`
	Title         string         `json:"title"`
	Description   *string        `json:"description"`
	Price         *moneyView     `json:"price"`
	CurrentPrice  *moneyView     `json:"current_price"`
	BidCount      int            `json:"bid_count"`
	Quantity      int            `json:"quantity"`
	Available     int            `json:"quantity_available"`
	QuantitySold  int            `json:"quantity_sold"`
	CategoryID    string         `json:"category_id"`
	FirstBidAt    *time.Time     `json:"first_bid_at"`
	DurationDays  *int           `json:"duration_days"`
	EndsAt        time.Time      `json:"ends_at"`
	ClosedAt      *time.Time     `json:"closed_at"`
	Renewals      int            `json:"renewals"`
	RenewalsLeft  int            `json:"renewals_left"`
	Images        []imageView    `json:"images"`
	Options       map[string]any `json:"options"`
	Status        string         `json:"status"`
	CloseReason   *string        `json:"close_reason"`
	CloseNote     *string        `json:"close_note"`
	RestartCount  int            `json:"restart_count"`
	PersonalRef   *string        `json:"personal_reference"`
	PreferredTime *string        `json:"preferred_end_time"`
}

type moneyView struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

type imageView struct {
	URL       string  `json:"url"`
	Position  int     `json:"position"`
	Status    string  `json:"status"`
	Width     *int    `json:"width"`
	ErrorCode *string `json:"error_code"`
}

func readItem(t *testing.T, w *servertest.World, id string) itemView {
	t.Helper()
	return servertest.Into[itemView](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))
}

// storedEvent is an event of the outbox.
type storedEvent struct {
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	APIVersion string    `json:"api_version"`
	CreatedAt  time.Time `json:"created_at"`
	Mode       string    `json:"mode"`
	AccountID  string    `json:"account_id"`
	Resource   struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Sequence int    `json:"sequence"`
	} `json:"resource"`
	Data struct {
		Item       *itemView      `json:"item"`
		Sale       *saleView      `json:"sale"`
		Bill       *billView      `json:"bill"`
		Submission map[string]any `json:"submission"`
		Previous   map[string]any `json:"previous"`
		Truncated  []string       `json:"truncated"`
	} `json:"data"`

	size int
}

// events are those about one resource, in the order of their ids.
func events(t *testing.T, w *servertest.World, resource string) []storedEvent {
	t.Helper()
	rows, err := w.Store.Reader().Event.Query().Order(ent.Asc("id")).All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var found []storedEvent
	for _, row := range rows {
		event := servertest.Into[storedEvent](t, servertest.Response{Data: []byte(row.Body)})
		event.size = len(row.Body)
		if event.Resource.ID == resource {
			found = append(found, event)
		}
	}
	return found
}

func eventTypes(found []storedEvent) []string {
	types := []string{}
	for _, event := range found {
		types = append(types, fmt.Sprintf("%d %s", event.Resource.Sequence, event.Type))
	}
	return types
}
