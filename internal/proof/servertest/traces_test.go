package servertest_test

import (
	"bytes"
	"testing"

	"sellerd/internal/proof/servertest"
)

func TestATextIsFoundInEveryFormat(t *testing.T) {
	const text = `Zoé "Z" O'Neil`
	for name, stored := range map[string]string{
		"raw":                      `x Zoé "Z" O'Neil y`,
		"other case":               `zoé "z" o'neil`,
		"Latin-1":                  "Zo\xe9 \"Z\" O'Neil",
		"JSON":                     `{"n":"Zoé \"Z\" O'Neil"}`,
		"JSON in ASCII":            `{"n":"Zo\u00e9 \"Z\" O'Neil"}`,
		"JSON in JSON":             `{"b":"{\"n\":\"Zo\\u00e9 \\\"Z\\\" O'Neil\"}"}`,
		"XML":                      `<n>Zoé &#34;Z&#34; O&#39;Neil</n>`,
		"a form":                   `n=Zo%C3%A9+%22Z%22+O%27Neil`,
		"a form in small letters":  `n=zo%c3%a9+%22z%22+o%27neil`,
		"a form, %20 for a blank":  `n=Zo%C3%A9%20%22Z%22%20O%27Neil`,
		"a form of Latin-1":        `n=Zo%E9+%22Z%22+O%27Neil`,
		"a form, encoded twice":    `n=Zo%25C3%25A9%2B%2522Z%2522%2BO%2527Neil`,
		"base64":                   `Wm/DqSAiWiIgTydOZWls`,
		"base64 behind a byte":     `Clpvw6kgIloiIE8nTmVpbA==`,
		"hexadecimal":              `\x5a6fc3a920225a22204f274e65696c`,
		"XML in a form":            `%3Cn%3EZo%C3%A9+%26%2334%3BZ%26%2334%3B+O%26%2339%3BNeil%3C%2Fn%3E`,
		"a form in XML in Latin-1": `<n>Zo%E9%20%22Z%22%20O%27Neil</n>`,
	} {
		found := false
		for _, form := range servertest.Spellings(text) {
			found = found || bytes.Contains(bytes.ToLower([]byte(stored)), form)
		}
		if !found {
			t.Errorf("%s is not found: %s", name, stored)
		}
	}
}
