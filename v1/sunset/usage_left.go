package sunset

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/apikey"
	"sellerd/ent/legacyusage"
	"sellerd/ent/legacyuse"
	"sellerd/ent/successorusage"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file tells operators which keys use the legacy interface, or did until lately.

// LegacyLeft is a key that uses the legacy interface, or did, with the calls that it makes.
type LegacyLeft struct {
	Account     LegacyAccount     `json:"account"`
	Key         LegacyAccountKey  `json:"key"`
	Calls       []LegacyLeftCall  `json:"calls"`
	FirstUsedAt wire.Time         `json:"first_used_at" doc:"of any call"`
	LastUsedAt  wire.Time         `json:"last_used_at" doc:"of any call"`
	Count       int64             `json:"count" doc:"calls today and in the 30 days before"`
	RestShare   wire.Opt[float64] `json:"rest_share" doc:"from 0 to 1: the part of the account's requests in the key's mode, today and in the 30 days before, that went to /rest; null without a request"`
	State       string            `json:"state" doc:"active, silent or done"`

	row   int64 // of the entry; it orders the entries
	owner int64
}

// LegacyAccount is the account of such a key.
type LegacyAccount struct {
	ID       wire.ID `json:"id"`
	Nickname string  `json:"nickname"`
	Email    string  `json:"email"`
}

// LegacyAccountKey is what can be shown of such a key.
type LegacyAccountKey struct {
	ID     string           `json:"id"`
	Prefix string           `json:"prefix" doc:"of an imported key: legacy_ and its fingerprint"`
	Name   wire.Opt[string] `json:"name" doc:"null without one"`
	Mode   string           `json:"mode" doc:"live or test"`
}

// LegacyLeftCall is one call by such a key.
type LegacyLeftCall struct {
	Call        string    `json:"call" doc:"its id in the migration guide"`
	Count       int64     `json:"count" doc:"today and in the 30 days before"`
	FirstUsedAt wire.Time `json:"first_used_at"`
	LastUsedAt  wire.Time `json:"last_used_at"`
	LossyFields []string  `json:"lossy_fields" doc:"fields used that /v1 does not take over as they are, at most 50"`
}

// Row is a number by which the entries are ordered, and that an entry keeps.
func (l *LegacyLeft) Row() int64 { return l.row }

// leftQuery reads a page of keys with their states, in the order in which they first called. $1 is the instant after which a
// use is recent, $2 the entry before the page, $3 the wanted state or nothing. It is by hand, because builders have no
// conditions on what is grouped.
const leftQuery = `SELECT id, owner, key_id, first_used_at, last_used_at, state FROM (
 SELECT id, owner, key_id, first_used_at, last_used_at, CASE WHEN last_used_at > $1 THEN '` + LegacyActive + `'
  WHEN EXISTS (SELECT 1 FROM ` + successorusage.Table + ` s WHERE s.` + successorusage.FieldOwner + ` = uses.owner AND s.` + successorusage.FieldLastUsedAt + ` > $1) THEN '` + LegacyDone + `'
  ELSE '` + LegacySilent + `' END AS state
 FROM (SELECT MIN(` + legacyuse.FieldID + `) AS id, ` + legacyuse.FieldOwner + ` AS owner, ` + legacyuse.FieldKeyID + ` AS key_id,
  MIN(` + legacyuse.FieldFirstUsedAt + `) AS first_used_at, MAX(` + legacyuse.FieldLastUsedAt + `) AS last_used_at
  FROM ` + legacyuse.Table + ` GROUP BY ` + legacyuse.FieldOwner + `, ` + legacyuse.FieldKeyID + `) AS uses
 ) AS entries WHERE id > $2 AND CAST($3 AS text) IN ('', state) ORDER BY id LIMIT $4`

// Left reads the keys after one, at most limit, with a state, or with any for an empty one.
func (u *Usage) Left(ctx context.Context, state string, after int64, limit int) ([]LegacyLeft, error) {
	client := u.config.Store.Reader()
	left := []LegacyLeft{}
	err := rows.Query(ctx, client, leftQuery, []any{int64(u.recent()), after, state, limit}, func(result *sql.Rows) error {
		l := LegacyLeft{Calls: []LegacyLeftCall{}}
		if err := result.Scan(&l.row, &l.owner, &l.Key.ID, &l.FirstUsedAt, &l.LastUsedAt, &l.State); err != nil {
			return err
		}
		number, mode := u.config.AccountOf(l.owner)
		l.Account.ID, l.Key.Mode, l.Key.Prefix = wire.ID(number), mode, u.prefix(l.owner, l.Key.ID)
		left = append(left, l)
		return nil
	})
	if err == nil && len(left) > 0 {
		err = u.complete(ctx, client, left)
	}
	if err != nil {
		return nil, fmt.Errorf("load what is left of the legacy interface: %w", err)
	}
	return left, nil
}

// complete adds the calls, the accounts and the keys to entries.
func (u *Usage) complete(ctx context.Context, client *ent.Client, left []LegacyLeft) error {
	var owners, accounts []int64
	var keys []string
	type entry struct {
		owner int64
		key   string
	}
	entries := map[entry]*LegacyLeft{}
	for i := range left {
		l := &left[i]
		owners, accounts, keys = append(owners, l.owner), append(accounts, int64(l.Account.ID)), append(keys, l.Key.ID)
		entries[entry{l.owner, l.Key.ID}] = l
		if IsKeyID(l.Key.ID) {
			l.Key.Name = wire.Some(KeyName)
		}
	}
	counts, rest, err := u.callCounts(ctx, client, owners)
	if err != nil {
		return err
	}
	requests, err := u.requestCounts(ctx, client, owners)
	if err != nil {
		return err
	}
	uses, err := client.LegacyUse.Query().Where(legacyuse.OwnerIn(owners...), legacyuse.KeyIDIn(keys...)).Order(ent.Asc(legacyuse.FieldCall)).All(ctx)
	if err != nil {
		return err
	}
	for _, use := range uses {
		l := entries[entry{use.Owner, use.KeyID}]
		if l == nil {
			continue
		}
		lossy, err := lossyOf(use.LossyFields)
		if err != nil {
			return err
		}
		count := counts[useRow{use.Owner, use.KeyID, use.Call}]
		l.Count += count
		l.Calls = append(l.Calls, LegacyLeftCall{use.Call, count, wire.Time(use.FirstUsedAt), wire.Time(use.LastUsedAt), append([]string{}, lossy...)})
	}
	names := map[int64]*ent.Account{}
	sellers, err := client.Account.Query().Where(account.IDIn(accounts...)).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range sellers {
		names[row.ID] = row
	}
	named, err := client.APIKey.Query().Where(apikey.IDIn(keys...), apikey.NameNEQ("")).All(ctx)
	if err != nil {
		return err
	}
	keyNames := map[string]string{}
	for _, row := range named {
		keyNames[row.ID] = row.Name
	}
	for i := range left {
		l := &left[i]
		if row := names[int64(l.Account.ID)]; row != nil {
			l.Account.Nickname, l.Account.Email = row.Nickname, row.Email
		}
		if name := keyNames[l.Key.ID]; name != "" {
			l.Key.Name = wire.Some(name)
		}
		if all := rest[l.owner] + requests[l.owner]; all > 0 {
			l.RestShare = wire.Some(math.Round(float64(rest[l.owner])/float64(all)*10_000) / 10_000)
		}
	}
	return nil
}

// callCounts are the calls of the days that are kept, by use and by owner.
func (u *Usage) callCounts(ctx context.Context, client *ent.Client, owners []int64) (counts map[useRow]int64, rest map[int64]int64, err error) {
	var sums []struct {
		Owner int64  `json:"owner"`
		KeyID string `json:"key_id"`
		Call  string `json:"call"`
		Sum   int64  `json:"sum"`
	}
	err = client.LegacyUsage.Query().Where(legacyusage.OwnerIn(owners...), legacyusage.DayGTE(u.oldestDay())).
		GroupBy(legacyusage.FieldOwner, legacyusage.FieldKeyID, legacyusage.FieldCall).Aggregate(ent.Sum(legacyusage.FieldCount)).Scan(ctx, &sums)
	counts, rest = map[useRow]int64{}, map[int64]int64{}
	for _, sum := range sums {
		counts[useRow{sum.Owner, sum.KeyID, sum.Call}] = sum.Sum
		rest[sum.Owner] += sum.Sum
	}
	return counts, rest, err
}

// requestCounts are the requests to /v1 of the days that are kept, by owner.
func (u *Usage) requestCounts(ctx context.Context, client *ent.Client, owners []int64) (map[int64]int64, error) {
	var sums []struct {
		Owner int64 `json:"owner"`
		Sum   int64 `json:"sum"`
	}
	err := client.SuccessorUsage.Query().Where(successorusage.OwnerIn(owners...), successorusage.DayGTE(u.oldestDay())).
		GroupBy(successorusage.FieldOwner).Aggregate(ent.Sum(successorusage.FieldCount)).Scan(ctx, &sums)
	requests := map[int64]int64{}
	for _, sum := range sums {
		requests[sum.Owner] = sum.Sum
	}
	return requests, err
}

// accountsQuery reads the last uses of each owner, of the legacy interface and of /v1. It is by hand, because builders have no
// column that is a query.
const accountsQuery = `SELECT u.` + legacyuse.FieldOwner + `, MAX(u.` + legacyuse.FieldLastUsedAt + `),
 COALESCE((SELECT MAX(s.` + successorusage.FieldLastUsedAt + `) FROM ` + successorusage.Table + ` s WHERE s.` + successorusage.FieldOwner + ` = u.` + legacyuse.FieldOwner + `), 0)
 FROM ` + legacyuse.Table + ` u GROUP BY u.` + legacyuse.FieldOwner

// Accounts are how many accounts there are in each state. The modes of an account count together.
func (u *Usage) Accounts(ctx context.Context) (map[string]int, error) {
	type lastUses struct{ last, moved wire.Time }
	accounts := map[int64]lastUses{}
	err := rows.Query(ctx, u.config.Store.Reader(), accountsQuery, nil, func(result *sql.Rows) error {
		var owner int64
		var in lastUses
		if err := result.Scan(&owner, &in.last, &in.moved); err != nil {
			return err
		}
		number, _ := u.config.AccountOf(owner)
		known := accounts[number]
		accounts[number] = lastUses{max(known.last, in.last), max(known.moved, in.moved)}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count accounts of the legacy interface: %w", err)
	}
	states := map[string]int{}
	for _, state := range LegacyStates {
		states[state] = 0
	}
	for _, in := range accounts {
		states[u.state(in.last, in.moved)]++
	}
	return states, nil
}
