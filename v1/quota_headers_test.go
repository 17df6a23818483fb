package v1_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// quotaHeaders are RateLimit-Policy and RateLimit as they were sent.
func quotaHeaders(r servertest.Response) [2]string {
	return [2]string{r.Header.Get("RateLimit-Policy"), r.Header.Get("RateLimit")}
}

func TestTheHeadersOfTheDraftSayWhenOneMoreRequestIsLeft(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const policy = `"requests";q=4;w=60`
		read := func() servertest.Response { return w.Do(t, servertest.Request{Path: "/v1/account/limits"}) }
		want := func(name, limit string, got servertest.Response) {
			t.Helper()
			if diff := cmp.Diff([2]string{policy, limit}, quotaHeaders(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		want("one request of four, which come back every 15 seconds", `"requests";r=3;t=15`, read())
		want("another at the same instant", `"requests";r=2;t=15`, read())
		w.Clock.Advance(10 * time.Second)
		want("a third, 5 seconds before the first comes back", `"requests";r=1;t=5`, read())
		want("the fourth", `"requests";r=0;t=5`, read())
		over := read()
		want("one too many", `"requests";r=0;t=5`, over)
		if over.Status != http.StatusTooManyRequests || over.Header.Get("Retry-After") != "5" {
			t.Errorf("one too many: %d, Retry-After %q", over.Status, over.Header.Get("Retry-After"))
		}
		w.Clock.Advance(5 * time.Second)
		if again := read(); again.Status != http.StatusOK {
			t.Errorf("after the seconds that were said: %d", again.Status)
		}
		w.Clock.Advance(10 * time.Minute)
		key := map[string]string{"Idempotency-Key": "once"}
		first := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Header: key})
		want("a first request after a long time", `"requests";r=3;t=15`, first)
		replay := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Header: key})
		want("its repetition, which costs nothing", `"requests";r=3;t=15`, replay)
	}, func(c *v1.Config) { c.RateLimit = 4 })
}

func TestWithoutALimitThereAreNoHeadersOfTheDraft(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.RateLimit = 0 })
	got := w.Do(t, servertest.Request{Path: "/v1/account"})
	if diff := cmp.Diff([2]string{}, quotaHeaders(got)); diff != "" || got.Header.Get("X-RateLimit-Limit") != "0" {
		t.Errorf("X-RateLimit-Limit %q (-want +got):\n%s", got.Header.Get("X-RateLimit-Limit"), diff)
	}
}

func TestAnswersAboutWhatIsNotThereLeadToTheDescription(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, test := range map[string]struct {
		request servertest.Request
		want    string
	}{
		"no such path":   {servertest.Request{Path: "/v1/nothing"}, `</openapi.json>; rel="service-desc"`},
		"no such item":   {servertest.Request{Path: "/v1/items/5"}, `</openapi.json>; rel="service-desc"`},
		"a HEAD":         {servertest.Request{Method: http.MethodHead, Path: "/v1/items/5"}, `</openapi.json>; rel="service-desc"`},
		"an answer":      {servertest.Request{Path: "/v1/account"}, ""},
		"a wrong method": {servertest.Request{Method: http.MethodDelete, Path: "/v1/account"}, ""},
		"no key":         {servertest.Request{Path: "/v1/account", Key: "none"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.Do(t, test.request).Header.Get("Link"); got != test.want {
				t.Errorf("Link: %s", got)
			}
		})
	}
	t.Run("the operator's has no description", func(t *testing.T) {
		if got := w.DoOperator(t, servertest.Request{Path: "/operator/nothing"}); got.Status != http.StatusNotFound || got.Header.Get("Link") != "" {
			t.Errorf("%d, Link: %s", got.Status, got.Header.Get("Link"))
		}
	})
}
