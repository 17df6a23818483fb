package main

import (
	"io"
	"testing"
)

// TestVariablesThatAreSetToNothing are what Compose makes of ${NAME:-}, and of a line NAME= of an .env. An empty address would open any
// free port, to everybody.
func TestVariablesThatAreSetToNothing(t *testing.T) {
	want := map[string]any{
		"db": "sqlite:./data/sellerd.db", "addr": ":8080", "operator-addr": "127.0.0.1:8081", "trusted-proxies": "", "security-contact": "",
		"site-url": "https://www.delcampe.net", "rate-limit": 180, "open-items": 100000,
		"new-items-per-day": 10000, "allow-private-targets": false, "demo": false, "log-level": "info",
	}
	for _, name := range []string{
		"DB", "ADDR", "OPERATOR_ADDR", "TRUSTED_PROXIES", "SECURITY_CONTACT", "SITE_URL", "RATE_LIMIT", "OPEN_ITEMS", "NEW_ITEMS_PER_DAY",
		"ALLOW_PRIVATE_TARGETS", "DEMO", "LOG_LEVEL",
	} {
		t.Setenv("SELLERD_"+name, "")
	}
	parser, err := program().Parser(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range parsed.Flags() {
		if value, ok := want[flag.Name]; ok && parsed.FlagValue(flag) != value {
			t.Errorf("--%s is %v without a value, and %v with a variable that is set to nothing", flag.Name, value, parsed.FlagValue(flag))
		}
		delete(want, flag.Name)
	}
	if len(want) > 0 {
		t.Errorf("serve has no flags %v", want)
	}
}
