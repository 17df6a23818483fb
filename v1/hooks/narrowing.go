package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sellerd/v1/apikey"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file is about what subscriptions and readers of the feed do not want: the changes of some keys, and changes of other members of
// items than some. Package cause compares events with it.

// checkNarrowing adds the problems of a subscription's lists, and leaves each entry once.
func (s *Webhooks) checkNarrowing(ctx context.Context, c *core.Call, skip, changed *wire.Opt[[]string]) error {
	checkMembers(changed.V, &c.Problems)
	changed.V = items.Distinct(changed.V)
	if len(skip.V) == 0 || len(skip.V) > maxSkippedKeys {
		return nil
	}
	own, err := s.followKeys(ctx, c, skip.V)
	for i, id := range skip.V {
		if own[id] == nil {
			c.Problems.Add(refusal.UnknownKey, fmt.Sprintf("skip_key_ids[%d]", i), notAKeyID)
		}
	}
	skip.V = items.Distinct(skip.V)
	return err
}

// maxSkippedKeys is the limit in the tags of skip_key_ids: a longer list is not looked up.
const maxSkippedKeys = 10

// checkMembers adds a problem for each name that no member of an item has.
func checkMembers(names []string, problems *refusal.Problems) {
	known := items.Members()
	for i, name := range names {
		if !slices.Contains(known, name) {
			problems.Add(refusal.UnknownField, fmt.Sprintf("changed[%d]", i), "An item has no member %s.", wire.Printable(name))
		}
	}
}

// notAKeyID does not repeat what was sent, which may be a whole key.
const notAKeyID = "No key of this account and mode has this id. The id is the part of a key between its second and its third underscore."

// followKeys finds those of some keys that are of the caller's account and mode, each with the ids of the keys that followed it by
// rotation, its own first.
func (s *Webhooks) followKeys(ctx context.Context, c *core.Call, ids []string) (map[string][]string, error) {
	own := make(map[string][]string, len(ids))
	client := s.Store.Reader()
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return new(apikey.KeyID).UnmarshalText([]byte(id)) != nil })
	found, err := cause.Line(ctx, client, ids)
	if err != nil {
		return nil, err
	}
	for _, k := range found {
		if k.Account == c.AccountID && k.Test == c.Test {
			own[k.First] = append(own[k.First], k.ID)
		}
	}
	for _, id := range ids { // keys of the earlier interface are kept elsewhere, and are not rotated
		if own[id] != nil {
			continue
		}
		if key, err := s.FindKey(ctx, client, id, s.Now()); err == nil && int64(key.AccountID) == c.AccountID && key.Mode == core.ModeName(c.Test) {
			own[id] = []string{id}
		} else if err != nil && !errors.Is(err, core.ErrNoKey) {
			return nil, err
		}
	}
	return own, nil
}

// listToStore is a list as a column has it.
func listToStore(list wire.Opt[[]string]) *string {
	if !list.Set {
		return nil
	}
	return new(wire.RawOf(list.V).Text)
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
