package v1

import "context"

// Accounts are the operations of accounts, keys, shipping models and the lists that all sellers share.
type Accounts struct {
	*Market

	backlog func(context.Context) (Backlog, error) // of webhooks
}

// newAccounts makes the room.
func newAccounts(market *Market, backlog func(context.Context) (Backlog, error)) *Accounts {
	s := &Accounts{Market: market, backlog: backlog}
	s.enter(s, Room{})
	return s
}

// accountsChange is a change with the steps of this room.
type accountsChange struct {
	*Change
	s *Accounts
}

// in is a change in this room.
func (s *Accounts) in(tx *Change) accountsChange { return accountsChange{tx, s} }

// accountsDo runs fn in a transaction on the caller's data, see doAs.
func accountsDo[O any](ctx context.Context, s *Accounts, c *Call, units int, fn func(ctx context.Context, tx accountsChange) (*O, error)) (*O, error) {
	return doAs(ctx, s.Core, c, entry{}, units, func(ctx context.Context, tx *Change) (*O, error) { return fn(ctx, s.in(tx)) })
}
