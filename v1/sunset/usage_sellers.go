package sunset

import (
	"context"
	"slices"

	"sellerd/v1/core"
	"sellerd/v1/wire"
)

// This file tells operators which sellers use the legacy interface, or did until lately, for letters to them.

// LegacySeller is an account with keys that use the legacy interface, or did.
type LegacySeller struct {
	Account    LegacyAccount
	Language   string // en, fr, de, it, es or nl
	Suspended  bool
	State      string    // of the account; its modes count together, as in LegacyAccounts
	LastUsedAt wire.Time // of any call
	// Keys are those that are not done, in the order of modes and keys. Their calls are those that are not done.
	Keys []LegacyLeft
}

// EachLegacySeller yields the sellers in the order of their ids, until the first error.
func (s *Rest) EachLegacySeller(ctx context.Context, yield func(*LegacySeller) error) error {
	var seller *LegacySeller
	last := func() error {
		if seller == nil {
			return nil
		}
		return yield(seller)
	}
	err := s.EachLegacyLeft(ctx, "", func(l *LegacyLeft) error { // in the order of accounts
		if seller == nil || seller.Account.ID != l.Account.ID {
			if err := last(); err != nil {
				return err
			}
			seller = &LegacySeller{
				Account: l.Account, Language: l.language, Suspended: l.status == core.AccountStatusSuspended, State: LegacySilent,
			}
		}
		seller.add(l)
		return nil
	})
	if err != nil {
		return err
	}
	return last()
}

// add adds a key. One that is active makes the account active. One that is done says that the account uses /v1, so that it is done if no key is
// active.
func (seller *LegacySeller) add(l *LegacyLeft) {
	seller.LastUsedAt = max(seller.LastUsedAt, l.LastUsedAt)
	switch {
	case l.State == LegacyActive, l.State == LegacyDone && seller.State == LegacySilent:
		seller.State = l.State
	}
	if l.State == LegacyDone {
		return
	}
	key := *l
	if uses := l.RestShare; uses.Set && uses.V < 1 { // the account uses /v1 beside: an old call has moved there
		key.Calls = slices.DeleteFunc(slices.Clone(l.Calls), func(c LegacyLeftCall) bool { return c.Count == 0 })
	}
	seller.Keys = append(seller.Keys, key)
}
