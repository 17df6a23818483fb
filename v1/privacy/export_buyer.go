package privacy

import (
	"context"
	"fmt"
	"io"
	"strings"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/wire"
)

// This file writes what is stored about a buyer, in one JSON document.

// ofBuyer are the conditions of a buyer's rows. {buyer} stands for the buyer's id, and {mark} for a text in which the buyer's data begin.
var ofBuyer = []struct{ table, condition string }{
	{"buyers", "id = {buyer}"},
	{"bills", "buyer_id = {buyer}"},
	{"sales", "buyer_id = {buyer}"},
	{"bids", "buyer_id = {buyer}"},
	{"ratings", "id IN (SELECT id FROM sales WHERE buyer_id = {buyer})"},
	{"trackings", "bill_id IN (SELECT id FROM bills WHERE buyer_id = {buyer})"},
	{"events", eventsOfBuyer},
	{"deliveries", "event_id IN (SELECT id FROM events WHERE " + eventsOfBuyer + ")"},
	{"idempotency_keys", "(buyer_id = {buyer} OR buyer_id IS NULL AND body LIKE '%{mark}%')"},
}

const eventsOfBuyer = "(resource_type = 'sale' AND resource_id IN (SELECT id FROM sales WHERE buyer_id = {buyer})" +
	" OR resource_type = 'bill' AND resource_id IN (SELECT id FROM bills WHERE buyer_id = {buyer})" +
	" OR resource_type = 'item' AND resource_id IN (SELECT item_id FROM sales WHERE buyer_id = {buyer})) AND body LIKE '%{mark}%'"

// ofBuyerIn is a condition of ofBuyer for one buyer, and for the rows of one account if that is not 0.
func ofBuyerIn(t *catalogued, condition string, buyer *ent.Buyer, account int64) string {
	condition = strings.NewReplacer("{buyer}", wire.ID(buyer.ID).String(), "{mark}", buyerMark(buyer)).Replace(condition)
	if account == 0 || t.name == "buyers" {
		return condition
	}
	return fmt.Sprintf("%s AND (%s OR %s)", condition, t.ofOwner(core.OwnerOf(account, false)), t.ofOwner(core.OwnerOf(account, true)))
}

// ExportBuyer writes everything that is stored about a buyer as one JSON document, with a list of rows for each table: of all accounts, or
// only what one account has. It fails with ErrNoBuyer if there is no such buyer.
func (s *Privacy) ExportBuyer(ctx context.Context, id wire.ID, account int64, out io.Writer) error {
	buyer, err := buyerOf(ctx, s.Store.Reader(), id)
	if err != nil {
		return err
	}
	if account != 0 {
		if err := s.knowsAccount(ctx, account); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(out, `{"buyer_id":%q,"exported_at":%q`, id, s.Now()); err != nil {
		return err
	}
	for _, of := range ofBuyer {
		t := tableOf(of.table)
		before := fmt.Sprintf(",\n%q:[\n", t.name)
		err := s.eachRow(ctx, t, ofBuyerIn(t, of.condition, buyer, account), func(object []byte) error {
			_, err := io.WriteString(out, before+string(object))
			before = ",\n"
			return err
		})
		if err != nil {
			return err
		}
		end := "]"
		if before != ",\n" { // there were no rows
			end = before + end
		}
		if _, err := io.WriteString(out, end); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, "}\n")
	return err
}

// tableOf is a table of the catalogue.
func tableOf(name string) *catalogued {
	for _, t := range catalogue() {
		if t.name == name {
			return t
		}
	}
	panic("the catalogue has no table " + name)
}
