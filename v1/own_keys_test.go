package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
)

// rotatedKey is the answer to a rotation.
type rotatedKey struct {
	ID            string   `json:"id"`
	Prefix        string   `json:"prefix"`
	Name          *string  `json:"name"`
	Mode          string   `json:"mode"`
	Permissions   []string `json:"permissions"`
	CreatedAt     string   `json:"created_at"`
	ExpiresAt     *string  `json:"expires_at"`
	LastUsedAt    *string  `json:"last_used_at"`
	Current       bool     `json:"current"`
	PredecessorID *string  `json:"predecessor_id"`
	SuccessorID   *string  `json:"successor_id"`

	Key     *string `json:"key"`
	Message *string `json:"message"`
	Ends    string  `json:"predecessor_expires_at"`
}

// rotateKey lets a key rotate itself, and expects that it does.
func rotateKey(t *testing.T, w *servertest.World, key string, body any, header ...string) rotatedKey {
	t.Helper()
	got := askRotation(t, w, key, body, header...)
	if got.Status != http.StatusCreated || got.Header.Get("Location") != "" || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("rotate: %d %v %s", got.Status, got.Header, got.Body)
	}
	return servertest.Into[rotatedKey](t, got)
}

func askRotation(t *testing.T, w *servertest.World, key string, body any, header ...string) servertest.Response {
	t.Helper()
	request := servertest.Request{Method: "POST", Path: "/v1/account/keys/current/rotate", Key: key, Body: body}
	if len(header) > 0 {
		request.Header = map[string]string{"Idempotency-Key": header[0]}
	}
	return w.Do(t, request)
}

// endKey lets a key revoke itself.
func endKey(t *testing.T, w *servertest.World, key string) servertest.Response {
	t.Helper()
	return w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/account/keys/current", Key: key})
}

// statusOf is the answer to a read with a key.
func statusOf(t *testing.T, w *servertest.World, key string) int {
	t.Helper()
	return w.Do(t, servertest.Request{Path: "/v1/categories?limit=1", Key: key}).Status
}

func TestAKeyRotatesItself(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		old, info, err := w.Service.CreateKey(t.Context(), v1.NewKey{
			Account: w.Account, Mode: "test", Name: "shop software", Permissions: v1.Some(permission.ItemsRead | permission.AccountWrite),
		})
		if err != nil {
			t.Fatal(err)
		}
		now := v1.TimeOf(w.Clock.Now())
		w.Clock.Advance(time.Hour)
		now = now.Add(time.Hour)
		got := rotateKey(t, w, old, nil, "rotate-once")
		key := *got.Key
		name := "shop software"
		want := rotatedKey{
			ID: keyID(key), Prefix: "dk_test_" + keyID(key), Name: &name, Mode: "test", Permissions: []string{"items:read", "account:write"},
			CreatedAt: now.String(), PredecessorID: &info.ID, Key: &key, Ends: now.Add(24 * time.Hour).String(),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the answer (-want +got):\n%s", diff)
		}

		t.Run("the same request again does not show the key", func(t *testing.T) {
			again := askRotation(t, w, old, nil, "rotate-once")
			repeated := servertest.Into[rotatedKey](t, again)
			message := "The key is shown once, and is not shown again. If you do not have it, rotate again with another Idempotency-Key: that revokes this key, " +
				"which nobody has used, and makes another one. If somebody has used it, ask the marketplace's operator to revoke it."
			want := want
			want.Key, want.Message = nil, &message
			if diff := cmp.Diff(want, repeated); diff != "" || again.Status != http.StatusCreated || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%d (-want +got):\n%s", again.Status, diff)
			}
			if secret := strings.Split(key, "_")[3]; strings.Contains(again.Body, secret) {
				t.Error("the answer shows the key")
			} else if left := servertest.Traces(t, w.Store, secret); len(left) > 0 {
				t.Errorf("the database has the key: %q", left)
			}
		})

		t.Run("a successor that was never used is replaced", func(t *testing.T) {
			second := rotateKey(t, w, old, object{"name": "another name", "overlap_seconds": 3600}, "rotate-twice")
			if status := statusOf(t, w, key); status != http.StatusUnauthorized {
				t.Errorf("the first successor answers %d", status)
			}
			if *second.Name != "another name" || second.Ends != now.Add(time.Hour).String() || *second.PredecessorID != info.ID {
				t.Errorf("the second: %+v", second)
			}
			if third := rotateKey(t, w, old, object{"overlap_seconds": 604800}); third.Ends != second.Ends {
				t.Errorf("a longer overlap moves the end of the old key to %s", third.Ends)
			} else {
				key = *third.Key
			}
		})

		t.Run("one that was used is not", func(t *testing.T) {
			if status := statusOf(t, w, key); status != http.StatusOK {
				t.Fatalf("the successor answers %d", status)
			}
			refused := askRotation(t, w, old, nil)
			if diff := cmp.Diff([]string{"key_already_rotated"}, refused.Codes()); diff != "" || refused.Status != http.StatusConflict {
				t.Fatalf("%d (-want +got):\n%s", refused.Status, diff)
			}
			if diff := cmp.Diff(map[string]any{"successor_id": keyID(key)}, refused.Errors[0].Details); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
		})

		t.Run("the old key ends after the overlap", func(t *testing.T) {
			w.Clock.Advance(time.Hour - time.Second)
			got := []int{statusOf(t, w, old), statusOf(t, w, key)}
			w.Clock.Advance(time.Second)
			got = append(got, statusOf(t, w, old), statusOf(t, w, key))
			if diff := cmp.Diff([]int{200, 200, 401, 200}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

func TestALeakedKeyIsReplacedWithTwoCalls(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		leaked := w.NewKey(t, w.Account, "live")
		fresh := *rotateKey(t, w, leaked, nil).Key
		if got := endKey(t, w, leaked); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		} else if diff := cmp.Diff(object{"id": keyID(leaked), "deleted": true}, servertest.Into[object](t, got)); diff != "" {
			t.Errorf("the answer (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int{401, 200}, []int{statusOf(t, w, leaked), statusOf(t, w, fresh)}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}

		t.Run("or with one that leaves no overlap", func(t *testing.T) {
			next := *rotateKey(t, w, fresh, object{"overlap_seconds": 0}).Key
			if diff := cmp.Diff([]int{401, 200}, []int{statusOf(t, w, fresh), statusOf(t, w, next)}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

// A key that is made for a year is followed by one for a year, however often it is rotated and whoever does it.
func TestASuccessorLivesAsLongAsTheKeyWasMadeFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const year = 365 * 24 * time.Hour
		create := func(lifetime v1.Opt[v1.Time]) string {
			key, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: w.Account, Mode: "test", ExpiresAt: lifetime})
			if err != nil {
				t.Fatal(err)
			}
			return key
		}
		made := v1.TimeOf(w.Clock.Now())
		mortal, older, immortal := create(v1.Some(made.Add(year))), create(v1.Some(made.Add(year))), create(v1.Opt[v1.Time]{})
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			return tx.APIKey.UpdateOneID(keyID(older)).ClearLifetime().Exec(ctx) // as a program before 1.6.0 made it
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(year - time.Hour)
		end := v1.TimeOf(w.Clock.Now()).Add(year).String()
		for name, test := range map[string]struct {
			key  string
			want *string
			ends v1.Time
		}{
			"with an end":                    {mortal, &end, made.Add(year)},
			"with an end, of an old program": {older, &end, made.Add(year)},
			"without an end":                 {immortal, nil, v1.TimeOf(w.Clock.Now()).Add(24 * time.Hour)},
		} {
			first, second := rotateKey(t, w, test.key, nil), rotateKey(t, w, test.key, nil)
			third := rotateKey(t, w, *second.Key, nil)
			got := []*string{first.ExpiresAt, second.ExpiresAt, third.ExpiresAt}
			if diff := cmp.Diff([]*string{test.want, test.want, test.want}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if first.Ends != test.ends.String() {
				t.Errorf("%s: it ends at %s instead of %s", name, first.Ends, test.ends)
			}
		}
	})
}

// Operators make keys that end in the last second of 9999, and mean never. A later year has five digits, which RFC 3339 does not have.
func TestASuccessorEndsInAYearOfFourDigits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		never := v1.TimeOf(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
		key, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: w.Account, Mode: "test", ExpiresAt: v1.Some(never)})
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Hour)
		want := never.String()
		if diff := cmp.Diff(&want, rotateKey(t, w, key, nil).ExpiresAt); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTenKeysAreInUseDuringAnOverlap(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		account, key, live := w.Seller(t, "many")
		for range v1.MaxLiveKeys - 1 {
			w.NewKey(t, account, "test")
		}
		refused := askRotation(t, w, key, nil)
		if diff := cmp.Diff([]string{"key_limit_reached"}, refused.Codes()); diff != "" || refused.Status != http.StatusConflict {
			t.Fatalf("%d (-want +got):\n%s", refused.Status, diff)
		}
		if diff := cmp.Diff(map[string]any{"limit": 10.0}, refused.Errors[0].Details); diff != "" {
			t.Errorf("details (-want +got):\n%s", diff)
		}
		rotateKey(t, w, live, nil) // the other mode has its own ten
		fresh := *rotateKey(t, w, key, object{"overlap_seconds": 0}).Key
		if diff := cmp.Diff([]int{401, 200}, []int{statusOf(t, w, key), statusOf(t, w, fresh)}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsAskedOfARotationIsChecked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for body, want := range map[string]string{
			`{"overlap_seconds":604801}`:                 "out_of_range overlap_seconds",
			`{"overlap_seconds":-1}`:                     "out_of_range overlap_seconds",
			`{"overlap_seconds":"60"}`:                   "invalid_type overlap_seconds",
			`{"name":"` + strings.Repeat("é", 65) + `"}`: "too_long name",
			`{"name":"two\nlines"}`:                      "invalid_value name",
			`{"permissions":["items:read"]}`:             "unknown_field permissions",
		} {
			if got := askRotation(t, w, w.Key, body); got.Status != http.StatusUnprocessableEntity || !slices.Equal(got.Codes(), []string{want}) {
				t.Errorf("%s: %d %v", body, got.Status, got.Codes())
			}
		}
		if got := rotateKey(t, w, w.Key, `{"overlap_seconds":null,"name":null}`); got.Ends != v1.TimeOf(w.Clock.Now()).Add(24*time.Hour).String() || *got.Name != "tests" {
			t.Errorf("null counts as absent: %+v", got)
		}
	})
}

func TestAnIdempotencyKeyOfARotationBelongsToTheKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		second := w.NewKey(t, w.Account, "test")
		successor := *rotateKey(t, w, w.Key, nil, "monthly").Key
		for name, key := range map[string]string{"another key": second, "the successor": successor} {
			if got := askRotation(t, w, key, nil, "monthly"); !slices.Equal(got.Codes(), []string{"idempotency_key_reused Idempotency-Key"}) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
	})
}

// kindOfKey makes a key with which something is tried, and says what its operations answer: the list, two rotations and the end.
type kindOfKey struct {
	make func(t *testing.T, w *servertest.World, account int64) string
	want []int
}

func created(permissions v1.Opt[v1.Permissions], expires v1.Opt[v1.Time]) func(*testing.T, *servertest.World, int64) string {
	return func(t *testing.T, w *servertest.World, account int64) string {
		t.Helper()
		key, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: account, Mode: "test", Permissions: permissions, ExpiresAt: expires})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
}

// kindsOfKeys are all kinds that a thief may have.
func kindsOfKeys(w *servertest.World) map[string]kindOfKey {
	all, never := v1.Opt[v1.Permissions]{}, v1.Opt[v1.Time]{}
	whole := created(all, never)
	suspend := func(t *testing.T, w *servertest.World, account int64) string {
		t.Helper()
		key := whole(t, w, account)
		if _, err := w.Service.Suspend(t.Context(), account, true); err != nil {
			t.Fatal(err)
		}
		return key
	}
	return map[string]kindOfKey{
		"a test key":                   {whole, []int{200, 201, 201, 401}},
		"a live key":                   {func(t *testing.T, w *servertest.World, account int64) string { return w.NewKey(t, account, "live") }, []int{200, 201, 201, 401}},
		"a limited key":                {created(v1.Some(permission.AccountWrite), never), []int{200, 201, 201, 401}},
		"a key that only reads":        {created(v1.Some(permission.Reads), never), []int{200, 403, 403, 403}},
		"a key of items":               {created(v1.Some(permission.ItemsWrite), never), []int{403, 403, 403, 403}},
		"a key of a suspended account": {suspend, []int{403, 403, 403, 403}},
		"an expired key": {func(t *testing.T, w *servertest.World, account int64) string {
			key := created(all, v1.Some(v1.TimeOf(w.Clock.Now()).Add(time.Minute)))(t, w, account)
			w.Clock.Advance(time.Minute)
			return key
		}, []int{401, 401, 401, 401}},
		"a revoked key": {func(t *testing.T, w *servertest.World, account int64) string {
			key := whole(t, w, account)
			if got := endKey(t, w, key); got.Status != http.StatusOK {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
			return key
		}, []int{401, 401, 401, 401}},
		"a rotated key": {func(t *testing.T, w *servertest.World, account int64) string {
			key := whole(t, w, account)
			rotateKey(t, w, key, nil)
			return key
		}, []int{200, 201, 201, 401}},
		"a rotated key whose successor is used": {func(t *testing.T, w *servertest.World, account int64) string {
			key := whole(t, w, account)
			statusOf(t, w, *rotateKey(t, w, key, nil).Key)
			return key
		}, []int{200, 409, 409, 200}},
		"a successor that is not used yet": {func(t *testing.T, w *servertest.World, account int64) string {
			return *rotateKey(t, w, whole(t, w, account), nil).Key
		}, []int{200, 201, 201, 401}},
		"an imported key of /rest": {func(t *testing.T, w *servertest.World, account int64) string {
			key := strings.Repeat("k", 54) + fmt.Sprintf("%010d", account)
			made := w.DoOperator(t, servertest.Request{Path: fmt.Sprintf("/operator/accounts/%d/legacy-keys", account), Body: object{"key": key}})
			if made.Status != http.StatusCreated {
				t.Fatalf("%d %s", made.Status, made.Body)
			}
			return key
		}, []int{401, 401, 401, 401}},
	}
}

func TestNoKeyLocksOutAnother(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		number := 0
		for name, kind := range kindsOfKeys(w) {
			t.Run(name, func(t *testing.T) {
				number++
				w.Clock.Advance(time.Minute) // an address may fail 20 times a minute
				account, test, live := w.Seller(t, "victim-"+strconv.Itoa(number))
				_, stranger, _ := w.Seller(t, "stranger-"+strconv.Itoa(number))
				used := w.NewKey(t, account, "test")
				successor := *rotateKey(t, w, used, nil).Key
				others := []string{test, live, stranger, used, successor, w.Key}
				for _, key := range others {
					if got := statusOf(t, w, key); got != http.StatusOK {
						t.Fatalf("%d before anything was tried", got)
					}
				}
				key := kind.make(t, w, account)
				got := []int{w.Do(t, servertest.Request{Path: "/v1/account/keys", Key: key}).Status}
				for _, overlap := range []int{3600, 0} {
					got = append(got, askRotation(t, w, key, object{"overlap_seconds": overlap}).Status)
				}
				got = append(got, endKey(t, w, key).Status)
				if diff := cmp.Diff(kind.want, got); diff != "" {
					t.Errorf("the list, two rotations and the end (-want +got):\n%s", diff)
				}
				if _, err := w.Service.Suspend(t.Context(), account, false); err != nil {
					t.Fatal(err)
				}
				for i, key := range others {
					if got := statusOf(t, w, key); got != http.StatusOK {
						t.Errorf("key %d of the others answers %d", i, got)
					}
				}
			})
		}
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}

func TestTheOperatorSwitchesRotationOff(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, request := range []servertest.Request{
			{Method: "POST", Path: "/v1/account/keys/current/rotate", Body: "{"}, // it is not read
			{Method: "DELETE", Path: "/v1/account/keys/current"},
		} {
			got := w.Do(t, request)
			if diff := cmp.Diff([]string{"permission_denied"}, got.Codes()); diff != "" || got.Status != http.StatusForbidden {
				t.Fatalf("%s: %d (-want +got):\n%s", request.Method, got.Status, diff)
			}
			if diff := cmp.Diff(map[string]any{"permission": "account:write"}, got.Errors[0].Details); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
			if !strings.Contains(got.Errors[0].Message, "operator") {
				t.Errorf("message: %s", got.Errors[0].Message)
			}
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/account/keys"}); got.Status != http.StatusOK {
			t.Errorf("the list: %d %s", got.Status, got.Body)
		}
		if _, _, err := w.Service.RotateKey(t.Context(), keyID(w.Key), time.Hour); err != nil {
			t.Errorf("the operator cannot rotate: %v", err)
		}
	}, func(c *v1.Config) { c.NoKeyRotation = true })
}
