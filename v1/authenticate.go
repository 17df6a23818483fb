package v1

import (
	"cmp"
	"context"
	"crypto/subtle"
	"database/sql"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"sellerd/ent"
	entapikey "sellerd/ent/apikey"
	"sellerd/v1/apikey"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/sunset" // sunset
)

// This file finds the account of a key.

var errInvalidKey = refusal.New(InvalidAPIKey)

// authQuery reads everything about a caller that every request needs, in one statement.
const authQuery = `SELECT k.secret_sha256, k.test, k.expires_at, k.revoked_at, k.last_used_at, ` + authAccount + `
 FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1`

const authAccount = `a.id, a.status, a.time_zone, a.currency, a.limit_requests_per_minute, a.limit_open_items, a.limit_new_items_per_day`

// authRow is authQuery's answer, with the scanners that fill it. Rows are reused, since every request needs one.
type authRow struct {
	secret                     rows.Hash
	test                       bool
	expires, revoked, lastUsed *int64
	account                    int64
	status, zone, currency     string
	requests, open, daily      *int64

	targets []any
}

var authRows = sync.Pool{New: func() any {
	r := &authRow{}
	r.targets = []any{&r.secret, &r.test}
	for _, field := range []any{
		&r.expires, &r.revoked, &r.lastUsed, &r.account, &r.status, &r.zone, &r.currency, &r.requests, &r.open, &r.daily,
	} {
		r.targets = append(r.targets, rows.Target(field))
	}
	return r
}}

// read fills the row. If there is no key with this id, the hash is zero and is compared all the same, so the time does not
// reveal which ids exist.
func (r *authRow) read(ctx context.Context, reader *ent.Client, query string, args ...any) (found bool, err error) {
	r.secret = rows.Hash{}
	rows, err := reader.QueryContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	return true, rows.Scan(r.targets...)
}

func nullable[N int | int64](p *N) sql.Null[int64] {
	if p == nil {
		return sql.Null[int64]{}
	}
	return sql.Null[int64]{V: int64(*p), Valid: true}
}

// Authenticate finds the caller of a key. Malformed, unknown, wrong, revoked and expired keys get the same answer,
// invalid_api_key. A key of a suspended account gets account_suspended together with the caller, to whose limit the request
// is charged. Nothing is cached: a revocation takes effect on the next request in every process.
func (s *Service) Authenticate(ctx context.Context, key string) (Caller, error) {
	if key == "" {
		return Caller{}, refusal.New(MissingAPIKey)
	}
	parsed, ok := apikey.Parse(key)
	if !ok {
		return Caller{}, errInvalidKey
	}
	row := authRows.Get().(*authRow)
	defer authRows.Put(row)
	found, err := row.read(ctx, s.store.Reader(), authQuery, parsed.ID)
	if err != nil {
		return Caller{}, fmt.Errorf("authenticate: %w", err)
	}
	if subtle.ConstantTimeCompare(row.secret[:], parsed.Hash[:]) != 1 || !found || row.test != parsed.Test {
		return Caller{}, errInvalidKey
	}
	return s.callerOf(row, parsed.ID)
}

// callerOf is who a key belongs to, unless it has ended. It notes that the key is used.
func (s *Service) callerOf(row *authRow, keyID string) (Caller, error) {
	now := s.now()
	if row.revoked != nil || row.expires != nil && Time(*row.expires) <= now {
		return Caller{}, errInvalidKey
	}
	caller := Caller{
		AccountID: row.account, Test: row.test, TimeZone: row.zone, Currency: Currency(row.currency), KeyID: keyID,
		limits: accountLimits{nullable(row.requests), nullable(row.open), nullable(row.daily)},
	}
	caller.Owner = OwnerOf(caller.AccountID, caller.Test)
	if row.status == AccountStatusSuspended {
		return caller, refusal.New(AccountSuspended)
	}
	if row.lastUsed == nil || now.Sub(Time(*row.lastUsed)) >= time.Minute {
		s.touched.Store(keyID, now)
	}
	return caller, nil
}

// TouchKeysOnce stores the last use of the keys whose stored time is at least a minute old, and returns their number.
func (s *Service) TouchKeysOnce(ctx context.Context) (int, error) {
	used := map[string]Time{}
	s.touched.Range(func(id, at any) bool {
		s.touched.Delete(id)
		used[id.(string)] = at.(Time)
		return true
	})
	if len(used) == 0 {
		return 0, nil
	}
	return len(used), s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		for id, at := range used {
			if err := touchKey(ctx, tx, id, at); err != nil {
				return fmt.Errorf("touch key: %w", err)
			}
		}
		return nil
	})
}

func touchKey(ctx context.Context, tx *ent.Client, id string, at Time) error {
	if sunset.IsKeyID(id) { // sunset
		return sunset.TouchKey(ctx, tx, id, at) // sunset
	} // sunset
	return tx.APIKey.Update().Where(entapikey.ID(id)).SetLastUsedAt(int64(at)).Exec(ctx)
}

// This file rejects wrong credentials, and credentials that came by http, on all stacks.

// refuseCredentials counts a failed attempt to authenticate against the caller's address and returns the error for it: err, or
// rate_limited after too many attempts. The address is the caller's own, even behind a proxy: the server has put it into the
// request.
func (s *Service) refuseCredentials(ctx context.Context, address string, err error) error {
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

// keyInQuery says whether the query has a key.
func keyInQuery(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, "=dk_live_") || strings.Contains(r.URL.RawQuery, "=dk_test_")
}

// SentInClear is the error for credentials that came by http. They are not checked, because others may have read them. The
// header is Trace.InClear.
func SentInClear(header string) Errors {
	return refusal.Newf(InvalidHeader, header, "The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one.")
}
