package cause

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/apikey"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Subscription is a webhook, and which events it wants.
type Subscription struct {
	*ent.Webhook
	Names  []string // of events, and patterns
	Filter Filter
}

// Wants says whether the subscription includes an event.
func (s *Subscription) Wants(e *Event) bool { return Matches(s.Names, e.Type) && s.Filter.Wants(e) }

// Matches says whether some names and patterns (item.*, *) include an event.
func Matches(wanted []string, event string) bool {
	family, _, _ := strings.Cut(event, ".")
	return slices.ContainsFunc(wanted, func(name string) bool { return name == event || name == "*" || name == family+".*" })
}

// Subscriptions reads what webhooks want, for some events. The keys that a webhook skips are followed by one statement, if one of the
// events was caused by another key.
func Subscriptions(ctx context.Context, client *ent.Client, webhooks []*ent.Webhook, events iter.Seq[*Event]) ([]Subscription, error) {
	all := make([]Subscription, len(webhooks))
	var skipped []string
	for i, row := range webhooks {
		s := &all[i]
		s.Webhook = row
		err := cmp.Or(readList(&row.Events, &s.Names), readList(row.SkipKeyIds, &s.Filter.SkipKeys), readList(row.Changed, &s.Filter.Changed))
		if err != nil {
			return nil, fmt.Errorf("webhook %d: %w", row.ID, err)
		}
		for e := range events {
			if len(s.Filter.SkipKeys) > 0 && e.KeyID != "" && !slices.Contains(s.Filter.SkipKeys, e.KeyID) {
				skipped = append(skipped, s.Filter.SkipKeys...)
				break
			}
		}
	}
	if len(skipped) == 0 {
		return all, nil
	}
	slices.Sort(skipped)
	found, err := Line(ctx, client, slices.Compact(skipped))
	for i := range all {
		all[i].Filter.follow(found)
	}
	return all, err
}

func readList(stored *string, to *[]string) (err error) {
	if stored != nil {
		*to, err = wire.Raw[[]string]{Text: *stored}.Value()
	}
	return err
}

// follow adds the keys that followed those of the filter.
func (f *Filter) follow(found []Key) {
	own := f.SkipKeys
	for _, k := range found {
		if k.ID != k.First && slices.Contains(own, k.First) {
			f.SkipKeys = append(f.SkipKeys, k.ID)
		}
	}
}

// Key is a key that followed another by rotation, or that other key itself.
type Key struct {
	First   string // the id of the key that was rotated first
	ID      string
	Account int64
	Test    bool
}

// line follows keys by rotation. A key has one successor, and none is its own. Each key is found by the order of the ids, which the
// primary key alone has: a plan that was made for few keys would read all of them.
var line = rows.NewSet(rows.Text(`SELECT first, id, (SELECT {account} {found}), (SELECT {test} {found}) FROM (
 WITH RECURSIVE line(first, id) AS (
 SELECT given.id, given.id FROM given WHERE given.id IS NOT NULL
 UNION SELECT first, (SELECT {successor} {found}) FROM line WHERE line.id IS NOT NULL
 ) SELECT first, id FROM line WHERE id IS NOT NULL) AS line`,
	"found", "FROM "+apikey.Table+" k WHERE k."+apikey.FieldID+" >= line.id AND k."+apikey.FieldID+" <= line.id ORDER BY k."+apikey.FieldID+" LIMIT 1",
	"account", apikey.FieldAccountID, "test", apikey.FieldTest, "successor", apikey.FieldSuccessorID,
), "id text")

// Line finds keys by their ids, and those that followed them by rotation.
func Line(ctx context.Context, client *ent.Client, ids []string) (found []Key, err error) {
	given := each.Of(ids, func(id string) any { return id })
	err = line.Query(ctx, client, given, func(row *sql.Rows) error {
		var k Key
		var account sql.Null[int64] // of no key if there is none with this id
		var test sql.Null[bool]
		err := row.Scan(&k.First, &k.ID, &account, &test)
		if account.Valid {
			k.Account, k.Test = account.V, test.V
			found = append(found, k)
		}
		return err
	})
	return found, wrap.Err(err, "follow keys")
}
