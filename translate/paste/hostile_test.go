package paste

import (
	"strings"
	"testing"
	"time"
)

// TestAHostileScriptCostsLittle pastes scripts that would make very much of very little.
func TestAHostileScriptCostsLittle(t *testing.T) {
	table := newTable(t)
	call := "fetch('https://rest.delcampe.net/item/4711', {method: 'PUT', body: new URLSearchParams({title: a})})\n"
	for name, script := range map[string]string{
		"a text that doubles":         "a = 'xxxxxxxxxxxxxxxx'\n" + strings.Repeat("a = a + a\n", 100) + call,
		"a list that doubles":         "a = 'x'\n" + strings.Repeat("a = [a, a]\n", 100) + call,
		"a map that doubles":          "a = {b: 'x'}\n" + strings.Repeat("a = {...a, ...a}\n", 100) + call,
		"a map in itself":             "a = {b: 'x'}\na.c = a\n" + call,
		"a template of itself":        "a = 'xxxxxxxxxxxxxxxx'\n" + strings.Repeat("a = `${a}${a}${a}${a}`\n", 100) + call,
		"a format of many":            "a = 'xxxxxxxxxxxxxxxx'\n" + strings.Repeat("a = '%s%s%s%s' % (a, a, a, a)\n", 100) + call,
		"brackets that open":          "fetch" + strings.Repeat("(", 60_000),
		"brackets that open in lines": strings.Repeat("fetch(\n", 8000),
		"maps that open":              "fetch(" + strings.Repeat("{a:", 20_000),
		"quotes that open":            "fetch(\n" + strings.Repeat("'\n\"\n`\n", 10_000),
		"terms":                       "fetch(" + strings.Repeat("a+", 30_000),
		"comparisons":                 call + strings.Repeat("a<", 5000),
		"types that open":             call + strings.Repeat("a:A<", 4000),
		"cmdlets":                     strings.Repeat("irm @a -b c\n", 5000),
		"JSON of many numbers":        `curl /rest/item -d '{"images":[` + strings.Repeat("1,", 30_000) + `1]}'`,
		"JSON of many maps":           `curl /rest/items -d '{"items":[` + strings.Repeat(`{"a":{}},`, 7000) + `1]}'`,
		"JSON that opens":             `curl /rest/item -d '{"a":` + strings.Repeat("[", 60_000) + `'`,
		"output of a prompt":          "$ curl /rest/item " + strings.Repeat("\n{'", 15_000),
		"quotes of a word processor":  "curl " + strings.Repeat("“", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			out, err := Translate(table, Input{Request: script, BaseURL: base})
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s", took)
			}
			if err == nil && len(out.Curl.V) > 1<<20 {
				t.Errorf("it became %d bytes", len(out.Curl.V))
			}
		})
	}
}
