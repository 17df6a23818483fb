package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command/seller"
)

// TestTheCommandsInTheDocumentsAreRight gives the program the flags that the pages of the bridge and the unit for systemd start it with.
// Most of these commands are for other machines.
func TestTheCommandsInTheDocumentsAreRight(t *testing.T) {
	var found []string
	for _, path := range []string{
		"../../docs/rest/bridge-install.md", "../../docs/rest/bridge-windows.md", "../../docs/deploy/sellerd-bridge.service",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile("seller(?:\\.exe)?(?: -Argument '| )(bridge --[^'`\\n]+)").FindAllStringSubmatch(string(text), -1) {
			found = append(found, strings.TrimSpace(match[1]))
		}
		if list := regexp.MustCompile(`(?s)<array>(.*?)</array>`).FindStringSubmatch(string(text)); list != nil {
			var arguments []string
			for _, match := range regexp.MustCompile(`<string>(.*?)</string>`).FindAllStringSubmatch(list[1], -1) {
				arguments = append(arguments, match[1])
			}
			found = append(found, strings.Join(arguments[1:], " "))
		}
	}
	const to = "bridge --to https://api.example.com"
	want := []string{to, to + ` --state C:\sellerd\state`, to, to, to, to, to + " --keys ${CREDENTIALS_DIRECTORY}/keys"}
	count := func(all []string) map[string]int {
		counts := map[string]int{}
		for _, one := range all {
			counts[one]++
		}
		return counts
	}
	if diff := cmp.Diff(count(want), count(found)); diff != "" {
		t.Errorf("commands in the documents (-want +found):\n%s", diff)
	}
	for _, arguments := range found {
		parser, err := program().Parser(t.Output())
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.Parse(strings.Fields(arguments))
		if err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		if err := parsed.Selected().Target.Addr().Interface().(*seller.Bridge).CheckFlags(); err != nil {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
