package secret_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/v1/secret"
	"sellerd/v1/wire"
)

const (
	worldSecret   = "0123456789abcdef0123456789abcdef" // of servertest's worlds
	anotherSecret = "another-secret-of-the-same-size!"
)

// of is a server's secret for a world's database.
func of(t *testing.T, w *servertest.World, store secret.Store, text string) *secret.Keeper {
	t.Helper()
	s, err := secret.New(secret.Config{
		Bytes: []byte(text), Store: store, Clock: w.Clock, Random: rand.Reader,
		AccountOf: func(owner int64) (wire.ID, string) { return wire.ID(owner), "test" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestADatabaseBelongsToTheSecretThatItWasFirstServedWith(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := t.Context()
		for range 2 {
			if err := of(t, w, w.Store, worldSecret).Claim(ctx); err != nil {
				t.Fatalf("its own secret: %v", err)
			}
		}
		first := w.Fingerprint(t)
		if err := of(t, w, w.Store, anotherSecret).Claim(ctx); !errors.Is(err, secret.ErrOther) {
			t.Errorf("another secret: %v", err)
		}
		if diff := cmp.Diff(first, w.Fingerprint(t)); diff != "" {
			t.Errorf("what was refused changed the fingerprint (-before +after):\n%s", diff)
		}
	})
}

func TestAFingerprintSaysNothingOfItsSecret(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	if err := of(t, w, w.Store, worldSecret).Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := w.Fingerprint(t)
	if len(first) != 32 || bytes.Contains([]byte(worldSecret), first[:4]) {
		t.Errorf("the fingerprint is %x", first)
	}
	// Two secrets that differ in one bit have fingerprints that share no more than chance gives them.
	near := []byte(worldSecret)
	near[31] ^= 1
	other := servertest.New(t, servertest.SQLite(t))
	if err := of(t, other, other.Store, string(near)).Claim(t.Context()); err != nil {
		t.Fatal(err)
	}
	same := 0
	for i, b := range other.Fingerprint(t) {
		if b == first[i] {
			same++
		}
	}
	if same > 8 {
		t.Errorf("%d of 32 bytes are the same", same)
	}
}

// meeting is a store whose writers, on PostgreSQL, go on after their first look at the fingerprint only when all have looked.
type meeting struct {
	secret.Store
	postgres bool
	looked   *sync.WaitGroup
	once     sync.Once
}

func (m *meeting) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	return m.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		if m.postgres { // SQLite has one writer at a time
			tx.SecretFingerprint.Intercept(ent.InterceptFunc(func(next ent.Querier) ent.Querier {
				return ent.QuerierFunc(func(ctx context.Context, query ent.Query) (ent.Value, error) {
					found, err := next.Query(ctx, query)
					m.once.Do(func() {
						m.looked.Done()
						m.looked.Wait()
					})
					return found, err
				})
			}))
		}
		return fn(ctx, tx)
	})
}

func TestOfSecretsThatComeTogetherOneWins(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		errs := make([]error, 6)
		var all, looked sync.WaitGroup
		looked.Add(len(errs))
		for i := range errs {
			store := &meeting{Store: w.Store, postgres: w.Store.Dialect() == dialect.Postgres, looked: &looked}
			server := of(t, w, store, fmt.Sprintf("a secret of 32 bytes, number %d %d", i/2, i/2)) // each of two servers
			all.Go(func() { errs[i] = server.Claim(context.Background()) })
		}
		all.Wait()
		won := map[int]int{}
		for i, err := range errs {
			switch {
			case err == nil:
				won[i/2]++
			case !errors.Is(err, secret.ErrOther):
				t.Errorf("secret %d: %v", i/2, err)
			}
		}
		if len(won) != 1 {
			t.Fatalf("%d secrets won", len(won))
		}
		for number, servers := range won {
			if servers != 2 {
				t.Errorf("secret %d won for %d of its two servers", number, servers)
			}
		}
	})
}
