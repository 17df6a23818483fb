package v1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/internal/store"
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/secret"
)

const (
	worldSecret   = "0123456789abcdef0123456789abcdef" // of servertest's worlds
	anotherSecret = "another-secret-of-the-same-size!"
)

// TestASecretProvesItselfByAWebhook is about databases of release 1.2.0, which have no fingerprint.
func TestASecretProvesItselfByAWebhook(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := t.Context()
		wrong := w.SealedUnder(t, anotherSecret)
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		if err := wrong.Secret.Claim(ctx); !errors.Is(err, v1.ErrUnprovenSecret) {
			t.Errorf("a secret that opens no webhook: %v", err)
		}
		if found := w.Fingerprint(t); found != nil {
			t.Errorf("it was recorded: %x", found)
		}
		// Later webhooks may be of a time with another secret: one that opens is enough, wherever it is.
		crowd := make([]*ent.WebhookCreate, 1500)
		err := w.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			for i := range crowd {
				crowd[i] = tx.Webhook.Create().SetID(int64(1)<<62 + int64(i)).SetOwner(int64(v1.OwnerOf(w.Account, true))).SetURL(fmt.Sprint("https://example.com/", i)).
					SetEventsKey("all").SetFormat("standard").SetStatus("active").SetSecret([]byte("sealed under no secret that there is")).SetSecretHint("").SetCreatedAt(1).SetUpdatedAt(1)
			}
			for len(crowd) > 0 {
				if err := tx.Webhook.CreateBulk(crowd[:500]...).Exec(ctx); err != nil {
					return err
				}
				crowd = crowd[500:]
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Service.Secret.Claim(ctx); err != nil {
			t.Errorf("the secret that opens %s: %v", hook.ID, err)
		}
		if err := wrong.Secret.Claim(ctx); !errors.Is(err, v1.ErrOtherSecret) {
			t.Errorf("another secret after that: %v", err)
		}
	})
}

// TestTheSecretOfADatabaseWithoutAFingerprintIsReplacedOnlyByAnother is about databases of release 1.2.0 as well: after a
// leak, the leaked secret must not be taken for the new one.
func TestTheSecretOfADatabaseWithoutAFingerprintIsReplacedOnlyByAnother(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := t.Context()
		w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL})
		if got, err := w.Service.ReplaceSecret(ctx); !errors.Is(err, v1.ErrSameSecret) {
			t.Errorf("the secret that opens the webhook: %+v, %v", got, err)
		}
		if found := w.Fingerprint(t); found != nil {
			t.Errorf("it was recorded: %x", found)
		}
		other := w.SealedUnder(t, anotherSecret)
		got, err := other.ReplaceSecret(ctx)
		if err != nil || len(got.Webhooks) != 1 || !got.Compared {
			t.Errorf("another secret: %+v, %v", got, err)
		}
		if err := other.Secret.Claim(ctx); err != nil {
			t.Errorf("the new secret: %v", err)
		}
		var audited []string
		for _, change := range changesBy(t, w, "limit=10") {
			if change.Target == "secret" {
				audited = append(audited, inALine(change))
			}
		}
		webhook := fmt.Sprintf(`{"id":%q,"account_id":%q,"mode":"test"}`, got.Webhooks[0].ID.String(), accountID(w))
		want := []string{`system system  > {"compared":true,"webhooks":[` + webhook + `],"answers":0}`}
		if diff := cmp.Diff(want, audited); diff != "" {
			t.Errorf("the audit log (-want +got):\n%s", diff)
		}
	})
}

func TestAServerThatWasForgottenNoticesThatTheSecretWasReplaced(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := t.Context()
		if _, err := w.Service.Secret.CheckOnce(ctx); err != nil {
			t.Errorf("before the database belongs to a secret: %v", err)
		}
		if err := w.Service.Secret.Claim(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Service.Secret.CheckOnce(ctx); err != nil {
			t.Errorf("with its own secret: %v", err)
		}
		next := w.SealedUnder(t, anotherSecret)
		if _, err := next.ReplaceSecret(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := w.Service.Secret.CheckOnce(ctx); n != 0 || !errors.Is(err, v1.ErrOtherSecret) {
			t.Errorf("with the old secret: %d, %v", n, err)
		}
		if _, err := next.Secret.CheckOnce(ctx); err != nil {
			t.Errorf("with the new secret: %v", err)
		}
	})
}

func TestReplacingTheSecretSaysWhetherItCouldBeCompared(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name    string
			service *v1.Service
			want    bool
		}{
			{"with neither a fingerprint nor a webhook", w.Service, false},
			{"with a fingerprint", w.SealedUnder(t, anotherSecret), true},
		} {
			got, err := test.service.ReplaceSecret(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := &secret.Replaced{Compared: test.want, Webhooks: []v1.UnreadableWebhook{}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

func TestASecretIsMadeForANewDatabaseOnly(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		for name, used := range map[string]func(s *v1.Service) error{
			"an account": func(s *v1.Service) error {
				_, err := s.CreateAccount(t.Context(), v1.NewAccount{Nickname: "anna", Email: "anna@example.com", Country: "BE"})
				return err
			},
			"a fingerprint": func(s *v1.Service) error { return s.Secret.Claim(t.Context()) },
		} {
			db, err := store.Open(t.Context(), store.Config{URL: database(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			service, err := v1.New(v1.Config{Config: core.Config{Store: db, Secret: []byte(worldSecret), BaseURL: "http://sellerd.test", SiteURL: "https://www.example.com"}})
			if err != nil {
				t.Fatal(err)
			}
			if may, err := v1.SecretMayBeMade(t.Context(), db); err != nil || !may {
				t.Errorf("in a new database: %v, %v", may, err)
			}
			if err := used(service); err != nil {
				t.Fatal(err)
			}
			if may, err := v1.SecretMayBeMade(t.Context(), db); err != nil || may {
				t.Errorf("with %s: %v, %v", name, may, err)
			}
		}
	})
}

func TestReplacingTheSecretTellsWhatIsLost(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := t.Context()
		if err := w.Service.Secret.Claim(ctx); err != nil {
			t.Fatal(err)
		}
		s := servertest.NewReceiver(t)
		made := w.Do(t, servertest.Keyed("hook", "/v1/webhooks", object{"url": s.URL}))
		hook := servertest.Into[servertest.Webhook](t, made)
		listed := w.Do(t, servertest.Keyed("item", "/v1/items", servertest.FixedPrice()))
		if listed.Status != 202 {
			t.Fatalf("%d %s", listed.Status, listed.Body)
		}
		if _, err := w.Service.ReplaceSecret(ctx); !errors.Is(err, v1.ErrSameSecret) {
			t.Errorf("the same secret: %v", err)
		}

		next := w.SealedUnder(t, anotherSecret)
		got, err := next.ReplaceSecret(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var id v1.WebhookID
		if err := id.UnmarshalText([]byte(hook.ID)); err != nil {
			t.Fatal(err)
		}
		want := &secret.Replaced{Compared: true, Webhooks: []v1.UnreadableWebhook{{ID: id, AccountID: v1.ID(w.Account), Mode: "test"}}, Answers: 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := next.Secret.Claim(ctx); err != nil {
			t.Errorf("the new secret: %v", err)
		}
		if err := w.Service.Secret.Claim(ctx); !errors.Is(err, v1.ErrOtherSecret) {
			t.Errorf("the old secret: %v", err)
		}
		if n := w.Count(t, "idempotency_keys", "1 = 1"); n != 1 {
			t.Errorf("%d answers are kept, want that of the item", n)
		}
		t.Run("going back costs what was made in between", func(t *testing.T) {
			back, err := w.Service.ReplaceSecret(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&secret.Replaced{Compared: true, Webhooks: []v1.UnreadableWebhook{}}, back); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

// A creation that is repeated after the secret was replaced must not be answered 500 for 35 days.
func TestARequestWhoseSealedAnswerIsLostIsCarriedOutAnew(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		body := object{"url": "https://example.com/hook"}
		first := w.Do(t, servertest.Keyed("k", "/v1/webhooks", body))
		if first.Status != 201 {
			t.Fatalf("%d %s", first.Status, first.Body)
		}
		// The database comes from a service with another secret: from here on the world's own is the new one.
		if _, err := w.SealedUnder(t, anotherSecret).ReplaceSecret(t.Context()); err != nil {
			t.Fatal(err)
		}
		again := w.Do(t, servertest.Keyed("k", "/v1/webhooks", body))
		if diff := cmp.Diff([]string{"webhook_exists"}, again.Codes()); diff != "" || again.Status != 409 {
			t.Errorf("%d (-want +got):\n%s", again.Status, diff)
		}
	})
}

func TestAServiceWithoutASecretSealsNothing(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	config := w.Config
	config.Secret = nil
	service, err := v1.New(config)
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := service.CreateKey(t.Context(), v1.NewKey{Account: w.Account, Mode: "test"})
	if err != nil {
		t.Errorf("a key needs no secret: %v", err)
	}
	_, replaced := service.ReplaceSecret(t.Context())
	for name, err := range map[string]error{"ClaimSecret": service.Secret.Claim(t.Context()), "ReplaceSecret": replaced} {
		if !errors.Is(err, v1.ErrNoSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	create := httptest.NewRequest("POST", "/v1/webhooks", strings.NewReader(`{"url": "https://example.com/hook"}`))
	create.Header.Set("X-Api-Key", key)
	create.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	service.Handler().ServeHTTP(answer, create)
	if n := w.Count(t, "webhooks", "1 = 1"); n != 0 || answer.Code != http.StatusInternalServerError {
		t.Errorf("a webhook was made: %d, %d %s", n, answer.Code, answer.Body)
	}
	if _, err := server.New(server.Config{Service: service, Logger: config.Logger, BaseURL: config.BaseURL}); !errors.Is(err, v1.ErrNoSecret) {
		t.Errorf("a server without a secret: %v", err)
	}
	config.Secret = []byte("short")
	if _, err := v1.New(config); err == nil {
		t.Error("a secret of 5 bytes was taken")
	}
}
