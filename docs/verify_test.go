package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
)

// verifier runs the code that seller/signatures.md prints for a language: the code is put into a file, the driver into another
// or behind it. The driver reads cases from standard input and writes a line for each, "true" if the code let it pass.
type verifier struct {
	language string // of the fenced block
	program  string // without which it cannot run
	files    func(code string) map[string]string
	run      []string
}

var verifiers = []verifier{
	{"go", "go", func(code string) map[string]string {
		return map[string]string{"verify.go": strings.Replace(code, "package webhook", "package main", 1), "driver.go": goDriver}
	}, []string{"go", "run", "verify.go", "driver.go"}},
	{"js", "node", func(code string) map[string]string {
		return map[string]string{"verify.js": code + jsDriver}
	}, []string{"node", "verify.js"}},
	{"python", "python3", func(code string) map[string]string {
		return map[string]string{"verify.py": code + pythonDriver}
	}, []string{"python3", "verify.py"}},
	{"php", "php", func(code string) map[string]string {
		return map[string]string{"verify.php": code + phpDriver}
	}, []string{"php", "-d", "display_errors=stderr", "verify.php"}},
}

const goDriver = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	for _, c := range cases {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		fmt.Println(Verify(c.Secret, header, c.Body) == nil)
	}
}
`

const jsDriver = `
for (const c of JSON.parse(require('node:fs').readFileSync(0))) {
  let passed = true;
  try {
    verify(c.Secret, c.Headers, Buffer.from(c.Body, 'base64'));
  } catch (error) {
    if (!/timestamp|signature/.test(error.message)) throw error;
    passed = false;
  }
  console.log(passed);
}
`

const pythonDriver = `

import json, sys

for case in json.load(sys.stdin):
    try:
        verify(case["Secret"], case["Headers"], base64.b64decode(case["Body"]))
        print("true")
    except ValueError:
        print("false")
`

const phpDriver = `
foreach (json_decode(file_get_contents('php://stdin'), true) as $case) {
    try {
        verify($case['Secret'], $case['Headers'], base64_decode($case['Body']));
        echo "true\n";
    } catch (RuntimeException) {
        echo "false\n";
    }
}
`

// signedCase is a request for a verifier, and whether it has to let it pass.
type signedCase struct {
	Name    string
	Secret  string
	Headers map[string]string
	Body    []byte
	Passes  bool
}

func TestVerifiers(t *testing.T) {
	page := read(t, "seller/signatures.md")
	cases := signedCases(t)
	for _, v := range verifiers {
		t.Run(v.language, func(t *testing.T) {
			t.Parallel()
			installed.Require(t, "THE VERIFIER IN "+strings.ToUpper(v.language)+" WAS NOT TRIED", v.program)
			found := regexp.MustCompile("(?s)```"+v.language+" tab #\\w+\n(.*?)```").FindAllStringSubmatch(page, -1)
			if len(found) != 1 {
				t.Fatalf("the page has %d blocks of %s, want one", len(found), v.language)
			}
			folder := t.TempDir()
			for name, text := range v.files(found[0][1]) {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			compareVerdicts(t, cases, folder, v.run)
		})
	}
}

// clientVerifiers run the clients in place of the page's code. Their headers are written as PHP and Python frameworks write them.
var clientVerifiers = []struct {
	program string
	files   []string
	driver  string // its name
	text    string
	run     []string
}{
	{"go", []string{"../v1/client/webhook.go"}, "driver.go", strings.NewReplacer(
		"Verify(c.Secret, header, c.Body)", "VerifyWebhook(c.Secret, header, c.Body, time.Now())", "\t\"os\"\n", "\t\"os\"\n\t\"time\"\n",
	).Replace(goDriver), []string{"go", "run", "webhook.go", "driver.go"}},
	{"node", []string{"clients/sellerd.mjs"}, "driver.mjs", `
import { readFileSync } from 'node:fs';
import { InvalidSignature, verifyWebhook } from './sellerd.mjs';

for (const c of JSON.parse(readFileSync(0))) {
  const body = Buffer.from(c.Body, 'base64');
  const passed = (headers) => verifyWebhook(c.Secret, headers, body).then(
    (event) => event.id === (c.Headers['webhook-id'] ?? c.Headers['Webhook-Id']),
    (error) => { if (!(error instanceof InvalidSignature)) throw error; return false; });
  const plain = await passed(c.Headers);
  if (plain !== await passed(new Headers(Object.entries(c.Headers).map(([name, value]) => [name, /^[ -~]*$/.test(value) ? value : 'x'])))) throw new Error(c.Name);
  console.log(plain);
}
`, []string{"node", "driver.mjs"}},
	{"python3", []string{"clients/sellerd.py"}, "driver.py", "import base64, sellerd\n\n" +
		"def verify(secret, headers, body):\n" +
		"    sellerd.verify_webhook(secret, {name.title(): value for name, value in headers.items()}, body)\n" +
		strings.Replace(pythonDriver, "ValueError", "sellerd.InvalidSignature", 1), []string{"python3", "driver.py"}},
	{"php", []string{"clients/Sellerd.php"}, "driver.php", "<?php require 'Sellerd.php';\n" +
		"function verify($secret, $headers, $body) {\n" +
		"    $names = array_map(fn ($name) => ucwords($name, '-'), array_keys($headers));\n" +
		"    Sellerd\\verifyWebhook($secret, array_combine($names, $headers), $body);\n" +
		"}\n" +
		strings.Replace(phpDriver, "RuntimeException", "Sellerd\\InvalidSignature", 1), []string{"php", "-d", "display_errors=stderr", "driver.php"}},
}

// TestVerifiersOfTheClients gives the same requests to the clients.
func TestVerifiersOfTheClients(t *testing.T) {
	cases := signedCases(t)
	for _, v := range clientVerifiers {
		t.Run(v.program, func(t *testing.T) {
			t.Parallel()
			installed.Require(t, "THE CLIENT FOR "+strings.ToUpper(v.program)+" WAS NOT TRIED", v.program)
			folder := t.TempDir()
			texts := map[string]string{v.driver: v.text}
			for _, name := range v.files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				texts[filepath.Base(name)] = strings.Replace(string(text), "package client", "package main", 1)
			}
			for name, text := range texts {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			compareVerdicts(t, cases, folder, v.run)
		})
	}
}

// compareVerdicts gives all cases to a program and compares what it says of each.
func compareVerdicts(t *testing.T, cases []signedCase, folder string, command []string) {
	t.Helper()
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), command[0], command[1:]...)
	program.Dir = folder
	program.Stdin = strings.NewReader(string(in))
	program.Stderr = t.Output()
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	verdicts := strings.Fields(string(out))
	if len(verdicts) != len(cases) {
		t.Fatalf("%d verdicts on %d cases: %q", len(verdicts), len(cases), out)
	}
	want, got := map[string]string{}, map[string]string{}
	for i, c := range cases {
		want[c.Name], got[c.Name] = strconv.FormatBool(c.Passes), verdicts[i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what passes (-want +got):\n%s", diff)
	}
}

// signedCases are deliveries as a receiver got them from the service, and what a forger could make of them.
func signedCases(t *testing.T) []signedCase {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t))
	w.Clock.Advance(time.Since(servertest.Start)) // verifiers look at the real clock
	var mu sync.Mutex
	var last signedCase
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		last = signedCase{Body: body, Headers: map[string]string{}}
		for name := range r.Header {
			last.Headers[strings.ToLower(name)] = r.Header.Get(name)
		}
	}))
	defer receiver.Close()
	type webhook struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}
	hook := servertest.Into[webhook](t, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL}}))
	path := "/v1/webhooks/" + hook.ID
	deliver := func(name, secret string, passes bool, change ...func(*signedCase)) signedCase {
		t.Helper()
		w.List(t, servertest.FixedPrice(map[string]any{"title": "Bayern 1849, „Schwarzer Einser“ 🖤"}))
		if n, err := w.Service.DeliverOnce(context.Background()); n == 0 || err != nil {
			t.Fatalf("%d deliveries, %v", n, err)
		}
		mu.Lock()
		defer mu.Unlock()
		c := last
		c.Name, c.Secret, c.Passes = name, secret, passes
		for _, f := range change {
			f(&c)
		}
		return c
	}
	flip := func(text string) string {
		n := len(text) / 2
		return text[:n] + string("AB"[strings.Count(text[n:n+1], "A")]) + text[n+1:]
	}
	otherSecret := "whsec_" + strings.Repeat("QUJD", 12)
	cases := []signedCase{
		deliver("a delivery", hook.Secret, true),
		deliver("a delivery with the names of net/http", hook.Secret, true, func(c *signedCase) {
			for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
				c.Headers[name] = c.Headers[strings.ToLower(name)]
				delete(c.Headers, strings.ToLower(name))
			}
		}),
		deliver("a delivery, its secret from a file", hook.Secret+"\n", true),
		deliver("a delivery with a changed body", hook.Secret, false, func(c *signedCase) { c.Body = append(c.Body[:len(c.Body)-1], ' ', '}') }),
		deliver("a delivery with a changed id", hook.Secret, false, func(c *signedCase) { c.Headers["webhook-id"] += "x" }),
		deliver("a delivery with a changed signature", hook.Secret, false, func(c *signedCase) {
			c.Headers["webhook-signature"] = flip(c.Headers["webhook-signature"])
		}),
		deliver("a delivery with a later timestamp", hook.Secret, false, func(c *signedCase) {
			at, _ := strconv.Atoi(c.Headers["webhook-timestamp"])
			c.Headers["webhook-timestamp"] = strconv.Itoa(at + 1)
		}),
		deliver("another's secret", otherSecret, false),
	}
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		cases = append(cases, deliver("a delivery without "+name, hook.Secret, false, func(c *signedCase) { delete(c.Headers, name) }))
	}
	for _, odd := range []string{"v1,", "v2," + strings.Repeat("A", 44), "é", " "} {
		cases = append(cases, deliver(fmt.Sprintf("the signature %q", odd), hook.Secret, false, func(c *signedCase) { c.Headers["webhook-signature"] = odd }))
	}
	w.Clock.Advance(-6 * time.Minute)
	cases = append(cases, deliver("a delivery of six minutes ago", hook.Secret, false))
	w.Clock.Advance(12 * time.Minute)
	cases = append(cases, deliver("a delivery of six minutes ahead", hook.Secret, false))
	w.Clock.Advance(-6 * time.Minute)

	rotated := servertest.Into[webhook](t, w.Do(t, servertest.Request{Method: http.MethodPatch, Path: path, Body: map[string]any{"rotate_secret": true}}))
	return append(cases,
		deliver("during a rotation, with the new secret", rotated.Secret, true),
		deliver("during a rotation, with the old secret", hook.Secret, true),
		deliver("during a rotation, with another's", otherSecret, false))
}
