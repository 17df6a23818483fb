package bridge_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
)

// TestARecordingHoldsNoSecrets puts keys and tokens where they do not belong.
func TestARecordingHoldsNoSecrets(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	token := b.call(t, "POST", "/rest/seller", fields("apikey", b.Key)).Text("body/token")
	old := strings.Repeat("Ab3", 21) + "z"
	b.call(t, "GET", "/rest/item/reference/"+b.Key, fields("token", token))
	b.call(t, "GET", "/rest/item/reference/"+token, fields("token", token))
	b.call(t, "GET", "/rest/"+old, fields("token", token))
	for _, method := range []string{strings.ReplaceAll(b.Key, "_", "."), strings.Repeat("LONG", 2000)} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:8090/rest/item/4711", nil)
		r.Method = method // any word may be one
		b.ServeHTTP(httptest.NewRecorder(), r)
	}
	b.call(t, "POST", "/rest/item?token="+token, fields(b.Key, "x", token, "y", old, "z", "title", b.Key))
	written := b.recorded.String() + b.logged.String()
	for name, text := range map[string]string{"the key": b.Key, "its secret": strings.Split(b.Key, "_")[3], "the token": token, "the old key": old, "a method": "dk.", "a long method": "LONG"} {
		if strings.Contains(written, text) {
			t.Errorf("%s is written:\n%s", name, written)
		}
	}
	if n := len(b.lines(t)); n != 7 {
		t.Errorf("%d lines", n)
	}
}

// TestARecordingThatFailsStopsNoCall has the file be full.
func TestARecordingThatFailsStopsNoCall(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	with := b.newBridge(t, func(c *bridge.Config) { c.Record = full{} })
	for range 3 {
		if got := b.callOf(t, with, "GET", "/rest/server/time", nil); got.Status != 200 {
			t.Error(got.Body)
		}
	}
	if n := strings.Count(b.logged.String(), "the recording cannot be written"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
