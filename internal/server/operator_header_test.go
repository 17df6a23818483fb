package server_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOnlyATrustedProxyNamesAnOperator forges the header in all ways that a caller has.
func TestOnlyATrustedProxyNamesAnOperator(t *testing.T) {
	const proxy, pages, api = "10.0.0.7:50000", "/operator/pages/accounts", "/operator/accounts"
	w, s, log := behind(t, "10.0.0.7")
	for _, name := range []string{"anna@example.com", "gone@example.com"} {
		if _, _, err := w.Service.CreateOperator(context.Background(), name, "read", false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Service.RevokeOperator(context.Background(), "gone@example.com"); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		from, path string
		header     []string // names and values in turn
		status     int
	}{
		"the proxy":                         {proxy, pages, []string{"X-Forwarded-Email", "anna@example.com"}, 200},
		"in capitals":                       {proxy, pages, []string{"X-Forwarded-Email", "Anna@Example.COM"}, 200},
		"a caller behind the proxy":         {proxy, pages, []string{"X-Forwarded-Email", "anna@example.com", "X-Forwarded-For", "198.51.100.9"}, 200},
		"with a token of somebody else":     {proxy, pages, []string{"X-Forwarded-Email", "anna@example.com", "Authorization", "Bearer of-the-provider"}, 200},
		"an operator who is revoked":        {proxy, pages, []string{"X-Forwarded-Email", "gone@example.com"}, 403},
		"nobody":                            {proxy, pages, []string{"X-Forwarded-Email", "eve@example.com"}, 403},
		"the name of the token":             {proxy, pages, []string{"X-Forwarded-Email", "token"}, 403},
		"an empty name":                     {proxy, pages, []string{"X-Forwarded-Email", ""}, 403},
		"two names":                         {proxy, pages, []string{"X-Forwarded-Email", "anna@example.com", "X-Forwarded-Email", "eve@example.com"}, 403},
		"two names in one line":             {proxy, pages, []string{"X-Forwarded-Email", "eve@example.com, anna@example.com"}, 403},
		"another header":                    {proxy, pages, []string{"X-Forwarded-User", "anna@example.com"}, 401},
		"without the header":                {proxy, pages, nil, 401},
		"another machine":                   {"10.0.0.8:50000", pages, []string{"X-Forwarded-Email", "anna@example.com"}, 401},
		"this machine":                      {"127.0.0.1:50000", pages, []string{"X-Forwarded-Email", "anna@example.com"}, 401},
		"another machine that claims to be": {"10.0.0.8:50000", pages, []string{"X-Forwarded-Email", "anna@example.com", "X-Forwarded-For", "10.0.0.7"}, 401},
		"the API":                           {proxy, api, []string{"X-Forwarded-Email", "anna@example.com"}, 401},
		"by http":                           {proxy, pages, []string{"X-Forwarded-Email", "anna@example.com", "X-Forwarded-Proto", "http"}, 400},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		r.RemoteAddr = test.from
		for i := 0; i < len(test.header); i += 2 {
			r.Header.Add(test.header[i], test.header[i+1])
		}
		answer := httptest.NewRecorder()
		s.Operator.ServeHTTP(answer, r)
		if answer.Code != test.status {
			t.Errorf("%s: %d instead of %d: %s", name, answer.Code, test.status, answer.Body)
		}
	}
	if strings.Contains(log.String(), "example.com") {
		t.Errorf("the log has a name: %s", log)
	}
}
