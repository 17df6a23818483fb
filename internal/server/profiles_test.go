package server_test

import (
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
)

func TestProfilesAreForTheOperator(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	token := "Bearer " + servertest.OperatorToken
	for _, test := range []struct {
		path, authorization string
		want                int
	}{
		{"/debug/pprof/", "", 401},
		{"/debug/pprof/heap", "Bearer wrong", 401},
		{"/debug/pprof/", token, 200},
		{"/debug/pprof/heap", token, 200},
		{"/debug/pprof/profile?seconds=1", token, 200},
		{"/debug/pprof/cmdline", token, 404},
		{"/debug/pprof/nothing", token, 404},
	} {
		if got := get(w.Server.Operator, test.path, "Authorization", test.authorization); got.Code != test.want {
			t.Errorf("%s with %q: %d, want %d", test.path, test.authorization, got.Code, test.want)
		}
	}
	if got := get(w.Server.Public, "/debug/pprof/", "Authorization", token); got.Code != 404 {
		t.Errorf("callers get %d", got.Code)
	}
	if got := get(w.Server.Operator, "/debug/pprof/goroutine?debug=1", "Authorization", token); !strings.Contains(got.Body.String(), "goroutine profile:") {
		t.Errorf("no profile: %.200s", got.Body)
	}
}
