package core

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/ratewindow"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/wrap"
	"sellerd/v1/intake"
	"sellerd/v1/operators"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// IdempotencyRetention is how long a key's answer is kept: 30 days are promised (docs/seller/idempotency.md).
const IdempotencyRetention = 35 * 24 * time.Hour

// NewIdempotencyKey checks a header's value (1 to 255 visible ASCII characters, quoted or bare) and binds it to a request:
// method, path and body, which is compared in its canonical form (RFC 8785), so that spelling does not count.
func NewIdempotencyKey(header, method, path string, body []byte) (*IdempotencyKeyUse, error) {
	return newIdempotencyKey(header, method, path, body, false)
}

// newIdempotencyKey is NewIdempotencyKey for a body that may be known to be well-formed, because it has been read.
func newIdempotencyKey(header, method, path string, body []byte, wellFormed bool) (*IdempotencyKeyUse, error) {
	key := header
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if key == "" || len(key) > 255 {
		return nil, refusal.Newf(refusal.InvalidIdempotencyKey, "Idempotency-Key", "The key must have 1 to 255 characters.")
	}
	for i := range len(key) {
		if key[i] < '!' || key[i] > '~' {
			return nil, refusal.Newf(refusal.InvalidIdempotencyKey, "Idempotency-Key", "The key must hold visible ASCII characters only.")
		}
	}
	h := sha256.New()
	h.Write([]byte(method + " " + path + "\n"))
	if len(body) > 0 {
		if err := wire.Canonical(body, wellFormed, func(canonical []byte) { h.Write(canonical) }); err != nil {
			return nil, err
		}
	}
	use := &IdempotencyKeyUse{Key: key}
	h.Sum(use.Fingerprint[:0])
	return use, nil
}

// idempotencyID is the scope of the key, and the key. The operator's keys have one scope, because the account acted for is
// not yet known when the answer is looked up. Owners are written without capitals, so the two never collide.
func (c *Call) idempotencyID() string {
	if c.Operator {
		return "OPERATOR/" + c.Idempotency.Key
	}
	return AnswersBegin(int64(c.Owner)) + c.Idempotency.Key
}

// AnswersBegin is how the ids of an owner's stored answers begin.
func AnswersBegin(owner int64) string { return strconv.FormatInt(owner, 36) + "/" }

// OwnerOfAnswer is the owner in the id of a stored answer, 0 for an answer to the operator.
func OwnerOfAnswer(id string) Owner {
	begin, _, _ := strings.Cut(id, "/")
	owner, err := strconv.ParseInt(begin, 36, 64)
	if err != nil || begin != strings.ToLower(begin) {
		return 0
	}
	return Owner(owner)
}

// KeyName is the name of the lock of a transaction with the caller's Idempotency-Key, empty without a key.
func (c *Call) KeyName() string {
	if c.Idempotency == nil {
		return ""
	}
	return c.idempotencyID()
}

// AnnounceKey takes the lock on the caller's Idempotency-Key, if there is one. It is for transactions that do not begin
// with an owner's row.
func (s *Core) AnnounceKey(ctx context.Context, tx *ent.Client, c *Call) error {
	if c.Idempotency == nil || !s.Store.ManyWriters() {
		return nil
	}
	return rows.Query(ctx, tx, "SELECT 1 WHERE "+s.Store.Announce("$1"), []any{c.KeyName()}, func(*sql.Rows) error { return nil })
}

// keyIsHeld says, after a wait for a lock that timed out, whether a request with the same Idempotency-Key is the reason: it
// holds the key's row, or rows that it locks before that. So every transaction takes the lock on its key before it waits
// for any row. A change that waits for its turn has no transaction, and has not taken it yet.
func (s *Core) keyIsHeld(ctx context.Context, c *Call) bool {
	if c.Idempotency == nil {
		return false
	}
	held, err := s.Store.Announced(ctx, c.KeyName())
	return c.Idempotency.waited || err == nil && held
}

// Remember stores an operation's answer under the caller's Idempotency-Key, in the operation's transaction. Two equal
// keys collide here, and the transaction of the second is undone as a whole: it returns ErrKeyTaken. The transaction need not be a
// change of one owner: now is its instant. DoAs does this itself.
func (s *Core) Remember(ctx context.Context, tx *ent.Client, now wire.Time, c *Call, out any) error {
	return s.remember(ctx, tx, now, c, out, 0)
}

// remember is Remember for an answer that shows the data of a buyer, even if its type does not say so; 0 for none.
func (s *Core) remember(ctx context.Context, tx *ent.Client, now wire.Time, c *Call, out any, buyer wire.ID) error {
	if c.Idempotency == nil {
		return nil
	}
	answer, err := s.AnswerToKeep(now, c, out)
	if err != nil {
		return err
	}
	if shows, ok := out.(ShowsBuyer); ok {
		buyer = shows.ShownBuyer()
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO idempotency_keys (id, fingerprint, status, body, location, expires_at, buyer_id)
 VALUES ($1, $2, $3, $4, $5, $6, $7)
 ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
 location = excluded.location, expires_at = excluded.expires_at, buyer_id = excluded.buyer_id WHERE idempotency_keys.expires_at <= $8`,
		answer.ID, answer.Fingerprint, answer.Status, answer.Body, answer.Location, answer.ExpiresAt, int64(buyer), int64(now))
	if err != nil {
		c.Idempotency.waited = s.Store.Busy(err)
		return fmt.Errorf("store idempotency key: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return cmp.Or[error](err, ErrKeyTaken)
	}
	crash.At(crash.AfterKey)
	return nil
}

// ShowsBuyer is an answer with a buyer's data. Its row says so, because a buyer that is forgotten cannot be found by a search.
type ShowsBuyer interface{ ShownBuyer() wire.ID }

// NeedsToRead is an answer that not every key with the operation's permission may read.
type NeedsToRead interface{ NeededToRead() permission.Set }

// MayFail is an answer to a request that is carried out later. Failed says that this has listed nothing, and never will.
type MayFail interface {
	Failed(ctx context.Context, reader *ent.Client) (bool, error)
}

// AnswerToKeep is the row for an operation's answer under the caller's Idempotency-Key, which must be there. An answer with a secret is sealed.
func (s *Core) AnswerToKeep(now wire.Time, c *Call, out any) (intake.Answer, error) {
	c.Meta.replayedData = wire.EncodeJSON(nil, out)
	body, err := string(c.Meta.replayedData), error(nil)
	if c.Idempotency.secret {
		body, err = s.Secret.SealAnswer(c.idempotencyID(), c.Meta.replayedData)
	}
	life := IdempotencyRetention
	if c.Idempotency.Life > 0 {
		life = c.Idempotency.Life
	}
	return intake.Answer{
		ID: c.idempotencyID(), Fingerprint: c.Idempotency.Fingerprint[:], Status: c.Meta.Status, Body: body, Location: c.Meta.Location,
		ExpiresAt: int64(now.Add(life)),
	}, err
}

// ErrKeyTaken means that another request with the same key was faster.
var ErrKeyTaken = refusal.Later(refusal.IdempotencyKeyInProgress, retryBusy)

// Recall finds the stored answer to the caller's Idempotency-Key and puts its data into out. It reports whether there
// was one; a key used for another request is idempotency_key_reused.
func (s *Core) Recall(ctx context.Context, c *Call, out any) (bool, error) {
	if c.Idempotency == nil {
		return false, nil
	}
	var row ent.IdempotencyKey
	found, unconfirmed, err := s.readKey(ctx, c.idempotencyID(), &row)
	if err != nil || !found || wire.Time(row.ExpiresAt) <= s.Now() {
		return false, err
	}
	if !bytes.Equal(row.Fingerprint, c.Idempotency.Fingerprint[:]) {
		return false, refusal.Newf(refusal.IdempotencyKeyReused, "Idempotency-Key", "The key was used for a different request.")
	}
	body := []byte(row.Body)
	if c.Idempotency.secret {
		if body, err = s.Secret.OpenAnswer(c.idempotencyID(), row.Body); err != nil {
			return false, err
		}
	}
	if unconfirmed {
		if err := s.Store.Confirm(ctx); err != nil { // the answer acknowledges the change, as the first one would have
			return false, err
		}
	}
	// Rules for input do not hold for answers: an amount may be 0.00, for example.
	var ignored refusal.Problems
	if err := wire.BindInto(body, out, &ignored); err != nil {
		return false, fmt.Errorf("read stored answer: %w", err)
	}
	if shown, ok := out.(NeedsToRead); ok { // the answer may be that to another key
		if err := c.Permit(shown.NeededToRead(), ""); err != nil {
			return false, err
		}
	}
	if failed, err := s.free(ctx, c, out, row.Body); failed || err != nil {
		return false, err
	}
	c.Meta.Status, c.Meta.Location, c.Meta.Replayed = row.Status, row.Location, true
	c.Meta.replayedData = body
	if !c.Operator { // whose calls are not charged
		s.refund(ctx, c)
		c.Charged = false
	}
	return true, nil
}

// free deletes the stored answer to a derived key if the request has failed since, so that an equal request is carried out. The answer is
// deleted only as it was read: another equal request may have replaced it.
func (s *Core) free(ctx context.Context, c *Call, out any, stored string) (failed bool, err error) {
	later, ok := out.(MayFail)
	if !ok || c.Idempotency.Life == 0 {
		return false, nil
	}
	if failed, err = later.Failed(ctx, s.Store.Reader()); !failed || err != nil {
		return false, err
	}
	c.Idempotency.freed = true
	return true, s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.IdempotencyKey.Delete().Where(idempotencykey.ID(c.idempotencyID()), idempotencykey.Body(stored)).Exec(ctx)
		return wrap.Err(err, "free idempotency key")
	})
}

// KeyKnown says whether an answer to the caller's Idempotency-Key is stored.
func (s *Core) KeyKnown(ctx context.Context, c *Call) (bool, error) {
	if c.Idempotency == nil {
		return false, nil
	}
	var row ent.IdempotencyKey
	found, _, err := s.readKey(ctx, c.idempotencyID(), &row)
	return found && wire.Time(row.ExpiresAt) > s.Now(), err
}

// readKey looks for a key, and says whether what it found has to be confirmed before it is acknowledged. Nearly always there is
// no such key, so this is a single statement, written by hand.
func (s *Core) readKey(ctx context.Context, id string, row *ent.IdempotencyKey) (found, unconfirmed bool, err error) {
	rows, err := s.Store.Reader().QueryContext(ctx, "SELECT fingerprint, status, body, location, expires_at, "+s.Store.MustConfirm()+
		" FROM idempotency_keys WHERE id = $1", id)
	if err != nil {
		return false, false, fmt.Errorf("load idempotency key: %w", err)
	}
	defer rows.Close()
	if rows.Next() {
		found, err = true, rows.Scan(&row.Fingerprint, &row.Status, &row.Body, &row.Location, &row.ExpiresAt, &unconfirmed)
	}
	return found, unconfirmed, wrap.Err(cmp.Or(err, rows.Err()), "load idempotency key")
}

// SweepChunk bounds one sweep's transaction.
const SweepChunk = 1000

// expiredKeys finds the keys that a sweep deletes, and passes over those that are locked. A request with an expired key replaces
// the key's row. If the sweep waited for that request, and the request for another row of the sweep, they would be in a
// deadlock.
var expiredKeys = `SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ` + strconv.Itoa(SweepChunk)

// SweepOnce deletes a chunk of expired idempotency keys, idle rate windows and old rows of the audit log, and returns the number of rows.
func (s *Core) SweepOnce(ctx context.Context) (int, error) {
	if err := s.TrustClock(); err != nil {
		return 0, err
	}
	deleted := 0
	err := s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		deleted = 0
		now := int64(s.Now())
		var expired []string
		err := rows.Query(ctx, tx, s.Store.SkipLocked(expiredKeys), []any{now}, func(r *sql.Rows) error {
			expired = append(expired, "")
			return r.Scan(&expired[len(expired)-1])
		})
		if err != nil {
			return fmt.Errorf("find expired idempotency keys: %w", err)
		}
		if len(expired) > 0 {
			if deleted, err = tx.IdempotencyKey.Delete().Where(idempotencykey.IDIn(expired...), idempotencykey.ExpiresAtLTE(now)).
				Exec(ctx); err != nil {
				return fmt.Errorf("delete expired idempotency keys: %w", err)
			}
		}
		crash.At(crash.MidSweep)
		idle, err := tx.RateWindow.Delete().Where(ratewindow.ExpiresAtLTE(now)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("delete idle rate windows: %w", err)
		}
		audit, err := operators.Sweep(ctx, tx, wire.Time(now), SweepChunk, s.Store.SkipLocked)
		if err != nil {
			return fmt.Errorf("delete old rows of the audit log: %w", err)
		}
		deleted += idle + audit
		return nil
	})
	return deleted, err
}

// retryBusy is the time after which a caller may repeat a request whose key or rows another request holds.
const retryBusy = time.Second
