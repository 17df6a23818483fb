package v1_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// oldKey is a key as the old interface made them.
func oldKey(c string) string { return strings.Repeat(c, 64) }

// importKey makes a key of the old interface valid for an account and returns its id.
func importKey(t *testing.T, w *servertest.World, account int64, key string) string {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + v1.ID(account).String() + "/legacy-keys", Body: object{"key": key}})
	if got.Status != http.StatusCreated {
		t.Fatalf("import: %d %s", got.Status, got.Body)
	}
	return servertest.Into[object](t, got)["id"].(string)
}

// codesOf are the codes of a refusal, none of a success.
func codesOf(t *testing.T, err error) []string {
	t.Helper()
	var known v1.Errors
	if err != nil && !errors.As(err, &known) {
		t.Fatalf("not a refusal: %v", err)
	}
	codes := []string{}
	for _, e := range known {
		codes = append(codes, string(e.Code))
	}
	return codes
}

var withoutLimits = cmpopts.IgnoreFields(v1.Caller{}, "Limits", "May")

func TestTheLegacyInterfaceAcceptsKeysOfBothKinds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		imported := importKey(t, w, w.Account, oldKey("a"))
		other, _, _ := w.Seller(t, "bruno")
		theirs := importKey(t, w, other, oldKey("b"))
		caller := func(account int64, test bool, key string) v1.Caller {
			return v1.Caller{AccountID: account, Owner: v1.OwnerOf(account, test), Test: test, TimeZone: "Europe/Brussels", Currency: "EUR", KeyID: key}
		}
		for _, test := range []struct {
			name, key string
			want      v1.Caller
		}{
			{"a test key", w.Key, caller(w.Account, true, keyID(w.Key))},
			{"a live key", w.LiveKey, caller(w.Account, false, keyID(w.LiveKey))},
			{"an imported key", oldKey("a"), caller(w.Account, false, imported)},
			{"another seller's imported key", oldKey("b"), caller(other, false, theirs)},
		} {
			byKey, err1 := w.Service.AuthenticateLegacy(ctx, &v1.Call{}, test.key)
			byID, err2 := w.Service.AuthenticateKeyID(ctx, &v1.Call{}, test.want.KeyID)
			if err := errors.Join(err1, err2); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			if diff := cmp.Diff([]v1.Caller{test.want, test.want}, []v1.Caller{byKey, byID}, withoutLimits); diff != "" {
				t.Errorf("%s (-want +got by key, by id):\n%s", test.name, diff)
			}
		}

		t.Run("/v1 does not accept an imported one", func(t *testing.T) {
			got := w.Do(t, servertest.Request{Path: "/v1/account", Key: oldKey("a")})
			if diff := cmp.Diff([]string{"invalid_api_key"}, got.Codes()); diff != "" || got.Status != http.StatusUnauthorized {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
		})
	})
}

func TestTheLegacyInterfaceRefusesAllKeysAlike(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		revoked := w.NewKey(t, w.Account, "live")
		imported := importKey(t, w, w.Account, oldKey("a"))
		for _, id := range []string{keyID(revoked), imported} {
			if _, err := w.Service.RevokeKey(ctx, id); err != nil {
				t.Fatalf("revoke %s: %v", id, err)
			}
		}
		expired, _, err := w.Service.CreateKey(ctx, v1.NewKey{Account: w.Account, Mode: "test", ExpiresAt: v1.Some(v1.TimeOf(w.Clock.Now().Add(time.Hour)))})
		if err != nil {
			t.Fatalf("create: %v", err)
		}
		w.Clock.Advance(time.Hour)
		_, want := w.Service.AuthenticateLegacy(ctx, &v1.Call{}, "nonsense")
		if diff := cmp.Diff([]string{"invalid_api_key"}, codesOf(t, want)); diff != "" {
			t.Fatalf("nonsense (-want +got):\n%s", diff)
		}
		for name, key := range map[string]string{
			"an unknown key of the old form": oldKey("z"), "one character less": oldKey("a")[1:], "a revoked imported key": oldKey("a"),
			"a revoked key": revoked, "an expired key": expired, "an unknown key": probe.ForgedKey("live", strings.Repeat("x", 12)),
			"a key with a wrong secret": probe.ForgedKey("test", keyID(w.Key)), "an imported key's id": imported,
		} {
			caller, err := w.Service.AuthenticateLegacy(ctx, &v1.Call{}, key)
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(err)); diff != "" || cmp.Diff(v1.Caller{}, caller, withoutLimits) != "" {
				t.Errorf("%s: %+v (-nonsense +got):\n%s", name, caller, diff)
			}
		}
		for name, id := range map[string]string{
			"none": "", "an unknown one": strings.Repeat("x", 12), "an unknown one of an imported key": strings.Repeat("f", 12),
			"one of another form": "'; --", "a revoked imported key's": imported, "a revoked key's": keyID(revoked), "an expired key's": keyID(expired),
		} {
			caller, err := w.Service.AuthenticateKeyID(ctx, &v1.Call{}, id)
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(err)); diff != "" || cmp.Diff(v1.Caller{}, caller, withoutLimits) != "" {
				t.Errorf("the id %s: %+v (-nonsense +got):\n%s", name, caller, diff)
			}
		}
		_, err = w.Service.AuthenticateLegacy(ctx, &v1.Call{}, "")
		if diff := cmp.Diff([]string{"missing_api_key"}, codesOf(t, err)); diff != "" {
			t.Errorf("no key (-want +got):\n%s", diff)
		}
	})
}

func TestASuspendedAccountIsRefusedOnTheLegacyInterface(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		imported := importKey(t, w, w.Account, oldKey("a"))
		patchAccount(t, w, "/operator/accounts/"+accountID(w), object{"status": "suspended"})
		for name, authenticate := range map[string]func() (v1.Caller, error){
			"an imported key":       func() (v1.Caller, error) { return w.Service.AuthenticateLegacy(ctx, &v1.Call{}, oldKey("a")) },
			"a key":                 func() (v1.Caller, error) { return w.Service.AuthenticateLegacy(ctx, &v1.Call{}, w.LiveKey) },
			"an imported key by id": func() (v1.Caller, error) { return w.Service.AuthenticateKeyID(ctx, &v1.Call{}, imported) },
			"a key by id":           func() (v1.Caller, error) { return w.Service.AuthenticateKeyID(ctx, &v1.Call{}, keyID(w.LiveKey)) },
		} {
			caller, err := authenticate()
			if diff := cmp.Diff([]string{"account_suspended"}, codesOf(t, err)); diff != "" || caller.Owner != v1.OwnerOf(w.Account, false) {
				t.Errorf("%s: owner %d, to whom it is charged (-want +got):\n%s", name, caller.Owner, diff)
			}
		}
	})
}

func TestTheAccountShowsAnImportedKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		importKey(t, w, w.Account, oldKey("a"))
		// use authenticates, lets the worker store what it noted, and reads the account's key.
		use := func() (key v1.AccountKey, stored int) {
			caller, err := w.Service.AuthenticateLegacy(ctx, &v1.Call{}, oldKey("a"))
			if err != nil {
				t.Fatalf("authenticate: %v", err)
			}
			if stored, err = w.Service.TouchKeysOnce(ctx); err != nil {
				t.Fatalf("touch: %v", err)
			}
			out, err := v1.GetAccount.Run(ctx, w.Service, &v1.Call{Caller: caller}, v1.GetAccount.NewInput())
			if err != nil {
				t.Fatalf("read the account: %v", err)
			}
			return out.(*v1.Account).Key, stored
		}
		start := v1.TimeOf(servertest.Start)
		for _, step := range []struct {
			name   string
			after  time.Duration
			used   v1.Time
			stored int
		}{
			{"the first use", 0, start, 1},
			{"again within the minute", 59 * time.Second, start, 0},
			{"a minute later", time.Second, start.Add(time.Minute), 1},
		} {
			w.Clock.Advance(step.after)
			key, stored := use()
			want := v1.AccountKey{Prefix: "legacy", Name: v1.Some("imported legacy key"), CreatedAt: start, LastUsedAt: v1.Some(step.used)}
			if diff := cmp.Diff(want, key); diff != "" || stored != step.stored {
				t.Errorf("%s: %d keys stored, key (-want +got):\n%s", step.name, stored, diff)
			}
		}
	})
}

func TestTheOperatorRevokesAnImportedKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		id, kept := importKey(t, w, w.Account, oldKey("a")), importKey(t, w, w.Account, oldKey("b"))
		for _, when := range []string{"once", "and again"} {
			got := w.DoOperator(t, servertest.Request{Method: http.MethodDelete, Path: "/operator/keys/" + id})
			if diff := cmp.Diff(object{"id": id, "deleted": true}, servertest.Into[object](t, got)); diff != "" || got.Status != 200 {
				t.Errorf("%s: %d (-want +got):\n%s", when, got.Status, diff)
			}
		}
		_, err := w.Service.AuthenticateKeyID(ctx, &v1.Call{}, id)
		if diff := cmp.Diff([]string{"invalid_api_key"}, codesOf(t, err)); diff != "" {
			t.Errorf("its sessions (-want +got):\n%s", diff)
		}
		if _, err := w.Service.AuthenticateKeyID(ctx, &v1.Call{}, kept); err != nil {
			t.Errorf("the other key: %v", err)
		}
	})
}

func TestNoTwoKeysShareAnID(t *testing.T) {
	t.Run("an imported key whose fingerprint is another's is refused", func(t *testing.T) {
		servertest.Each(t, func(t *testing.T, w *servertest.World) {
			hash := sha256.Sum256([]byte(oldKey("a")))
			hash[31] ^= 1
			err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
				return tx.LegacyKey.Create().SetID(1).SetAccountID(w.Account).SetTest(false).SetSecretSha256(hash[:]).SetLastFour("xxxx").
					SetCreatedAt(0).Exec(ctx)
			})
			if err != nil {
				t.Fatalf("store the other: %v", err)
			}
			got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w) + "/legacy-keys", Body: object{"key": oldKey("a")}})
			if diff := cmp.Diff([]string{"invalid_value key"}, got.Codes()); diff != "" || w.Count(t, "legacy_keys", "1 = 1") != 1 {
				t.Errorf("%d %s (-want +got):\n%s", got.Status, got.Body, diff)
			}
		})
	})
	t.Run("a new key's id never looks like an imported one's", func(t *testing.T) {
		w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { // the first id drawn is all zeros
			c.Random = io.MultiReader(bytes.NewReader(make([]byte, 13)), rand.Reader)
		})
		if _, err := hex.DecodeString(keyID(w.Key)); err == nil {
			t.Errorf("the id is %s", keyID(w.Key))
		}
	})
}
