package server_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// Old programs and simple clients send the whole body before they read. The answer to a body that is refused must reach them.
func TestACallerWhoSendsTheWholeBodyFirstGetsTheAnswer(t *testing.T) {
	w, s, _ := served(t)
	public, operator := running(t, s)
	const size = 24 << 20 // more than the kernel takes for a server that does not read
	key := "X-Api-Key: " + w.Key + "\r\n"
	for _, test := range []struct {
		name, address, line, header string
		want                        string
	}{
		{"an item", public, "POST /v1/items", key + "Content-Type: application/json\r\n", "413 payload_too_large"},
		{"a batch", public, "POST /v1/item-batches", key + "Content-Type: application/json\r\n", "413 payload_too_large"},
		{"a patch", public, "PATCH /v1/items/1", key + "Content-Type: application/json\r\n", "413 payload_too_large"},
		{"a caller who asks first, and does not wait", public, "POST /v1/items", key + "Content-Type: application/json\r\nExpect: 100-continue\r\n", "413 payload_too_large"},
		{"no key", public, "POST /v1/items", "Content-Type: application/json\r\n", "401 missing_api_key"},
		{"a wrong path", public, "POST /v1/nothing", key, "404 route_not_found"},
		{"a wrong method", public, "DELETE /v1/items", key, "405 method_not_allowed"},
		{"a page", public, "POST /docs/api", "", "405 method_not_allowed"},
		{"the translator", public, "POST /migration/translate", "Content-Type: application/json\r\n", "413 payload_too_large"},
		{"a call of /rest", public, "POST /rest/item", key + "Content-Type: application/x-www-form-urlencoded\r\n", "413 payload_too_large"},
		{"no call of /rest", public, "POST /rest/nothing", key, "404 route_not_found"},
		{"the operator", operator, "POST /operator/accounts", "", "401 missing_api_key"},
	} {
		for name, length := range map[string]string{"with its length": "Content-Length: 25165824\r\n", "in chunks": "Transfer-Encoding: chunked\r\n"} {
			t.Run(test.name+" "+name, func(t *testing.T) {
				t.Parallel()
				connection, err := net.Dial("tcp", test.address)
				if err != nil {
					t.Fatal(err)
				}
				defer connection.Close()
				if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
					t.Fatal(err)
				}
				out := bufio.NewWriterSize(connection, 1<<16)
				_, _ = out.WriteString(test.line + " HTTP/1.1\r\nHost: sellerd.test\r\n" + test.header + length + "\r\n")
				block := strings.Repeat(" ", 1<<16)
				for range size / len(block) {
					if name == "in chunks" {
						block = "10000\r\n" + strings.Repeat(" ", 1<<16) + "\r\n"
					}
					if _, err := out.WriteString(block); err != nil {
						t.Fatalf("send: %v", err)
					}
				}
				if name == "in chunks" {
					_, _ = out.WriteString("0\r\n\r\n")
				}
				if err := out.Flush(); err != nil {
					t.Fatalf("send: %v", err)
				}
				in := bufio.NewReader(connection)
				answer, err := http.ReadResponse(in, nil)
				if err == nil && answer.StatusCode == http.StatusContinue { // the first bytes were wanted
					answer, err = http.ReadResponse(in, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, answer.Status[:3]+" "+codeOf(string(body))); diff != "" {
					t.Errorf("(-want +got):\n%s\n%s", diff, body)
				}
				if !answer.Close {
					t.Error("the connection is kept")
				}
			})
		}
	}
}

// codeOf is the only code of an answer of /v1 or /rest.
func codeOf(body string) string {
	if _, code, found := strings.Cut(body, "<errorCode>"); found {
		code, _, _ = strings.Cut(code, "<")
		return code
	}
	var refused struct{ Errors []servertest.ErrorEntry }
	if json.Unmarshal([]byte(body), &refused) != nil || len(refused.Errors) != 1 {
		return body
	}
	return string(refused.Errors[0].Code)
}
