package command_test

import (
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/translate"
	"sellerd/translate/command"
)

// words lets a shell read a command, and returns the arguments that curl would get.
func words(t *testing.T, text string) []string {
	t.Helper()
	installed.Require(t, "NO COMMAND WAS READ BY A SHELL", "sh")
	shell := exec.Command("sh", "-eu")
	shell.Stdin = strings.NewReader("curl() { printf '%s\\0' \"$@\"; }\n" + text + "\n")
	shell.Env = []string{"KEY=dk_test_key", "TOKEN=session"}
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestACommandOfV1HasAnOptionALine(t *testing.T) {
	got := command.V1("PUT", "http://localhost/v1/sales/1/rating", []string{"'Accept-Language: fr'"}, `'{"score": 100}'`)
	want := `curl -X PUT http://localhost/v1/sales/1/rating \
  -H "X-Api-Key: $KEY" \
  -H 'Accept-Language: fr' \
  -H 'Content-Type: application/json' \
  -d '{"score": 100}'`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestACommandOfV1NamesAMethodThatCurlWouldNotUse(t *testing.T) {
	const address = "http://localhost/v1/items"
	key, typed := []string{"-H", "X-Api-Key: dk_test_key"}, []string{"-H", "Content-Type: application/json", "-d", "{}"}
	for name, test := range map[string]struct {
		method, body string
		want         [][]string
	}{
		"a GET":                 {http.MethodGet, "", [][]string{{address}, key}},
		"a POST with a body":    {http.MethodPost, "'{}'", [][]string{{address}, key, typed}},
		"a POST without a body": {http.MethodPost, "", [][]string{{"-X", "POST", address}, key}},
		"a PATCH with a body":   {http.MethodPatch, "'{}'", [][]string{{"-X", "PATCH", address}, key, typed}},
		"a DELETE":              {http.MethodDelete, "", [][]string{{"-X", "DELETE", address}, key}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for _, part := range test.want {
				want = append(want, part...)
			}
			if diff := cmp.Diff(want, words(t, command.V1(test.method, address, nil, test.body))); diff != "" {
				t.Errorf("the arguments of curl (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAQuotedTextIsOneWordOfAShell(t *testing.T) {
	for _, text := range []string{"", "a b", "it's", `"$KEY"`, "`date`", `back\slash\`, "two\nlines", "''", "timbre à 20 c"} {
		if diff := cmp.Diff([]string{text}, words(t, "curl "+command.Quote(text))); diff != "" {
			t.Errorf("%q is read otherwise (-want +got):\n%s", text, diff)
		}
	}
}

func TestJSONIsFormattedOnOneLineWhenItIsShort(t *testing.T) {
	long := `{"title":"` + strings.Repeat("x", 40) + `","images":["https://img.example.com/1.jpg"]}`
	for name, test := range map[string]struct{ body, want string }{
		"a short object":          {`{"score":100,"comment":"Fast, and well packed"}`, `{"score": 100, "comment": "Fast, and well packed"}`},
		"a long object":           {long, "{\n    \"title\": \"" + strings.Repeat("x", 40) + "\",\n    \"images\": [\n      \"https://img.example.com/1.jpg\"\n    ]\n  }"},
		"a text that is not JSON": {`{"score":`, `{"score":`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, command.Readable(test.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEverySampleIsSentAsItIs lets a shell read the command of each sample and puts the request together again as curl does.
func TestEverySampleIsSentAsItIs(t *testing.T) {
	for _, plan := range newTable(t).Plans {
		for i := range plan.Samples {
			sample := &plan.Samples[i]
			t.Run(plan.ID+"/"+sample.Name, func(t *testing.T) {
				method, address, form := sent(t, words(t, command.Legacy(plan, sample)))
				if method != plan.Method {
					t.Errorf("the method is %s, not %s", method, plan.Method)
				}
				host, _ := url.Parse(translate.OldHost)
				if want := strings.TrimPrefix(plan.Address(sample), "/"+translate.Root); address.Host != host.Host || address.EscapedPath() != want {
					t.Errorf("the address is %s, not %s of the old host", address, want)
				}
				query := strings.Split(address.RawQuery, "&")
				if query[0] != "token=session" {
					t.Errorf("the query does not begin with the token: %s", address.RawQuery)
				}
				if diff := cmp.Diff(pairsOf(t, sample.Form), pairsOf(t, strings.Join(append(query[1:], form...), "&"))); diff != "" {
					t.Errorf("the fields (-sample +command):\n%s", diff)
				}
				if inQuery := len(query) > 1; inQuery && plan.Method != http.MethodGet {
					t.Errorf("the fields of a %s are in the query", plan.Method)
				}
			})
		}
	}
}

// sent returns what curl sends for its arguments.
func sent(t *testing.T, arguments []string) (method string, address *url.URL, form []string) {
	t.Helper()
	for len(arguments) > 0 {
		option := arguments[0]
		if arguments = arguments[1:]; option != "-X" && option != "-d" {
			parsed, err := url.Parse(option)
			if err != nil || address != nil {
				t.Fatalf("%q is not the only address: %v", option, err)
			}
			address = parsed
			continue
		}
		if option == "-X" {
			method = arguments[0]
		} else {
			form = append(form, arguments[0])
		}
		arguments = arguments[1:]
	}
	if address == nil {
		t.Fatal("there is no address")
	}
	switch {
	case method == "" && form == nil:
		method = http.MethodGet
	case method == "":
		method = http.MethodPost
	}
	return method, address, form
}

// pairsOf returns the fields of a form, decoded.
func pairsOf(t *testing.T, form string) []translate.Pair {
	t.Helper()
	pairs, err := translate.ParseForm(form)
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}
