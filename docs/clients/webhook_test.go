package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// What a client says of a webhook that it does not take.
const (
	noID         = "forged: the header webhook-id is missing"
	noSignature  = "forged: the header webhook-signature is missing"
	badTime      = "forged: webhook-timestamp is not a time in Unix seconds"
	early        = "forged: webhook-timestamp is N seconds ahead of the clock of this machine, more than 300: set the clock"
	late         = "forged: webhook-timestamp is N seconds behind the clock of this machine, more than 300: set the clock, unless somebody repeats an old request"
	unmatched    = "forged: no signature matches: check that the secret is this webhook's, and that the body is what arrived, byte for byte"
	noSecret     = "misused: the secret is missing or malformed: it is whsec_ and base64"
	noRawBody    = "misused: pass the raw body, the text or the bytes that arrived: something has parsed or consumed this one"
	taken        = "Schwarzer Einser 🖤"
	everyForm    = "lower case, as net/http spells, upper case, two signatures in a list, two signatures in one value, blanks around a value, a number as timestamp, other headers, "
	everySecret  = "a secret with a line end, a secret with blanks, a secret without its beginning"
	everyJSForm  = "lists of values, fetch Headers, a Map, a list of pairs, rawHeaders, Lambda@Edge, a Buffer, bytes, bytes within others, an ArrayBuffer, a DataView, "
	everyPyForm  = "lists of values, a WSGI environ, ASGI's pairs of bytes, a list of pairs, http.server, bytes, text, a bytearray, a memoryview, a secret in bytes, "
	everyPHPForm = "PSR-7, an iterator, $_SERVER, WordPress, lines, "
)

// TestAWebhookInEveryForm gives each client headers and bodies as gateways, frameworks and runtimes hand them on. The Go client's test is
// in v1/client.
func TestAWebhookInEveryForm(t *testing.T) {
	refused := map[string]string{
		"no id": noID, "no signature": noSignature, "a timestamp in words": badTime, "a slow clock": early, "a fast clock": late, "another body": unmatched,
		"a parsed body": noRawBody, "no body": noRawBody, "an empty secret": noSecret, "another language": noSecret,
	}
	for language, test := range map[string]struct {
		driver, taken string
		refused       map[string]string
	}{
		"JavaScript": {"webhook.mjs", everyForm + everyJSForm + everySecret, map[string]string{
			"a parsed list": noRawBody, "a stream": noRawBody, "no headers": noID, "no secret": noSecret, "a signature that is no base64": unmatched,
		}},
		"Python": {"webhook.py", everyForm + everyPyForm + everySecret, map[string]string{
			"no headers": noID, "no secret": noSecret, "a timestamp in other digits": badTime, "an id that is no UTF-8": unmatched,
			"an id with half a character": unmatched, "a signature that is no UTF-8": unmatched, "a signature with half a character": unmatched,
		}},
		"PHP": {"webhook.php", everyForm + everyPHPForm + everySecret, map[string]string{"a parsed object": noRawBody, "an unreadable body": noRawBody}},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			c := clients[language]
			installed.Require(t, "THE CLIENT FOR "+strings.ToUpper(language)+" GOT NO WEBHOOKS", c.program)
			want := map[string]string{}
			for name := range strings.SplitSeq(test.taken, ", ") {
				want[name] = taken
			}
			for _, words := range []map[string]string{refused, test.refused} {
				for name, word := range words {
					want[name] = word
				}
			}
			if diff := cmp.Diff(want, verdicts(t, c, test.driver)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// verdicts are the lines that another driver prints beside the client, by what stands before their colon.
func verdicts(t *testing.T, c *client, driver string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", driver))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, driver), text, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := append(c.run[1:len(c.run)-1:len(c.run)-1], driver)
	program := exec.CommandContext(ctx, c.run[0], command...)
	program.Dir, program.Stderr = c.folder, t.Output()
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, verdict, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		got[name] = verdict
	}
	return got
}
