package command

import (
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// anyCommands has each kind of flag and argument that the programs have.
type anyCommands struct {
	Make struct {
		Kind   string   `arg:"" enum:"stamp,coin" help:"What."`
		Names  []string `arg:"" optional:"" help:"More."`
		Status []string `enum:"open,sold" help:"Which."`
		By     string   `default:"made" enum:"made,paid" help:"When."`
		Mode   string   `required:"" enum:"live,test" help:"How."`
		Count  int      `help:"How many."`
	} `cmd:"" help:"Make one."`
	Keys struct {
		List struct {
			For     string `required:"" help:"What for."`
			Account string `required:"" help:"Whose."`
		} `cmd:"" help:"List them."`
		Drop struct {
			IDs []string `arg:"" help:"Which."`
		} `cmd:"" help:"Drop them."`
	} `cmd:"" help:"Keys."`
}

// TestLinesAreReadAsKongReadsThem compares the two for lines that are right and wrong.
func TestLinesAreReadAsKongReadsThem(t *testing.T) {
	for _, line := range []string{
		"", "make", "keys", "keys other", "other", "make stamp", "make stamp --mode live", "make stone --mode live", "make stamp --mode other",
		"make stamp a b --mode test --status open,sold --by paid --count 3", "make stamp --mode test --status open,lost", "make coin --mode test --status=",
		"make stamp --mode test --by sent", "make stamp --mode test --count x", "make stamp --mode", "make stamp --unknown", "make --mode test",
		"keys list", "keys list --account 1", "keys list --account 1 --for x", "keys list --account 1 --for x extra", "keys drop", "keys drop a b",
	} {
		parser := func() *kong.Kong {
			k, err := kong.New(&anyCommands{}, kong.Name("program"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		said := func(parsed *kong.Context, err error) string {
			if err != nil {
				return "error: " + err.Error()
			}
			return parsed.Command()
		}
		want := said(parser().Parse(strings.Fields(line)))
		parsed, _, err := parse(parser(), strings.Fields(line))
		if got := said(parsed, err); got != want {
			t.Errorf("%q\n got %s\nwant %s", line, got, want)
		}
	}
}
