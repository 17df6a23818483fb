package v1_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/internal/store"
	v1 "sellerd/v1"
)

// beside is another server on a world's database, whose statements wait so long for locks.
func beside(t *testing.T, w *servertest.World, url, lockTimeout string) *servertest.World {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{URL: url + "&lock_timeout=" + lockTimeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	config := w.Config
	config.Store = db
	service, err := v1.New(config)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Service: service, Logger: config.Logger, BaseURL: config.BaseURL, OperatorToken: servertest.OperatorToken})
	if err != nil {
		t.Fatal(err)
	}
	return &servertest.World{Service: service, Store: db, Clock: w.Clock, Server: s, Config: config, Account: w.Account, Key: w.Key, LiveKey: w.LiveKey}
}

// hold runs a statement in a transaction that stays open until the returned function is called or the test ends, and is then
// undone.
func hold(t *testing.T, w *servertest.World, statement string, args ...any) (release func()) {
	t.Helper()
	undone := errors.New("undone")
	held, gate, ended := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, statement, args...)
			held <- err
			<-gate
			return undone
		})
	}()
	release = sync.OnceFunc(func() {
		close(gate)
		if err := <-ended; !errors.Is(err, undone) {
			t.Error(err)
		}
	})
	t.Cleanup(release) // a test that fails must not leave it open, because the database would never close
	if err := <-held; err != nil {
		t.Fatal(err)
	}
	return release
}

// waitForLock returns when a session of the database waits for a lock.
func waitForLock(t *testing.T, w *servertest.World) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if w.Count(t, "pg_stat_activity", "datname = current_database() AND wait_event_type = 'Lock'") > 0 {
			return
		}
	}
	t.Fatal("nothing waits for a lock")
}

// seenOf is what a caller goes by.
type seenOf struct {
	Status     int
	Codes      string
	RetryAfter string
	Replayed   string
}

func outcomeOf(r servertest.Response) seenOf {
	return seenOf{r.Status, strings.Join(r.Codes(), " "), r.Header.Get("Retry-After"), r.Header.Get("Idempotent-Replayed")}
}

var (
	unavailable = seenOf{503, "service_unavailable", "1", ""}
	inProgress  = seenOf{409, "idempotency_key_in_progress", "1", ""}
	accepted    = seenOf{202, "", "", ""}
)

const (
	touchOwner = `UPDATE owners SET day = day WHERE id = $1`
	takeKey    = `INSERT INTO idempotency_keys (id, fingerprint, status, body, location, expires_at) VALUES ($1, $2, 200, '', '', 0)`
)

// idOfKey is the id of a key's row.
func idOfKey(w *servertest.World, key string) string {
	return strconv.FormatInt(int64(v1.OwnerOf(w.Account, true)), 36) + "/" + key
}

func TestAKeyIsInProgressOnlyWhileItsTwinRuns(t *testing.T) {
	t.Parallel() // it waits for locks
	url := servertest.PostgresDirect(t)
	w := servertest.New(t, url)
	impatient, patient := beside(t, w, url, "100ms"), beside(t, w, url, "60s")
	item := servertest.FixedPrice()
	expect := func(t *testing.T, what string, want seenOf, got servertest.Response) {
		t.Helper()
		if diff := cmp.Diff(want, outcomeOf(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", what, diff, got.Body)
		}
	}

	t.Run("something else holds the seller's row", func(t *testing.T) {
		release := hold(t, w, touchOwner, int64(v1.OwnerOf(w.Account, true)))
		expect(t, "with a fresh key", unavailable, impatient.Do(t, servertest.Keyed("fresh", "/v1/items", item)))
		expect(t, "without a key", unavailable, impatient.Do(t, servertest.Request{Path: "/v1/items", Body: item}))
		release()
		expect(t, "afterwards", accepted, impatient.Do(t, servertest.Keyed("fresh", "/v1/items", item)))
	})

	t.Run("a twin runs", func(t *testing.T) {
		release := hold(t, w, takeKey, idOfKey(w, "twin"), []byte{0}) // on which the twin waits, with all else done
		twin := make(chan servertest.Response)
		go func() { twin <- patient.Do(t, servertest.Keyed("twin", "/v1/items", item)) }()
		waitForLock(t, w)
		expect(t, "with its key", inProgress, impatient.Do(t, servertest.Keyed("twin", "/v1/items", item)))
		expect(t, "with its key, again", inProgress, impatient.Do(t, servertest.Keyed("twin", "/v1/items", item)))
		expect(t, "with another key of the seller", unavailable, impatient.Do(t, servertest.Keyed("other", "/v1/items", item)))
		release()
		expect(t, "the twin", accepted, <-twin)
		replayed := accepted
		replayed.Replayed = "true"
		expect(t, "after it", replayed, impatient.Do(t, servertest.Keyed("twin", "/v1/items", item)))
	})

	t.Run("the key's own row is held", func(t *testing.T) {
		release := hold(t, w, takeKey, idOfKey(w, "row"), []byte{0})
		expect(t, "with the key", inProgress, impatient.Do(t, servertest.Keyed("row", "/v1/items", item)))
		release()
		expect(t, "afterwards", accepted, impatient.Do(t, servertest.Keyed("row", "/v1/items", item)))
	})

	t.Run("two wait for something else, with one key", func(t *testing.T) {
		release := hold(t, w, touchOwner, int64(v1.OwnerOf(w.Account, true)))
		twin := make(chan servertest.Response)
		go func() { twin <- patient.Do(t, servertest.Keyed("both", "/v1/items", item)) }()
		waitForLock(t, w)
		expect(t, "the one that gives up", inProgress, impatient.Do(t, servertest.Keyed("both", "/v1/items", item)))
		release()
		expect(t, "the other", accepted, <-twin)
	})

	t.Run("the operator's", func(t *testing.T) {
		account := func(nickname string) map[string]any {
			return map[string]any{"nickname": nickname, "email": nickname + "@example.com"}
		}
		path := "/operator/accounts/" + v1.ID(w.Account).String() + "/legacy-keys"
		importing := servertest.Keyed("import", path, map[string]any{"key": strings.Repeat("aB3d", 16)})
		release := hold(t, w, `UPDATE accounts SET updated_at = updated_at WHERE id = $1`, w.Account)
		expect(t, "another holds the account", unavailable, impatient.DoOperator(t, importing))
		release()
		release = hold(t, w, takeKey, "OPERATOR/create", []byte{0})
		twin := make(chan servertest.Response)
		go func() {
			twin <- patient.DoOperator(t, servertest.Keyed("create", "/operator/accounts", account("carla")))
		}()
		waitForLock(t, w)
		expect(t, "a twin runs", inProgress, impatient.DoOperator(t, servertest.Keyed("create", "/operator/accounts", account("carla"))))
		expect(t, "another wants the same name", unavailable, impatient.DoOperator(t, servertest.Keyed("other", "/operator/accounts", account("carla"))))
		release()
		if got := <-twin; got.Status != http.StatusCreated {
			t.Errorf("the twin: %d %s", got.Status, got.Body)
		}
	})
}

func TestAKeyIsNotInProgressWhileAnotherProgramLocksTheFile(t *testing.T) {
	t.Parallel() // it waits for the lock as long as SQLite does
	url := servertest.SQLite(t)
	w := servertest.New(t, url)
	other, err := sql.Open("sqlite3", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unavailable, outcomeOf(w.Do(t, servertest.Keyed("fresh", "/v1/items", servertest.FixedPrice())))); diff != "" {
		t.Errorf("while it is locked (-want +got):\n%s", diff)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(accepted, outcomeOf(w.Do(t, servertest.Keyed("fresh", "/v1/items", servertest.FixedPrice())))); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

func TestTheSweepPassesOverKeysThatARequestReplaces(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	for _, key := range []string{"one", "two", "three"} {
		w.Do(t, servertest.Keyed(key, "/v1/items", servertest.FixedPrice()))
	}
	w.Clock.Advance(v1.IdempotencyRetention + time.Second)
	release := hold(t, w, `UPDATE idempotency_keys SET status = status WHERE id = $1`, idOfKey(w, "two"))
	if n, err := w.Service.SweepOnce(t.Context()); err != nil || w.Count(t, "idempotency_keys", "true") != 1 {
		t.Errorf("%d rows are swept while a request holds a key: %v", n, err)
	}
	release()
	if _, err := w.Service.SweepOnce(t.Context()); err != nil || w.Count(t, "idempotency_keys", "true") != 0 {
		t.Errorf("the key is left after the request: %v", err)
	}
}
