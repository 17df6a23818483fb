package hooks_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// rotate gives a webhook a new secret.
func rotate(t *testing.T, w *servertest.World, id string) (secret string) {
	t.Helper()
	got := servertest.Into[servertest.Webhook](t, w.PatchWebhook(t, id, object{"rotate_secret": true}))
	if got.Secret == nil || got.SecretHint != "whsec_…"+(*got.Secret)[len(*got.Secret)-4:] {
		t.Fatalf("rotated: %+v", got)
	}
	return *got.Secret
}

// signers says which of some secrets verify an arrival, and how many signatures it has.
func signers(t *testing.T, a servertest.Arrival, secrets ...string) string {
	t.Helper()
	out := ""
	for i, secret := range secrets {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if verifier.VerifyIgnoringTimestamp([]byte(a.Body), a.Header) == nil {
			out += fmt.Sprint(i+1) + " "
		}
	}
	return out + fmt.Sprintf("of %d signatures", strings.Count(a.Header.Get("webhook-signature"), "v1,"))
}

func TestTheOldSecretSignsForADayBesideTheNewOne(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		first := *hook.Secret
		send := func() servertest.Arrival {
			w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", nil)
			servertest.DeliverAll(t, w.Service)
			got := s.Take()
			if len(got) != 1 {
				t.Fatalf("%d arrived", len(got))
			}
			return got[0]
		}
		second := rotate(t, w, hook.ID)
		both := send()
		newest, err := standardwebhooks.NewWebhook(second)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := newest.Sign(both.Header.Get("webhook-id"), servertest.Start, []byte(both.Body))
		if header := both.Header.Get("webhook-signature"); err != nil || !strings.HasPrefix(header, signature+" v1,") || strings.Count(header, " ") != 1 {
			t.Errorf("the header %q does not begin with %q (%v)", header, signature, err)
		}
		w.Clock.Advance(24*time.Hour - time.Second)
		almost := send()
		w.Clock.Advance(time.Second)
		after := send()
		third := rotate(t, w, hook.ID)
		fourth := rotate(t, w, hook.ID)
		twice := send()
		var got []string
		for _, a := range []servertest.Arrival{both, almost, after, twice} {
			got = append(got, signers(t, a, first, second, third, fourth))
		}
		want := []string{"1 2 of 2 signatures", "1 2 of 2 signatures", "2 of 1 signatures", "3 4 of 2 signatures"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after a rotation, almost a day later, a day later, after two rotations (-want +got):\n%s", diff)
		}
	})
}

func TestAWrongServiceSecretCostsNoEvent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		wrong := w.SealedUnder(t, "another-secret-of-the-same-size!")
		for range 200 { // more than the schedule has attempts
			if n := servertest.DeliverAll(t, wrong); n != 0 {
				t.Fatalf("%d attempts without a secret", n)
			}
			w.Clock.Advance(10 * time.Minute)
		}
		if got := s.Take(); len(got) != 0 {
			t.Errorf("%d arrived unsigned", len(got))
		}
		servertest.DeliverAll(t, w.Service)
		arrived := s.Take()
		if len(arrived) != 1 || signers(t, arrived[0], *hook.Secret) != "1 of 1 signatures" {
			t.Errorf("with the right secret: %+v", arrived)
		}
		log := w.Deliveries(t, "")
		if len(log) != 1 || log[0].Attempt != 1 || log[0].Status != "succeeded" {
			t.Errorf("log: %+v", log)
		}
	})
}

func TestASecretThatDoesNotOpenStopsItsWebhookAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		broken, well := servertest.NewReceiver(t), servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": broken.URL})
		other := w.Subscribe(t, object{"url": well.URL})
		err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			// A secret opens only in the row that it was sealed for.
			_, err := tx.ExecContext(ctx, `UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE url = $1) WHERE url = $2`, well.URL, broken.URL)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		if got := well.Take(); len(got) != 1 || signers(t, got[0], *other.Secret) != "1 of 1 signatures" {
			t.Errorf("the other webhook got %d", len(got))
		}
		if got := broken.Take(); len(got) != 0 {
			t.Errorf("%d arrived", len(got))
		}
		fresh := rotate(t, w, hook.ID)
		w.Clock.Advance(2 * time.Minute)
		servertest.DeliverAll(t, w.Service)
		if got := broken.Take(); len(got) != 1 || signers(t, got[0], fresh) != "1 of 1 signatures" {
			t.Errorf("after a rotation: %+v", got)
		}
	})
}

func TestARepeatedCreationShowsTheSameSecret(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		body := object{"url": "https://example.com/hook"}
		first := w.Do(t, servertest.Keyed("k", "/v1/webhooks", body))
		again := w.Do(t, servertest.Keyed("k", "/v1/webhooks", body))
		if diff := cmp.Diff(first.Body, again.Body); diff != "" || again.Status != 201 || again.Header.Get("Idempotent-Replayed") != "true" ||
			again.Header.Get("Location") != first.Header.Get("Location") {
			t.Errorf("%d %v (-first +again):\n%s", again.Status, again.Header, diff)
		}
		if n := w.Count(t, "webhooks", "1 = 1"); n != 1 {
			t.Errorf("%d webhooks", n)
		}
		reused := w.Do(t, servertest.Keyed("k", "/v1/webhooks", object{"url": "https://example.com/other"}))
		if diff := cmp.Diff([]string{"idempotency_key_reused Idempotency-Key"}, reused.Codes()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := w.Count(t, "idempotency_keys", "body LIKE '%whsec%' OR body LIKE '%example%'"); n != 0 {
			t.Errorf("%d answers are kept in the clear", n)
		}
	})
}

func TestNoSecretIsLeftAnywhere(t *testing.T) {
	var logs sync.Map // of the worlds, by their databases
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		made := w.Do(t, servertest.Keyed("k", "/v1/webhooks", object{"url": s.URL}))
		hook := servertest.Into[servertest.Webhook](t, made)
		secrets := []string{*hook.Secret, rotate(t, w, hook.ID)}
		w.List(t, servertest.FixedPrice())
		s.AnswersStatus(http.StatusInternalServerError)
		servertest.DeliverAll(t, w.Service)
		w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", nil)
		servertest.DeliverAll(t, w.SealedUnder(t, "another-secret-of-the-same-size!"))
		servertest.DeliverAll(t, w.Service)

		var seen strings.Builder
		log, _ := logs.Load(w.Config.Store)
		fmt.Fprintln(&seen, log, made.Header)
		for _, request := range []servertest.Request{
			{Path: "/v1/webhooks"},
			{Path: "/v1/webhook-deliveries"},
			{Path: "/v1/webhooks", Body: object{"url": s.URL}},
			{Method: "PATCH", Path: "/v1/webhooks/" + hook.ID, Body: object{"description": "x"}},
			{Path: "/v1/webhooks", Body: object{"url": "http://", "secret": "x"}},
		} {
			got := w.Do(t, request)
			fmt.Fprintln(&seen, got.Body, got.Header)
		}
		rows := dumpDatabase(t, w, &seen)
		if rows < 10 || !strings.Contains(seen.String(), w.Webhooks(t)[0].SecretHint) {
			t.Fatalf("the dump of %d rows is not one", rows)
		}
		for i, secret := range secrets {
			encoded := strings.TrimPrefix(secret, "whsec_")
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil || len(raw) != 36 {
				t.Fatalf("secret %d has %d bytes: %v", i, len(raw), err)
			}
			for name, trace := range map[string]string{"the secret": encoded[:20], "its end": encoded[20:], "its bytes": string(raw[:16])} {
				if strings.Contains(seen.String(), trace) {
					t.Errorf("%s %d was left somewhere", name, i)
				}
			}
		}
	}, func(c *v1.Config) {
		log := &servertest.Log{}
		logs.Store(c.Store, log)
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
}

// dumpDatabase writes every value of every table.
func dumpDatabase(t *testing.T, w *servertest.World, out *strings.Builder) (rows int) {
	t.Helper()
	tables := `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
	if w.Store.Dialect() == "sqlite3" {
		tables = `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	var names []string
	w.EachRow(t, tables, func(values []any) { names = append(names, textOf(values[0])) })
	for _, name := range names {
		w.EachRow(t, `SELECT * FROM "`+name+`"`, func(values []any) {
			rows++
			for _, value := range values {
				out.WriteString(textOf(value) + "\n")
			}
		})
	}
	return rows
}

func textOf(value any) string {
	if b, ok := value.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(value)
}
