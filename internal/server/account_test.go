package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheAccountIsOnEveryServerAndKeptNowhere reads the page as a browser does, on a server as in production.
func TestTheAccountIsOnEveryServerAndKeptNowhere(t *testing.T) {
	t.Parallel()
	s := publicServer(t)
	got := get(s.Public, "/account")
	text := got.Body.String()
	if got.Code != http.StatusOK || !strings.Contains(text, "<h1>Your account</h1>") {
		t.Fatalf("%d\n%s", got.Code, text)
	}
	for header, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "same-origin", "Set-Cookie": ""} {
		if value := got.Header().Get(header); value != want {
			t.Errorf("%s: %q, want %q", header, value, want)
		}
	}
	policy := got.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %s lacks %s", policy, part)
		}
	}
	_, form, _ := strings.Cut(text, `<form id="account-form"`)
	form, _, _ = strings.Cut(form, "</form>")
	if strings.Contains(form, " name=") || !strings.Contains(form, "<button disabled>") {
		t.Errorf("without its script the form would put the key into an address:\n%s", form)
	}
	for _, want := range []string{"<noscript>", `href="/docs/webhook-deliveries"`, `href="/docs/keys"`} {
		if !strings.Contains(text, want) {
			t.Errorf("without its script the page does not show %s", want)
		}
	}
	if menu := get(s.Public, "/docs/start").Body.String(); !strings.Contains(menu, `<a href="/account">Your account</a>`) {
		t.Error("the menu does not lead to it")
	}
}
