package privacy

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent/buyer"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file finds buyers by their personal data, and every other place that has the same text.

// FoundBuyers is the result of FindBuyers.
type FoundBuyers struct {
	Buyers []FoundBuyer `json:"buyers"`
	Places []FoundPlace `json:"places" doc:"every column that has the text, by account and mode"`
}

// FoundBuyer is a buyer who has the text in the own data.
type FoundBuyer struct {
	ID          wire.ID             `json:"id"`
	Nickname    string              `json:"nickname"`
	Email       wire.Opt[string]    `json:"email"`
	FirstName   wire.Opt[string]    `json:"first_name"`
	LastName    wire.Opt[string]    `json:"last_name"`
	Country     string              `json:"country"`
	ForgottenAt wire.Opt[wire.Time] `json:"forgotten_at"`
	Accounts    []wire.ID           `json:"accounts" doc:"that sold to the buyer"`
	Rows        map[string]int      `json:"rows" doc:"how many rows of which table are about the buyer"`
}

// FoundPlace is a column in which the text is.
type FoundPlace struct {
	Place   string            `json:"place" doc:"table and column"`
	Account wire.Opt[wire.ID] `json:"account" doc:"null for what belongs to no account"`
	Mode    wire.Opt[string]  `json:"mode"`
	Rows    int               `json:"rows"`
	ID      string            `json:"id" doc:"of one of the rows"`
}

// mostFound is how many buyers a search returns.
const mostFound = 100

// FindBuyers looks for a text in the data of buyers, and in all columns that people write. Letters from A to Z may be large or small. It
// reads whole tables.
func (s *Privacy) FindBuyers(ctx context.Context, text string) (*FoundBuyers, error) {
	out := &FoundBuyers{Buyers: []FoundBuyer{}, Places: []FoundPlace{}}
	var ids []int64
	found := map[string]bool{}
	for _, t := range catalogue() {
		for _, c := range t.columns {
			if !c.typed() {
				continue
			}
			if t.name == buyer.Table {
				more, err := s.buyersWith(ctx, c, text)
				if err != nil {
					return nil, err
				}
				ids = append(ids, more...)
			}
			places, err := s.placesOf(ctx, t, c, text)
			if err != nil {
				return nil, err
			}
			for _, place := range places {
				found[place.Place] = true
			}
			out.Places = append(out.Places, places...)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if len(out.Buyers) == mostFound {
			break
		}
		one, err := s.foundBuyer(ctx, id)
		if err != nil {
			return nil, err
		}
		out.Buyers = append(out.Buyers, one)
	}
	return out, nil
}

// contains is the condition that a column has a text in some spelling, and its arguments: as it is stored alone, or within JSON. Databases
// differ in which letters have a small form.
func contains(column, text string) (condition string, args []any) {
	escaped := strings.TrimSuffix(strings.TrimPrefix(string(wire.AppendString(nil, text)), `"`), `"`)
	for _, spelling := range []string{text, strings.ToLower(text), escaped, strings.ToLower(escaped)} {
		pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(asciiLower(spelling)) + "%"
		if !slices.Contains(args, any(pattern)) {
			args = append(args, pattern)
			condition += fmt.Sprintf(` OR lower(%s) LIKE $%d ESCAPE '\'`, column, len(args))
		}
	}
	return "(" + strings.TrimPrefix(condition, " OR ") + ")", args
}

// asciiLower makes the letters from A to Z small.
func asciiLower(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

func (s *Privacy) buyersWith(ctx context.Context, c column, text string) (ids []int64, err error) {
	condition, args := contains(c.name, text)
	ids, err = rows.Column[int64](ctx, s.Store.Reader(), `SELECT id FROM buyers WHERE `+condition+fmt.Sprintf(` ORDER BY id LIMIT %d`, mostFound), args...)
	return ids, wrap.Err(err, "look for buyers by %s", c.name)
}

// placesOf counts the rows whose column has the text, by their owners.
func (s *Privacy) placesOf(ctx context.Context, t *catalogued, c column, text string) (places []FoundPlace, err error) {
	condition, args := contains(c.name, text)
	of := map[string]string{"owner": t.of, "account": "coalesce(2 * " + t.of + ", 0)"}[t.by] // of no account: what an operator did to another
	if of == "" {
		of = "0"
	}
	query := fmt.Sprintf(`SELECT %s, count(*), CAST(min(id) AS text) FROM %s WHERE %s GROUP BY 1 ORDER BY 1`, of, t.name, condition)
	if t.by == "answer" {
		query = fmt.Sprintf(`SELECT 0, 1, id FROM %s WHERE %s ORDER BY id`, t.name, condition)
	}
	err = rows.Query(ctx, s.Store.Reader(), query, args, func(r *sql.Rows) error {
		var owner int64
		place := FoundPlace{Place: t.name + "." + c.name}
		if err := r.Scan(&owner, &place.Rows, &place.ID); err != nil {
			return err
		}
		if t.by == "answer" {
			owner = int64(core.OwnerOfAnswer(place.ID))
		}
		if owner != 0 {
			of := core.Owner(owner)
			place.Account, place.Mode = wire.Some(wire.ID(of.Account())), wire.Some(of.Mode())
		}
		places = append(places, place)
		return nil
	})
	return places, wrap.Err(err, "look into %s.%s", t.name, c.name)
}

// foundBuyer says what there is about a buyer.
func (s *Privacy) foundBuyer(ctx context.Context, id int64) (out FoundBuyer, err error) {
	row, err := buyerOf(ctx, s.Store.Reader(), wire.ID(id))
	if err != nil {
		return out, err
	}
	out = FoundBuyer{
		ID: wire.ID(id), Nickname: row.Nickname, Email: wire.Maybe(row.Email), FirstName: wire.Maybe(row.FirstName), LastName: wire.Maybe(row.LastName),
		Country: row.Country, ForgottenAt: wire.MaybeTime(row.ForgottenAt), Rows: map[string]int{},
	}
	out.Accounts, err = rows.Column[wire.ID](ctx, s.Store.Reader(), `SELECT DISTINCT owner / 2 FROM bills WHERE buyer_id = $1 ORDER BY 1`, id)
	if err != nil {
		return out, fmt.Errorf("look for sellers of buyer %d: %w", id, err)
	}
	for _, of := range ofBuyer {
		t := tableOf(of.table)
		n, err := rows.Column[int](ctx, s.Store.Reader(), `SELECT count(*) FROM `+t.name+` WHERE `+ofBuyerIn(t, of.condition, row, 0))
		if err != nil {
			return out, fmt.Errorf("count %s of buyer %d: %w", t.name, id, err)
		}
		if n[0] > 0 {
			out.Rows[t.name] = n[0]
		}
	}
	return out, nil
}
