package privacy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/internal/base/crash"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file forgets buyers: their personal data, not their purchases. Ids, language, country, amounts and ratings stay, for
// bookkeeping. Free text (reasons, comments, notes) stays as well, because a program cannot know whom it is about.
// copies.go has the part about events and answers.

// The errors of ForgetBuyer. They are for operators and not codes of /v1.
var (
	ErrNoBuyer     = errors.New("there is no such buyer")
	ErrBuyerNeeded = errors.New("a seller still needs to know the buyer")
	ErrNotErased   = errors.New("the data are erased, but old versions of them are still on the disk")
)

// openWithBids is the condition of the partial index that finds a bidder's auctions.
const openWithBids = "status = 'open' AND high_bidder_id IS NOT NULL"

// ForgottenBuyer is the result of ForgetBuyer.
type ForgottenBuyer struct {
	ID          wire.ID   `json:"id"`
	Nickname    string    `json:"nickname" doc:"what stands in the place of the buyer's own"`
	ForgottenAt wire.Time `json:"forgotten_at"`
	Bills       int       `json:"bills" doc:"changed by this run, like the numbers below"`
	Sales       int       `json:"sales"`
	Events      int       `json:"events" doc:"of the outbox"`
	Responses   int       `json:"responses" doc:"of receivers to those events, emptied"`
	UnderWay    int       `json:"under_way" doc:"attempts to send those events, whose responses will not be kept"`
	Answers     int       `json:"answers" doc:"stored for an Idempotency-Key"`
}

// ForgetBuyer erases a buyer's personal data: in the buyer's row, the addresses of sales and bills, the outbox, the
// receivers' answers to its events, and the stored answers. It fails with ErrBuyerNeeded while a bill is neither sent nor
// cancelled, or the buyer leads an auction. After ErrNotErased there is a result, too.
//
// The buyer's own row comes first, so that there are no purchases under this name meanwhile and no list shows the old name
// beside a new updated_at. Each chunk of a seller's bills is a transaction of its own; the next run completes an
// interrupted one.
func (s *Privacy) ForgetBuyer(ctx context.Context, id wire.ID) (*ForgottenBuyer, error) {
	out, err := s.forget(ctx, id, true)
	if err != nil {
		return nil, err
	}
	if err := s.Store.Erase(ctx, true); err != nil {
		return out, fmt.Errorf("%w: %w", ErrNotErased, err)
	}
	return out, nil
}

// forget is ForgetBuyer for all that is in tables. unmarked says that there may be answers that do not name whom they show.
func (s *Privacy) forget(ctx context.Context, id wire.ID, unmarked bool) (*ForgottenBuyer, error) {
	buyer, err := s.EraseBuyer(ctx, id)
	if err != nil {
		return nil, err
	}
	crash.At(crash.AfterErase)
	out := &ForgottenBuyer{ID: id, Nickname: buyer.Nickname, ForgottenAt: wire.Time(*buyer.ForgottenAt)}
	sellers, err := s.Store.Reader().Bill.Query().Where(bill.BuyerID(buyer.ID)).GroupBy(bill.FieldOwner).Ints(ctx)
	if err != nil {
		return nil, fmt.Errorf("find sellers of buyer %d: %w", id, err)
	}
	for _, seller := range sellers {
		for after := int64(0); ; {
			chunk, err := s.forgetBills(ctx, core.Owner(seller), buyer, after)
			if err != nil {
				return nil, err
			}
			if after = chunk.last; after == 0 {
				break
			}
			events, err := s.forgetInEvents(ctx, core.Owner(seller), buyer, chunk.mentioned)
			if err != nil {
				return nil, err
			}
			responses, err := s.forgetInResponses(ctx, core.Owner(seller), buyer, chunk.mentioned)
			if err != nil {
				return nil, err
			}
			out.Bills, out.Sales, out.Events = out.Bills+chunk.bills, out.Sales+chunk.sales, out.Events+events
			out.Responses, out.UnderWay = out.Responses+responses.Emptied, out.UnderWay+responses.UnderWay
			crash.At(crash.MidForgetBuyer)
		}
	}
	if out.Answers, err = s.forgetAnswers(ctx, buyer, unmarked); err != nil {
		return nil, err
	}
	return out, nil
}

// buyerOf loads a buyer. It fails with ErrNoBuyer if there is none.
func buyerOf(ctx context.Context, client *ent.Client, id wire.ID) (*ent.Buyer, error) {
	row, err := client.Buyer.Get(ctx, int64(id))
	return row, core.Missing(err, ErrNoBuyer, "load buyer %d", id)
}

// EraseBuyer empties the buyer's row, unless a seller needs it.
func (s *Privacy) EraseBuyer(ctx context.Context, id wire.ID) (row *ent.Buyer, err error) {
	if err := s.IDs.Prepare(ctx); err != nil {
		return nil, err
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := int64(s.Now())
		known, err := buyerOf(ctx, tx, id)
		if err != nil {
			return err
		}
		update := tx.Buyer.UpdateOne(known).SetNickname(trade.ForgottenPrefix + id.String()).ClearEmail().ClearFirstName().ClearLastName().
			ClearPhone().SetAddress("")
		if known.ForgottenAt == nil {
			update.SetForgottenAt(now).SetUpdatedAt(now)
		}
		if row, err = update.Save(ctx); err != nil {
			return fmt.Errorf("erase buyer %d: %w", id, err)
		}
		// From here on there are no new bids or purchases under this name, so the checks below see all of them.
		leads, err := tx.Item.Query().Where(item.HighBidderID(row.ID), func(s *entsql.Selector) { s.Where(entsql.ExprP(openWithBids)) }).
			Order(ent.Asc(item.FieldID)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("look for auctions of buyer %d: %w", id, err)
		}
		if len(leads) > 0 {
			return fmt.Errorf("%w, who is the highest bidder for the open items %s", ErrBuyerNeeded, joinIDs(leads))
		}
		unsent, err := tx.Bill.Query().Where(bill.BuyerID(row.ID), bill.StatusNotIn(items.BillSent, items.BillIsCancelled)).
			Order(ent.Asc(bill.FieldID)).IDs(ctx)
		if err != nil {
			return fmt.Errorf("look for bills of buyer %d: %w", id, err)
		}
		if len(unsent) > 0 {
			return fmt.Errorf("%w, since these bills are neither sent nor cancelled: %s", ErrBuyerNeeded, joinIDs(unsent))
		}
		return s.Audit(ctx, tx, core.Audited{Target: id.String(), After: &auditedBuyer{wire.Time(*row.ForgottenAt)}})
	})
	return row, err
}

// auditedBuyer is what the audit log has of a buyer who is forgotten.
type auditedBuyer struct {
	ForgottenAt wire.Time `json:"forgotten_at"`
}

func joinIDs(ids []int64) string {
	const most = 20
	texts := make([]string, 0, most+1)
	for i, id := range ids {
		if i == most {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, wire.ID(id).String())
	}
	return strings.Join(texts, ", ")
}

// forgetChunk bounds one transaction, in bills.
const forgetChunk = 50

// forgottenBills is the result of a chunk: how much was changed, and its last bill, 0 if there was none.
type forgottenBills struct {
	last         int64
	bills, sales int
	mentioned    map[string][]int64 // objects whose events may have data of the buyer, by type
}

// forgetBills reduces the addresses on the next bills of a buyer from one seller, and on their sales, to the country, and
// advances their updated_at, because their buyer has changed.
func (s *Privacy) forgetBills(ctx context.Context, seller core.Owner, buyer *ent.Buyer, after int64) (out forgottenBills, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		out = forgottenBills{}
		tx, err := s.Begin(ctx, client, seller, 0, core.Entry{})
		if err != nil {
			return err
		}
		bills, err := tx.Bill.Query().Where(bill.Owner(int64(seller)), bill.BuyerID(buyer.ID), bill.IDGT(after)).
			Order(ent.Asc(bill.FieldID)).Limit(forgetChunk).All(ctx)
		if err != nil {
			return fmt.Errorf("load bills of buyer %d: %w", buyer.ID, err)
		}
		if len(bills) == 0 {
			return nil
		}
		mentioned := map[string][]int64{}
		out.mentioned = mentioned
		for _, row := range bills {
			mentioned["bill"] = append(mentioned["bill"], row.ID)
			address, changed, err := forgottenAddress(row.ShippingAddress)
			if err != nil {
				return fmt.Errorf("address of bill %d: %w", row.ID, err)
			}
			if !changed && row.ForgottenAt != nil && row.UpdatedAt >= *buyer.ForgottenAt { // done by an earlier run
				continue
			}
			if err := tx.Bill.UpdateOne(row).SetShippingAddress(address).SetForgottenAt(*buyer.ForgottenAt).SetUpdatedAt(int64(tx.Now)).Exec(ctx); err != nil {
				return fmt.Errorf("forget the buyer of bill %d: %w", row.ID, err)
			}
			out.bills++
		}
		out.last = bills[len(bills)-1].ID
		sales, err := tx.Sale.Query().Where(sale.Owner(int64(seller)), sale.BillIDIn(mentioned["bill"]...)).All(ctx)
		if err != nil {
			return fmt.Errorf("load sales of buyer %d: %w", buyer.ID, err)
		}
		for _, row := range sales {
			mentioned["sale"] = append(mentioned["sale"], row.ID)
			mentioned["item"] = append(mentioned["item"], row.ItemID)
			address, changed, err := forgottenAddress(row.ShippingAddress)
			if err != nil {
				return fmt.Errorf("address of sale %d: %w", row.ID, err)
			}
			if !changed && row.ForgottenAt != nil && row.UpdatedAt >= *buyer.ForgottenAt { // done by an earlier run
				continue
			}
			if err := tx.Sale.UpdateOne(row).SetShippingAddress(address).SetForgottenAt(*buyer.ForgottenAt).SetUpdatedAt(int64(tx.Now)).Exec(ctx); err != nil {
				return fmt.Errorf("forget the buyer of sale %d: %w", row.ID, err)
			}
			out.sales++
		}
		return nil
	})
	return out, err
}

// forgottenAddress is an address with only its country.
func forgottenAddress(text string) (reduced string, changed bool, err error) {
	address, err := wire.Raw[trade.Address]{Text: text}.Value()
	if err != nil {
		return "", false, err
	}
	reduced = wire.RawOf(trade.Address{Country: address.Country}).Text
	return reduced, reduced != text, nil
}
