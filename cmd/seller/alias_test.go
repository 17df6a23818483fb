package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnderItsOldNameItIsTheBridge(t *testing.T) {
	const to = "https://api.example.com"
	for _, test := range []struct{ line, want []string }{
		{[]string{"seller", "scan", "shop"}, []string{"scan", "shop"}},
		{[]string{`C:\sellerd-bridge\seller.exe`, "--version"}, []string{"--version"}},
		{[]string{"/usr/local/bin/sellerd-bridge", "--to", to}, []string{"bridge", "--to", to}},
		{[]string{`C:\sellerd\sellerd-bridge.exe`, "--to", to}, []string{"bridge", "--to", to}},
		{[]string{`C:\sellerd\SELLERD-BRIDGE.EXE`, "-to=" + to, "-insecure-bind"}, []string{"bridge", "--to=" + to, "--insecure-bind"}},
		{[]string{"sellerd-bridge", "-h"}, []string{"bridge", "-h"}},
		{[]string{"sellerd-bridge", "--version"}, []string{"--version"}},
		{[]string{"sellerd-bridge"}, []string{"bridge"}},
		{nil, nil},
	} {
		if diff := cmp.Diff(test.want, arguments(test.line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.line, diff)
		}
	}
}
