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
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
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
	RestShare   wire.Opt[float64] `json:"rest_share" doc:"from 0 to 1: the part of the account's requests in the key's mode, from rest_share_since on, that went to /rest; null without a request"`
	ShareSince  wire.Opt[string]  `json:"rest_share_since" doc:"date in UTC of the first request that rest_share counts: at most 30 days ago, and not before the release that counts requests to /v1; null without a request"`
	State       string            `json:"state" enum:"active silent done" doc:"active: a call in the last 30 days; else done if the account uses /v1, and silent if not"`

	owner            int64
	language, status string // of the account
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
	Mode   string           `json:"mode" enum:"live test"`
}

// LegacyLeftCall is one call by such a key.
type LegacyLeftCall struct {
	Call        string    `json:"call" doc:"its id in the migration guide"`
	Count       int64     `json:"count" doc:"today and in the 30 days before"`
	FirstUsedAt wire.Time `json:"first_used_at"`
	LastUsedAt  wire.Time `json:"last_used_at"`
	LossyFields []string  `json:"lossy_fields" doc:"fields used that /v1 does not take over as they are, at most 50"`
}

// LeftMark is a place in the list of keys, which is in the order of accounts, modes and keys: behind a key of an owner, one of
// whose uses it names. The zero value is the beginning.
type LeftMark struct{ Owner, Use int64 }

// Keys are read in steps. A page of keys in any state takes one, of the smallest size that has room for it. One of keys in a
// certain state takes several of the largest size, until it is full or has taken the most steps: then it is shorter than it
// could be.
var leftSteps = []int{64, 256, 1024}

const mostLeftSteps = 8

// leftText reads the next keys, as many as %d, in the order of the index of uses. $1 is the instant after which a use is recent, $2 and
// $3 are the key before. The last use of /v1 is only looked up where it matters. It is by hand, because builders have no conditions on
// what is grouped. The sizes are literals: else PostgreSQL makes a plan for a tenth of all keys.
var leftText = rows.Text(`SELECT owner, key_id, use, first_used_at, last_used_at, CASE WHEN last_used_at > $1 THEN 0
  ELSE COALESCE((SELECT MAX(s.{successor_used_at}) FROM {successors} s WHERE s.{successor_owner} = uses.owner), 0) END
 FROM (SELECT {owner} AS owner, {key} AS key_id, MAX({id}) AS use,
  MIN({first}) AS first_used_at, MAX({last}) AS last_used_at
  FROM {uses} WHERE ({owner}, {key}) > ($2, $3)
  GROUP BY {owner}, {key} ORDER BY {owner}, {key} LIMIT %d) AS uses
 ORDER BY owner, key_id`,
	"uses", legacyuse.Table, "id", legacyuse.FieldID, "owner", legacyuse.FieldOwner, "key", legacyuse.FieldKeyID,
	"first", legacyuse.FieldFirstUsedAt, "last", legacyuse.FieldLastUsedAt,
	"successors", successorusage.Table, "successor_owner", successorusage.FieldOwner, "successor_used_at", successorusage.FieldLastUsedAt)

func leftQuery(size int) string { return fmt.Sprintf(leftText, size) }

// leftKey is a key before it is an entry.
type leftKey struct {
	mark        LeftMark
	key         string
	first, last wire.Time
	state       string
}

// readLeft reads the keys behind one of an owner.
func (u *Usage) readLeft(ctx context.Context, client *ent.Client, owner int64, key string, size int) (keys []leftKey, err error) {
	err = rows.Query(ctx, client, leftQuery(size), []any{int64(u.recent()), owner, key}, func(result *sql.Rows) error {
		var k leftKey
		var moved wire.Time
		err := result.Scan(&k.mark.Owner, &k.key, &k.mark.Use, &k.first, &k.last, &moved)
		k.state = u.state(k.last, moved)
		keys = append(keys, k)
		return err
	})
	return keys, err
}

// Left reads the keys behind a mark, at most limit, with a state, or with any for an empty one. The mark it returns is that of the
// last key that was looked at, and not set at the end of the list. A page of a state that few keys have may be short, or
// empty, before the end.
func (u *Usage) Left(ctx context.Context, state string, after LeftMark, limit int) (left []LegacyLeft, next wire.Opt[LeftMark], err error) {
	client := u.config.Store.Reader()
	if left, next, err = u.walkLeft(ctx, client, state, after, limit); err == nil && len(left) > 0 {
		err = u.complete(ctx, client, left)
	}
	return left, next, wrap.Err(err, "load what is left of the legacy interface")
}

func (u *Usage) walkLeft(ctx context.Context, client *ent.Client, state string, after LeftMark, limit int) (left []LegacyLeft,
	next wire.Opt[LeftMark], err error,
) {
	key := ""
	if after.Use != 0 {
		use, err := client.LegacyUse.Get(ctx, int(after.Use))
		if err != nil && !ent.IsNotFound(err) {
			return nil, next, err
		}
		if use != nil {
			key = use.KeyID
		} // else it is deleted for its age, as all are soon
	}
	left, owner := []LegacyLeft{}, after.Owner
	for range mostLeftSteps {
		size := leftSteps[len(leftSteps)-1]
		for i := len(leftSteps) - 1; state == "" && i >= 0 && leftSteps[i] > limit; i-- {
			size = leftSteps[i]
		}
		keys, err := u.readLeft(ctx, client, owner, key, size)
		if err != nil {
			return nil, next, err
		}
		for i := range keys {
			k := &keys[i]
			wanted := state == "" || k.state == state
			if wanted && len(left) == limit {
				return left, next, nil
			}
			if wanted {
				left = append(left, u.leftFrom(k))
			}
			next, owner, key = wire.Some(k.mark), k.mark.Owner, k.key
		}
		if len(keys) < size {
			return left, wire.Opt[LeftMark]{}, nil
		}
	}
	return left, next, nil
}

func (u *Usage) leftFrom(k *leftKey) LegacyLeft {
	owner := core.Owner(k.mark.Owner)
	return LegacyLeft{
		Account: LegacyAccount{ID: wire.ID(owner.Account())}, Key: LegacyAccountKey{ID: k.key, Mode: owner.Mode(), Prefix: u.prefix(k.mark.Owner, k.key)},
		Calls: []LegacyLeftCall{}, FirstUsedAt: k.first, LastUsedAt: k.last, State: k.state, owner: k.mark.Owner,
	}
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
	counts, err := u.callCounts(ctx, client, owners)
	if err != nil {
		return err
	}
	requests, err := u.trafficOf(ctx, client, owners)
	if err != nil {
		return err
	}
	uses, err := client.LegacyUse.Query().Where(legacyuse.OwnerIn(owners...), legacyuse.KeyIDIn(keys...)).Order(ent.Asc(legacyuse.FieldCall)).
		All(ctx)
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
		l.Calls = append(l.Calls, LegacyLeftCall{
			use.Call, count, wire.Time(use.FirstUsedAt), wire.Time(use.LastUsedAt),
			append([]string{}, lossy...),
		})
	}
	sellers, err := client.Account.Query().Where(account.IDIn(accounts...)).All(ctx)
	if err != nil {
		return err
	}
	accountOf := each.Keyed(sellers, func(row *ent.Account) (int64, *ent.Account) { return row.ID, row })
	named, err := client.APIKey.Query().Where(apikey.IDIn(keys...), apikey.NameNEQ("")).All(ctx)
	if err != nil {
		return err
	}
	keyNames := each.Keyed(named, func(row *ent.APIKey) (string, string) { return row.ID, row.Name })
	for i := range left {
		l := &left[i]
		if row := accountOf[int64(l.Account.ID)]; row != nil {
			l.Account.Nickname, l.Account.Email, l.language, l.status = row.Nickname, row.Email, row.Language, row.Status
		}
		if name := keyNames[l.Key.ID]; name != "" {
			l.Key.Name = wire.Some(name)
		}
		if of := requests[l.owner]; of.all > 0 {
			l.RestShare = wire.Some(math.Round(float64(of.rest)/float64(of.all)*10_000) / 10_000)
			l.ShareSince = wire.Some(dateOf(of.since))
		}
	}
	return nil
}

// callCounts are the calls of the days that are kept, by use.
func (u *Usage) callCounts(ctx context.Context, client *ent.Client, owners []int64) (map[useRow]int64, error) {
	type sum struct {
		Owner int64  `json:"owner"`
		KeyID string `json:"key_id"`
		Call  string `json:"call"`
		Sum   int64  `json:"sum"`
	}
	var sums []sum
	err := client.LegacyUsage.Query().Where(legacyusage.OwnerIn(owners...), legacyusage.DayGTE(u.oldestDay())).
		GroupBy(legacyusage.FieldOwner, legacyusage.FieldKeyID, legacyusage.FieldCall).Aggregate(ent.Sum(legacyusage.FieldCount)).Scan(ctx, &sums)
	return each.Keyed(sums, func(s sum) (useRow, int64) { return useRow{s.Owner, s.KeyID, s.Call}, s.Sum }), err
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
		account := core.Owner(owner).Account()
		known := accounts[account]
		accounts[account] = lastUses{max(known.last, in.last), max(known.moved, in.moved)}
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
