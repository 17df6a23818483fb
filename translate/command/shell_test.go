package command_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate/command"
)

func TestWordsAreQuotedForTheShell(t *testing.T) {
	key := command.Part{Text: "KEY", Variable: true}
	for _, test := range []struct {
		name                string
		word                command.Word
		sh, powershell, cmd string
	}{
		{"nothing", nil, "", `''`, `^"^"`},
		{"a path with blanks", command.Text(`C:\My shop\a b`), `'C:\My shop\a b'`, `'C:\My shop\a b'`, `^"C:\My shop\a b^"`},
		{"a folder's end", command.Text(`C:\shop\`), `'C:\shop\'`, `'C:\shop\'`, `^"C:\shop\\^"`},
		{"an apostrophe", command.Text(`it's`), `'it'\''s'`, `'it''s'`, `^"it's^"`},
		{"apostrophes of typographers", command.Text(`‘it’s’`), `'‘it’s’'`, `'‘‘it’’s’’'`, `^"‘it’s’^"`},
		{"quotation marks", command.Text(`say "no" \"`), `'say "no" \"'`, `'say "no" \"'`, `^"say \^"no\^" \\\^"^"`},
		{"an ampersand", command.Text(`a&b|c<d>e`), `'a&b|c<d>e'`, `'a&b|c<d>e'`, `^"a^&b^|c^<d^>e^"`},
		{"percent signs", command.Text(`100%PATH%`), `'100%PATH%'`, `'100%PATH%'`, `^"100^%PATH^%^"`},
		{"an exclamation mark and a caret", command.Text(`now!^`), `'now!^'`, `'now!^'`, `^"now^!^^^"`},
		{"a dollar sign and a backtick", command.Text("$HOME `date`"), "'$HOME `date`'", "'$HOME `date`'", "^\"$HOME `date`^\""},
		{"parentheses", command.Text(`(a)`), `'(a)'`, `'(a)'`, `^"^(a^)^"`},
		{"umlauts", command.Text("Grüße 20 €"), "'Grüße 20 €'", "'Grüße 20 €'", `^"Grüße 20 €^"`},
		{"a variable", command.Word{{Text: "key-"}, key, {Text: "'s"}}, `'key-'"$KEY"''\''s'`, `('key-' + $env:KEY + '''s')`, `^"key-%KEY%'s^"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := []string{command.Sh.Word(test.word), command.PowerShell.Word(test.word), command.Cmd.Word(test.word)}
			if diff := cmp.Diff([]string{test.sh, test.powershell, test.cmd}, got); diff != "" {
				t.Errorf("sh, PowerShell and cmd (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARequestIsACommandOfTheShell(t *testing.T) {
	headers := []command.Header{
		{Name: "If-Match", Value: command.Text(`"v1"`)},
		{Name: command.KeyHeader, Value: command.Word{{Text: "close-"}, {Text: "ACT", Variable: true}}},
	}
	address, body := command.Text("https://api.example.com/v1/items/1?a=b%20c&d=e"), command.Text("{\n  \"title\": \"Grüße 🎉 100%\"\n}")
	for shell, want := range map[command.Shell]string{
		command.Sh: `curl -X PATCH 'https://api.example.com/v1/items/1?a=b%20c&d=e' \
  -H "X-Api-Key: $KEY" \
  -H 'If-Match: "v1"' \
  -H 'Idempotency-Key: close-'"$ACT" \
  -H 'Content-Type: application/json' \
  -d '{
  "title": "Grüße 🎉 100%"
}'`,
		command.PowerShell: "Invoke-RestMethod -Method PATCH -Uri 'https://api.example.com/v1/items/1?a=b%20c&d=e' `\n" +
			"  -Headers @{'X-Api-Key' = $env:KEY; 'If-Match' = '\"v1\"'; 'Idempotency-Key' = ('close-' + $env:ACT)} `\n" +
			"  -ContentType 'application/json; charset=utf-8' `\n" +
			"  -Body '{\n  \"title\": \"Grüße 🎉 100%\"\n}'",
		command.Cmd: `curl -X PATCH ^"https://api.example.com/v1/items/1?a=b^%20c^&d=e^" ^
  -H "X-Api-Key: %KEY%" ^
  -H ^"If-Match: \^"v1\^"^" ^
  -H ^"Idempotency-Key: close-%ACT%^" ^
  -H "Content-Type: application/json" ^
  -d ^"{\^"title\^":\^"Gr\u00fc\u00dfe \ud83c\udf89 100^%\^"}^"`,
	} {
		if diff := cmp.Diff(want, shell.Print("PATCH", address, headers, body)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", shell, diff)
		}
	}
}

func TestTheShellIsThatOfTheSystem(t *testing.T) {
	for _, test := range []struct {
		system, shell string
		want          command.Shell
	}{
		{"windows", "", command.PowerShell}, {"windows", "/usr/bin/bash", command.Sh}, {"darwin", "", command.Sh}, {"linux", "/bin/bash", command.Sh},
	} {
		if got := command.ShellOf(test.system, func(string) string { return test.shell }); got != test.want {
			t.Errorf("%s, SHELL=%s: %s", test.system, test.shell, got)
		}
	}
}
