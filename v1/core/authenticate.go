package core

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/internal/base/wrap"
	"sellerd/v1/apikey"
	"sellerd/v1/keycheck"
	"sellerd/v1/operators"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file finds the account of a key.

// The states of an account.
const (
	AccountStatusActive    = "active"
	AccountStatusSuspended = "suspended"
)

// ErrInvalidKey is the refusal of a key that does not admit anybody, whatever the reason.
var ErrInvalidKey = refusal.New(refusal.InvalidAPIKey)

// keyRows are spare rows of keys, since most requests read one.
var keyRows = sync.Pool{New: func() any { return keycheck.NewRow() }}

func nullable[N int | int64](p *N) sql.Null[int64] {
	if p == nil {
		return sql.Null[int64]{}
	}
	return sql.Null[int64]{V: int64(*p), Valid: true}
}

// Authenticate finds the caller of a key. Malformed, unknown, wrong, revoked and expired keys get the same answer,
// invalid_api_key. A key of a suspended account gets account_suspended together with the caller, to whose limit the request
// is charged. The key is read from the database: a revocation takes effect on the next request in every process.
func (s *Core) Authenticate(ctx context.Context, key string) (Caller, error) {
	return s.AuthenticateCall(ctx, &Call{}, key)
}

// AuthenticateCall is Authenticate for a call. If the call may claim, and the process remembers a valid row of the key, the
// call gets a claim in place of a statement here.
func (s *Core) AuthenticateCall(ctx context.Context, c *Call, key string) (Caller, error) {
	if key == "" {
		return Caller{}, refusal.New(refusal.MissingAPIKey)
	}
	parsed, ok := apikey.Parse(key)
	if !ok {
		return Caller{}, ErrInvalidKey
	}
	return s.authenticateRow(ctx, c, parsed.ID, func(row *keycheck.Row) bool { return row.Is(&parsed.Hash) && row.Test == parsed.Test })
}

// AuthenticateID is AuthenticateCall for a key of which only the public id is known. Who calls it has made sure that the request may
// act for that key.
func (s *Core) AuthenticateID(ctx context.Context, c *Call, keyID string) (Caller, error) {
	return s.authenticateRow(ctx, c, keyID, func(*keycheck.Row) bool { return true })
}

// AuthenticateBy finds the caller of a key that is not one of /v1. query reads the key's row (keycheck.Row.ReadBy), and idOf makes
// the key's public id of it.
func (s *Core) AuthenticateBy(ctx context.Context, idOf func(*keycheck.Row) string, query string, args ...any) (Caller, error) {
	row := keyRows.Get().(*keycheck.Row)
	defer keyRows.Put(row)
	found, err := row.ReadBy(ctx, s.Store, query, args...)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if !found {
		return Caller{}, ErrInvalidKey
	}
	id := idOf(row)
	TraceFrom(ctx).Key = id
	return s.useKey(row, id)
}

// Readmit checks the key of a call that has waited, as it is now, and puts what it finds into the call. It fails like
// AuthenticateCall. A claim of the remembered row would not do: if the row had changed, be it only the time of its last use, all
// work on the call would be done again.
func (s *Core) Readmit(ctx context.Context, c *Call) error {
	ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	row := keyRows.Get().(*keycheck.Row)
	defer keyRows.Put(row)
	found, err := row.Read(ctx, s.Store, c.KeyID)
	if err != nil {
		return fmt.Errorf("authenticate: %w", err)
	}
	if !found {
		return ErrInvalidKey
	}
	caller, err := s.callerOf(row, c.KeyID)
	if err != nil {
		return err
	}
	c.Caller = caller
	return nil
}

// RemembersKey says whether the process remembers the row of the key with an id.
func (s *Core) RemembersKey(id string) bool { return s.keys.Find(id) != nil }

// authenticateRow finds the caller of the key with an id, if its row passes a check.
func (s *Core) authenticateRow(ctx context.Context, c *Call, keyID string, passes func(*keycheck.Row) bool) (Caller, error) {
	if c.mayClaim {
		if known := s.keys.Find(keyID); known != nil && passes(known) {
			if caller, err := s.callerOf(known, keyID); err == nil {
				TraceFrom(ctx).Key = keyID
				c.Claim = &keycheck.Claim{ID: keyID, Row: known}
				return caller, nil
			}
		}
	}
	row := keyRows.Get().(*keycheck.Row)
	defer keyRows.Put(row)
	found, err := row.Read(ctx, s.Store, keyID)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if !passes(row) || !found {
		return Caller{}, ErrInvalidKey
	}
	TraceFrom(ctx).Key = keyID // before it is known whether the key has ended: those who look for a leaked key look for that, too
	if row.Succeeds && row.LastUsed == nil {
		if err := s.firstUse(ctx, row, keyID); err != nil {
			return Caller{}, err
		}
	}
	caller, err := s.useKey(row, keyID)
	if err == nil && c.mayClaim {
		s.keys.Keep(keyID, row.Copy(keyID))
	}
	return caller, err
}

// useKey is callerOf, and notes that the key is used.
func (s *Core) useKey(row *keycheck.Row, keyID string) (Caller, error) {
	caller, err := s.callerOf(row, keyID)
	if err == nil {
		s.noteUse(keyID, row.LastUsed)
	}
	return caller, err
}

// firstUse stores at once that a key is used which took the place of another, and reads its row again: until then that other key can end it
// and take another successor, which may have come first.
func (s *Core) firstUse(ctx context.Context, row *keycheck.Row, keyID string) error {
	if _, err := s.callerOf(row, keyID); err != nil {
		return nil //nolint:nilerr // the caller is refused as with any other key
	}
	err := s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return tx.APIKey.Update().Where(entapikey.ID(keyID), entapikey.LastUsedAtIsNil(), entapikey.RevokedAtIsNil()).
			SetLastUsedAt(int64(s.Now())).Exec(ctx)
	})
	if err == nil {
		_, err = row.Read(ctx, s.Store, keyID)
	}
	return wrap.Err(err, "note the first use of a key")
}

// callerOf is who a key belongs to, unless it has ended.
func (s *Core) callerOf(row *keycheck.Row, keyID string) (Caller, error) {
	if row.Revoked != nil || row.Expires != nil && wire.Time(*row.Expires) <= s.Now() {
		return Caller{}, ErrInvalidKey
	}
	caller := Caller{
		AccountID: row.Account, Test: row.Test, TimeZone: row.Zone, Currency: wire.Currency(row.Currency), KeyID: keyID,
		Limits: AccountLimits{nullable(row.Requests), nullable(row.Open), nullable(row.Daily)},
		May:    row.Permissions,
	}
	caller.Owner = OwnerOf(caller.AccountID, caller.Test)
	if row.Status == AccountStatusSuspended {
		return caller, refusal.New(refusal.AccountSuspended)
	}
	return caller, nil
}

// noteUse notes that a key is used, or that an operator is here, for TouchKeysOnce. last is what is stored of that.
func (s *Core) noteUse(id string, last *int64) {
	if now := s.Now(); last == nil || now.Sub(wire.Time(*last)) >= time.Minute {
		s.touched.Store(id, now)
	}
}

// TouchKeysOnce stores the last use of the keys and operators whose stored time is at least a minute old, and returns their number.
func (s *Core) TouchKeysOnce(ctx context.Context) (int, error) {
	used := map[string]wire.Time{}
	s.touched.Range(func(id, at any) bool {
		s.touched.Delete(id)
		used[id.(string)] = at.(wire.Time)
		return true
	})
	if len(used) == 0 {
		return 0, nil
	}
	return len(used), s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		for id, at := range used {
			if err := s.touchKey(ctx, tx, id, at); err != nil {
				return fmt.Errorf("touch key: %w", err)
			}
		}
		return nil
	})
}

func (s *Core) touchKey(ctx context.Context, tx *ent.Client, id string, at wire.Time) error {
	if name, ok := strings.CutPrefix(id, touchedOperator); ok {
		return operators.Touch(ctx, tx, name, at)
	}
	if keys := s.KeySource(id); keys != nil {
		return keys.Touch(ctx, tx, id, at)
	}
	return tx.APIKey.Update().Where(entapikey.ID(id)).SetLastUsedAt(int64(at)).Exec(ctx)
}

// This file rejects wrong credentials, and credentials that came by http, on all stacks.

// refuseCredentials counts a failed attempt to authenticate against the caller's address and returns the error for it: err, or
// rate_limited after too many attempts. The address is the caller's own, even behind a proxy: the server has put it into the
// request.
func (s *Core) refuseCredentials(ctx context.Context, address string, err error) error {
	return cmp.Or(s.ChargeAddress(ctx, countedAddress(address)), err)
}

// countedAddress is the key by which failed attempts from an address (with a port) are counted: the address without the
// port, or for IPv6 its network of 64 bits, because one machine may use all addresses of such a network.
func countedAddress(remote string) string {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address := from.Addr().Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}

// refuseInClear rejects credentials anywhere in the request if a trusted proxy says that it came by http.
func refuseInClear(r *http.Request) error {
	header := TraceFrom(r.Context()).InClear
	if header == "" || r.Header["X-Api-Key"] == nil && r.Header["Authorization"] == nil && !keyInQuery(r) {
		return nil
	}
	return SentInClear(header)
}

// errKeyInURL is the answer to a key in the query, valid or not.
var errKeyInURL = refusal.Newf(refusal.InvalidAPIKey, "",
	"A key in a URL is unsafe, because URLs are kept in logs. Have the key replaced, and send the new one in the header X-Api-Key.")

// keyParameters are the query parameters in which other interfaces take a key.
var keyParameters = []string{"access_token", "api_key", "api-key", "apikey", "key", "token", "x-api-key"}

// missingKey is the answer to a request without X-Api-Key. If the caller has sent something in a place that other interfaces read, it
// names that place, and never what was sent.
func missingKey(r *http.Request) error {
	if r.Header["Authorization"] != nil {
		return refusal.Newf(refusal.MissingAPIKey, "Authorization", "Authorization is not read here. Send your key in the header X-Api-Key.")
	}
	if r.URL.RawQuery != "" {
		for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
			if i := slices.Index(keyParameters, strings.ToLower(name)); i >= 0 {
				return refusal.Newf(refusal.MissingAPIKey, keyParameters[i],
					"A key in a URL is unsafe, because URLs are kept in logs, and it is not read here. Send your key in the header X-Api-Key.")
			}
		}
	}
	return refusal.New(refusal.MissingAPIKey)
}

// keyInQuery says whether the query has a key, or most of one. The part of a key that is shown may stand there: it is no secret.
func keyInQuery(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, "dk_") && apikey.InText(r.URL.RawQuery)
}

// SentInClear is the error for credentials that came by http. They are not checked, because others may have read them. The
// header is Trace.InClear.
func SentInClear(header string) refusal.Errors {
	return refusal.Newf(refusal.InvalidHeader, header,
		"The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one.")
}
