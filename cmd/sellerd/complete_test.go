package main

import (
	"io"
	"strings"
	"testing"

	"sellerd/internal/command"

	"github.com/google/go-cmp/cmp"
)

func TestWhatMayComeNext(t *testing.T) {
	sellerd := program()
	parser, err := sellerd.Parser(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, line, want string }{
		{"commands by their beginning", "ke", "keys"},
		{"the commands of a command", "keys ", "create list revoke rotate"},
		{"the commands of a command with a dash", "shipping-models ", "list set"},
		{"files after another argument", "shipping-models set 5001 mo", ":files"},
		{"a mode", "shipping-models list 5001 --mode ", "live test"},
		{"no hidden command", "compl", "completion"},
		{"a value of an enum after the flag", "keys create --mode ", "live test"},
		{"a value of an enum after =", "keys create --mode=l", "--mode=live"},
		{"a permission", "keys create --permissions b", "bills:read bills:write buyers:read"},
		{"another permission", "keys create --permissions items:read,bills:w", "items:read,bills:write"},
		{"a value that a tag lists", "accounts create --language f", "fr"},
		{"an argument of an enum", "completion ", "bash zsh fish"},
		{"no second argument", "completion bash ", ""},
		{"no flag in the place of a value", "accounts create --nickname --", ""},
		{"no flag twice", "keys create --mode live --m", ""},
		{"no flag that was given with =", "keys create --mode=live --m", ""},
		{"a flag that may come twice", "listen --events item.sold --ev", "--events"},
		{"a flag without a value is not waited for", "serve --demo --log", "--log-format --log-level"},
		{"both forms of a flag that is on", "import file --no-", "--no-wait"},
		{"notations of amounts", "import listings.csv --decimal ", "comma point"},
		{"files for the memory of an import", "import listings.csv --state ", ":files"},
		{"files for an argument", "import file li", ":files"},
		{"files and commands where file may be left out", "import ", "file sample :files"},
		{"the flags where file is left out", "import listings.csv --pat", "--patience"},
		{"the flags where run is left out", "conformance --rel", "--release"},
		{"files for a flag", "import file x.csv --report ", ":files"},
		{"files for a flag after =", "import file x.csv --report=", ":files"},
		{"events", "listen --events payment", "payment.received"},
		{"an event after another", "listen --events item.sold,item.m", "item.sold,item.moved"},
		{"nothing after --", "keys revoke -- --d", ""},
		{"nothing for a flag that is not there", "serve --nothing=", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, c := range sellerd.Candidates(parser.Model.Node, strings.Split(test.line, " ")) {
				got = append(got, c.Value)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCandidatesAreExplained(t *testing.T) {
	sellerd := program()
	parser, err := sellerd.Parser(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	got := sellerd.Candidates(parser.Model.Node, []string{"keys", "rev"})
	if diff := cmp.Diff([]command.Candidate{{Value: "revoke", Meaning: "End a key at once"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
