package scan

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"context"

	"sellerd/translate"
)

func TestZZ(t *testing.T) {
	table, _ := translate.New()
	spec := strings.Split(os.Getenv("F"), ":")
	s := newScanner(table, Options{Paths: []string{os.Getenv("P")}, BaseURL: "x"})
	s.walk(context.Background())
	s.each(context.Background(), s.learnFile)
	for i := range s.entries {
		e := &s.entries[i]
		if e.inner != spec[0] { continue }
		kind, text, _, err := s.open(e)
		fmt.Println(kind, err, len(text))
		f := s.parse(kind, e.inner, text)
		f.knows = s.matcher.knowsService(text)
		f.declare()
		f.constants()
		fmt.Println("knows", f.knows, "any", s.world.any, "consts", f.consts, "test", f.test, "client", f.client, "serves", f.serves)
		if len(spec) > 2 {
			for i := range f.tokens { l, _ := f.place(int(f.tokens[i].from)); if fmt.Sprint(l) == spec[1] { fmt.Printf("%d:%d:%q ", i, f.tokens[i].kind, f.str(i)) } }
			fmt.Println()
		}
		for _, c := range f.candidates() {
			l, _ := f.place(c.at)
			if len(spec) > 1 && fmt.Sprint(l) != spec[1] { continue }
			c.readVerb()
			b := c.base
			c.nearBase()
			k := c.around()
			p, fits := c.calls()
			id := ""
			for _, x := range p { id += x.ID + " " }
			fmt.Printf("%d %q parts=%d base=%d→%d verb=%+v fields=%v ctx=%+v fits=%v level=%d loose=%v whole=%v open=%v holders=%v cmd=%q => %s %s\n", l, c.text, c.parts, b, c.base, c.verb, c.fields, k, fits, c.route.level, c.loose, c.whole, c.open, f.holders(c.from, false), c.command, id, c.rank(k))
		}
	}
}
