// Package overview reads what operators want to see of accounts: which accounts there are, how many bills an account has in which
// state, why its webhooks fail, and why submissions wait. It only reads, and knows none of the rules.
package overview

import (
	"context"
	"fmt"
	"strings"

	"entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/bill"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
)

// Filter selects accounts. An empty member selects all. Letters from A to Z may be large or small; not every database knows which
// others belong together.
type Filter struct {
	Nickname, Email string // whole
	Status          string // as it is stored, or Closed
}

// Closed is the status by which closed accounts are found. As it is stored they are suspended.
const Closed = "closed"

// Accounts returns the accounts behind one, in the order of their numbers, at most limit.
func Accounts(ctx context.Context, client *ent.Client, filter Filter, after int64, limit int) ([]*ent.Account, error) {
	query := client.Account.Query().Where(account.IDGT(after)).Order(ent.Asc(account.FieldID)).Limit(limit)
	for column, wanted := range map[string]string{account.FieldNickname: filter.Nickname, account.FieldEmail: filter.Email} {
		if wanted := strings.TrimSpace(wanted); wanted != "" { // no name and no address has blanks around it, but pasted ones do
			query.Where(func(s *sql.Selector) {
				s.Where(sql.Or(sql.EQ(s.C(column), wanted), sql.EQ(sql.Lower(s.C(column)), strings.ToLower(wanted))))
			})
		}
	}
	switch filter.Status {
	case "":
	case Closed:
		query.Where(account.ClosedAtNotNil())
	default:
		query.Where(account.Status(filter.Status), account.ClosedAtIsNil())
	}
	found, err := query.All(ctx)
	return found, wrap.Err(err, "list accounts")
}

// Bills returns how many bills an owner has in each state.
func Bills(ctx context.Context, client *ent.Client, owner int64) (map[string]int, error) {
	type count struct {
		Status string
		Count  int
	}
	var counts []count
	err := client.Bill.Query().Where(bill.Owner(owner)).GroupBy(bill.FieldStatus).Aggregate(ent.Count()).Scan(ctx, &counts)
	if err != nil {
		return nil, fmt.Errorf("count bills: %w", err)
	}
	return each.Keyed(counts, func(c count) (string, int) { return c.Status, c.Count }), nil
}
