package main_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ask sends a request and returns the answer's body.
func (c *child) ask(t *testing.T, method, path, key, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode/100 != 2 {
		t.Fatalf("%s %s: %d %v\n%s", method, path, response.StatusCode, err, text)
	}
	return string(text)
}

func TestListenUntilCtrlC(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	account := createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", account, "--mode", "test")
	arrived := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header.Get("Webhook-Id") }))
	defer receiver.Close()

	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	listen := exec.Command(path, "listen", "--forward-to", receiver.URL, "--state", filepath.Join(folder, "listen.json"))
	listen.Env = append(os.Environ(), "SELLERD_KEY="+key, "SELLERD_BASE_URL="+server.url)
	listen.Stderr = t.Output()
	out, err := listen.StdoutPipe()
	if err != nil || listen.Start() != nil {
		t.Fatal("cannot start the listener", err)
	}
	t.Cleanup(func() { _ = listen.Process.Kill() })
	printed := bufio.NewReader(out)
	for line := ""; !strings.Contains(line, "Ctrl-C"); {
		if line, err = printed.ReadString('\n'); err != nil {
			t.Fatalf("it ended early: %v", err)
		}
	}

	server.ask(t, http.MethodPost, "/v1/items", key,
		`{"title":"Penny Red","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"5.00","currency":"GBP"}}`)
	if id := <-arrived; !strings.HasPrefix(id, "evt_") {
		t.Errorf("what arrived is %q", id)
	}
	if line, err := printed.ReadString('\n'); err != nil || !strings.Contains(line, "item.published") || strings.Contains(line, "\x1b") {
		t.Errorf("it prints %q, %v", line, err)
	}
	if err := listen.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(printed)
	if err != nil || !strings.Contains(string(rest), "is forgotten.") {
		t.Errorf("at the end it prints %q, %v", rest, err)
	}
	if err := listen.Wait(); err != nil {
		t.Errorf("Ctrl-C must end the program with status 0: %v", err)
	}
	server.end(t)
}
