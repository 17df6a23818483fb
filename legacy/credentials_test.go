package legacy_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

// outcome is what became of a call: its status, and the code of a refusal.
type outcome struct {
	Status int
	Code   string
}

func outcomeOf(a servertest.RestAnswer) outcome { return outcome{a.Status, a.Text("body/errorCode")} }

// importedKey makes a key of the old interface valid for the seller.
func importedKey(t *testing.T, w *servertest.World, key string) {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + v1.ID(w.Account).String() + "/legacy-keys", Body: map[string]any{"key": key}})
	if got.Status != http.StatusCreated {
		t.Fatalf("import: %d %s", got.Status, got.Body)
	}
}

func keyID(key string) string { return strings.Split(key, "_")[2] }

func TestWhoMayCall(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		imported := strings.Repeat("aB3d", 16)
		importedKey(t, w, imported)
		token := w.Session(t, w.Key)
		other := w.Config
		other.Secret = []byte("fedcba9876543210fedcba9876543210")
		elsewhere, err := v1.New(other)
		if err != nil {
			t.Fatal(err)
		}
		foreign := elsewhere.SealToken([]byte(keyID(w.Key) + " 9999999999999999"))
		welcome := outcome{200, ""}
		missing, invalid := outcome{401, "missing_api_key"}, outcome{401, "invalid_api_key"}
		for _, test := range []struct {
			name, method, path, form string
			header                   []string
			want                     outcome
		}{
			{"no credentials", "GET", "/rest/seller", "", nil, missing},
			{"an empty token", "GET", "/rest/seller", "token=", nil, missing},
			{"a list of tokens", "GET", "/rest/seller", "token[]=" + token, nil, missing},
			{"a token", "GET", "/rest/seller", "token=" + token, nil, welcome},
			{"a token in a body", "DELETE", "/rest/notification/36", "token=" + token, nil, outcome{404, "webhook_not_found"}},
			{"the last of two tokens", "GET", "/rest/seller", "token=nonsense&token=" + token, nil, welcome},
			{"a made-up token", "GET", "/rest/seller", "token=nonsense", nil, invalid},
			{"a damaged token", "GET", "/rest/seller", "token=" + token[:len(token)-1], nil, invalid},
			{"a token of another service", "GET", "/rest/seller", "token=" + foreign, nil, invalid},
			{"a key for a token", "GET", "/rest/seller", "token=" + w.Key, nil, invalid},
			{"a key where only a login takes it", "GET", "/rest/seller", "apikey=" + w.Key, nil, missing},
			{"a key in the header of /v1", "GET", "/rest/seller", "", []string{"X-Api-Key", w.Key}, welcome},
			{"an imported key in the header", "GET", "/rest/seller", "", []string{"X-Api-Key", imported}, welcome},
			{"a key in the header beside an old token", "GET", "/rest/seller", "token=nonsense", []string{"X-Api-Key", w.Key}, welcome},
			{"a wrong key in the header beside a token", "GET", "/rest/seller", "token=" + token, []string{"X-Api-Key", "nonsense"}, invalid},
			{"two keys in headers", "GET", "/rest/seller", "", []string{"X-Api-Key", w.Key, "X-Api-Key", w.Key}, invalid},
			{"a token in the header", "GET", "/rest/seller", "", []string{"X-Api-Key", token}, invalid},
			{"another header", "GET", "/rest/seller", "", []string{"Authorization", "Bearer " + w.Key}, missing},

			{"a login", "POST", "/rest/seller", "apikey=" + w.Key, nil, welcome},
			{"a login by the query", "POST", "/rest/seller?apikey=" + w.LiveKey, "", nil, welcome},
			{"a login with an imported key", "POST", "/rest/seller", "apikey=" + imported, nil, welcome},
			{"a login with a key as a line of a file ends", "POST", "/rest/seller", "apikey=" + w.Key + "%0D%0A", nil, welcome},
			{"a login with a form as a file ends", "POST", "/rest/seller", "apikey=" + w.Key + "\r\n", nil, welcome},
			{"a login with blanks alone", "POST", "/rest/seller", "apikey=+", nil, missing},
			{"a token with the end of a line", "GET", "/rest/seller", "token=" + token + "%0A", nil, invalid},
			{"a token at the end of a form as a file ends", "DELETE", "/rest/notification/36", "token=" + token + "\n", nil, outcome{404, "webhook_not_found"}},
			{"a login without a key", "POST", "/rest/seller", "", nil, missing},
			{"a login with an unknown key", "POST", "/rest/seller", "apikey=" + strings.Repeat("z", 64), nil, invalid},
			{"a login with a token", "POST", "/rest/seller", "apikey=" + token, nil, invalid},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Rest(t, test.method, test.path, test.form, test.header...)
				if diff := cmp.Diff(test.want, outcomeOf(got)); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s", diff, got.Body)
				}
				if challenge := got.Header.Get("WWW-Authenticate"); (challenge == "ApiKey") != (got.Status == http.StatusUnauthorized) {
					t.Errorf("%d challenges with %q", got.Status, challenge)
				}
			})
		}
	})
}

func TestATokenIsNoMoreThanItsKey(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		ask := func(token string) outcome { return outcomeOf(w.Rest(t, "GET", "/rest/seller", "token="+token)) }
		welcome, invalid := outcome{200, ""}, outcome{401, "invalid_api_key"}
		expect := func(what string, want outcome, token string) {
			t.Helper()
			if diff := cmp.Diff(want, ask(token)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		ctx := context.Background()
		revoked := w.NewKey(t, w.Account, "live")
		brief, _, err := w.Service.CreateKey(ctx, v1.NewKey{Account: w.Account, Mode: "live", ExpiresAt: v1.Some(v1.TimeOf(w.Clock.Now().Add(10 * time.Minute)))})
		if err != nil {
			t.Fatal(err)
		}
		token, revokedToken, briefToken := w.Session(t, w.LiveKey), w.Session(t, revoked), w.Session(t, brief)
		if url.QueryEscape(token) != token {
			t.Errorf("the token %q needs escaping", token)
		}

		expect("before its key is revoked", welcome, revokedToken)
		if _, err := w.Service.RevokeKey(ctx, keyID(revoked)); err != nil {
			t.Fatal(err)
		}
		expect("after its key was revoked", invalid, revokedToken)

		expect("before its key expires", welcome, briefToken)
		w.Clock.Advance(10 * time.Minute)
		expect("after its key expired", invalid, briefToken)

		w.Clock.Advance(20*time.Minute - time.Microsecond)
		expect("in the last of its 30 minutes", welcome, token)
		w.Clock.Advance(time.Microsecond)
		expect("after 30 minutes", invalid, token)
	})
}

func TestATokenSurvivesARestart(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		service, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		if w.Server, err = server.New(server.Config{Service: service, Logger: w.Config.Logger, BaseURL: w.Config.BaseURL}); err != nil {
			t.Fatal(err)
		}
		if got := w.Rest(t, "GET", "/rest/seller", "token="+token); got.Status != http.StatusOK {
			t.Errorf("after the restart: %d %s", got.Status, got.Body)
		}
	})
}

func TestATokenSeesTheModeAndTheAccountOfItsKey(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice()) // in test mode
		_, bruno, _ := w.Seller(t, "bruno")
		got := map[string]outcome{}
		for name, key := range map[string]string{"its seller": w.Key, "its seller in live mode": w.LiveKey, "another seller": bruno} {
			got[name] = outcomeOf(w.Rest(t, "GET", "/rest/item/"+item, "token="+w.Session(t, key)))
		}
		want := map[string]outcome{"its seller": {200, ""}, "its seller in live mode": {404, "item_not_found"}, "another seller": {404, "item_not_found"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestASuspendedSellerIsRefusedAndCharged(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		token := w.Session(t, w.Key)
		suspended := w.DoOperator(t, servertest.Request{Method: "PATCH", Path: "/operator/accounts/" + v1.ID(w.Account).String(), Body: map[string]any{"status": "suspended"}})
		if suspended.Status != http.StatusOK {
			t.Fatalf("suspend: %d %s", suspended.Status, suspended.Body)
		}
		got := []outcome{
			outcomeOf(w.Rest(t, "GET", "/rest/seller", "token="+token)),
			outcomeOf(w.Rest(t, "POST", "/rest/seller", "apikey="+w.Key)),
			outcomeOf(w.Rest(t, "GET", "/rest/seller", "token="+token)),
		}
		if diff := cmp.Diff([]outcome{{403, "account_suspended"}, {403, "account_suspended"}, {429, "rate_limited"}}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}, func(c *v1.Config) { c.RateLimit = 3 })
}

func TestGuessingIsChargedToTheAddress(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for range 10 { // twenty a minute for both interfaces together
			w.Rest(t, "GET", "/rest/seller", "token=guess")
			w.Do(t, servertest.Request{Path: "/v1/account", Key: "guess"})
		}
		got := []outcome{
			outcomeOf(w.Rest(t, "GET", "/rest/seller", "token=guess")), outcomeOf(w.Rest(t, "POST", "/rest/seller", "apikey="+w.Key)),
		}
		if diff := cmp.Diff([]outcome{{429, "rate_limited"}, {200, ""}}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTheLogHoldsNeitherKeysNorTokensNorQueries(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"sqlite": servertest.SQLite, "postgres": servertest.Postgres} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			w := newWorld(t, database(t), func(c *v1.Config) {
				c.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			imported := strings.Repeat("aB3d", 16)
			importedKey(t, w, imported)
			token := w.Session(t, w.Key)
			log.Reset()
			w.Rest(t, "POST", "/rest/seller?apikey="+w.Key, "")
			w.Rest(t, "POST", "/rest/seller", "apikey="+imported)
			w.Rest(t, "GET", "/rest/item/reference/secretpath", "token="+token+"&q=secretquery")
			w.Rest(t, "GET", "/rest/"+w.Key, "token="+token)
			w.Rest(t, "POST", "/rest/item", "token="+token+"&title=secretbody&"+w.Key+"=1")
			r := httptest.NewRequest("POST", "/rest/item?token="+token, broken{})
			w.RestRequest(t, r)
			if lines := strings.Count(log.String(), `"stack":"rest"`); lines != 6 || !strings.Contains(log.String(), `"op":"rest.item-by-reference"`) ||
				!strings.Contains(log.String(), "boom") {
				t.Errorf("%d lines of the stack, want 6: %s", lines, &log)
			}
			for _, secret := range []string{w.Key, strings.Split(w.Key, "_")[3], imported, token, "token=", "apikey=", "secretpath", "secretquery", "secretbody"} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log holds %q: %s", secret, &log)
				}
			}
		})
	}
}
