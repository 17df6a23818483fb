package main_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTranslateOnTheCommandLine(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	const closing = "# ACT: a new value for each new act; without this line the request is repeated\nACT=$(date +%s%N)\n" +
		"curl 'https://api.example.com/v1/items/4711/close' \\\n  -H \"X-Api-Key: $KEY\" \\\n  -H 'Idempotency-Key: close-4711-'\"$ACT\" \\\n  -H " +
		"'Content-Type: application/json' \\\n  -d '{\"reason\": \"test\"}'\n"
	for name, test := range map[string]struct {
		args           []string
		stdin          string
		stdout, stderr string
		status         int
	}{
		"a method and URL with a body": {
			[]string{"DELETE https://rest.delcampe.net/item/4711", "--body", "reason=TestItem&colour=red"},
			"", closing,
			"# colour (unknown): This call has no such field: it means nothing.\n# Take an item off sale: https://api.example.com/migration#item-close\n", 0,
		},
		"a command on standard input": {
			nil, "curl -X DELETE https://rest.delcampe.net/item/4711 \\\n  -d reason=TestItem\n", closing,
			"# Take an item off sale: https://api.example.com/migration#item-close\n", 0,
		},
		"a command in UTF-16, as PowerShell and Notepad write it": {
			nil, "\xff\xfe" + strings.ReplaceAll("DELETE /rest/item/4711?reason=TestItem", "", "\x00")[1:], closing,
			"# Take an item off sale: https://api.example.com/migration#item-close\n", 0,
		},
		"a command in Latin-1": {nil, "GET /rest/item/reference/\xe9", "", "sellerd: the request must be text in UTF-8, without the character U+0000\n", 1},
		"a call with nothing to call": {
			[]string{"GET /rest/server/time"},
			"", "",
			"# There is nothing to call. Every answer of /v1 carries the time. Read the header `Date`.\n# Ask for the time: https://api.example.com/migration#server-time\n", 0,
		},
		"fields that /rest refuses": {
			[]string{"POST /rest/item", "--body", "qty=x"},
			"", "",
			"# qty is rejected: x must be a whole number\n# personal_reference is rejected: $personal_reference is required\n" +
				"# # ACT: a new value for each new act; without this line the request is repeated\n# ACT=$(date +%s%N)\n" +
				"# curl 'https://api.example.com/v1/items' \\\n#   -H \"X-Api-Key: $KEY\" \\\n#   -H 'Idempotency-Key: list-'\"$ACT\" \\\n" +
				"#   -H 'Content-Type: application/json' \\\n#   -d '{\"personal_reference\": \"'\"$personal_reference\"'\", \"quantity\": \"x\"}'\n" +
				"# Put an item on sale: https://api.example.com/migration#item-create\n" +
				"sellerd: personal_reference: is required\nqty: must be a whole number\n", 1,
		},
		"a program with a value that /v1 rejects": {
			nil, "<?php\nwp_remote_request(\"https://rest.delcampe.net/item/1?token=$token\", array('method' => 'PUT', 'body' => array('fixed_price' => '12,50')));\n" +
				"wp_remote_get(\"https://rest.delcampe.net/item/2?token=$token\");\n",
			"curl 'https://api.example.com/v1/items/2' \\\n  -H \"X-Api-Key: $KEY\"\n",
			"# Line 2: PUT /rest/item/{id_item}\n# fixed_price is rejected: 12,50 must be an amount such as 12.50\n" +
				"# curl -X PATCH 'https://api.example.com/v1/items/1' \\\n#   -H \"X-Api-Key: $KEY\" \\\n" +
				"#   -H 'Content-Type: application/json' \\\n#   -d '{\"price\": {\"amount\": \"12,50\"}}'\n" +
				"# Change an item: https://api.example.com/migration#item-update\n# Line 3: GET /rest/item/{id_item}\n" +
				"# Read an item: https://api.example.com/migration#item\nsellerd: a call of the program has a value that is rejected\n", 1,
		},
		"a field whose name a terminal would obey": {
			[]string{"GET /rest/item/4711?a\x1bb=1"},
			"", "curl 'https://api.example.com/v1/items/4711' \\\n  -H \"X-Api-Key: $KEY\"\n",
			"# a\ufffdb (unknown): This call has no such field: it means nothing.\n# Read an item: https://api.example.com/migration#item\n", 0,
		},
		"nothing": {nil, "", "", "sellerd: Paste a request of the old interface: a curl command, a URL, a method and a URL, or a record of a request.\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(path, append([]string{"translate", "--base-url", "https://api.example.com/"}, test.args...)...)
			cmd.Dir = t.TempDir()
			cmd.Stdin = strings.NewReader(test.stdin)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{test.stdout, test.stderr, test.status}, []any{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	t.Run("everything as JSON", func(t *testing.T) {
		out := must(t, t.TempDir(), "translate", "--json", "GET /rest/seller?token=abcdefgh")
		if !strings.HasPrefix(out, "{\n\t\"call\": \"seller\",") || strings.Contains(out, "abcdefgh") {
			t.Errorf("%s", out)
		}
	})
}
