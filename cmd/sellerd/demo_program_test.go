package main_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var printedTestKey = regexp.MustCompile(`test key +(dk_test_\S+)`)

func TestTheDemoPrintsTheSameKeysAtEveryStart(t *testing.T) {
	folder := t.TempDir()
	var keys []string
	for range 2 {
		server := serve(t, folder, "--demo", "--allow-private-targets")
		for {
			line, err := server.stdout.ReadString('\n')
			if err != nil {
				t.Fatalf("the demo printed no key: %v", err)
			}
			if found := printedTestKey.FindStringSubmatch(line); found != nil {
				keys = append(keys, found[1])
			}
			if strings.Contains(line, "Open in a browser") {
				break
			}
		}
		if got := server.status(t, keys[0]); got != 200 {
			t.Errorf("the printed key answers %d", got)
		}
		checkPages(t, server)
		server.end(t)
	}
	if keys[0] != keys[1] {
		t.Errorf("two starts printed two keys")
	}
	info, err := os.Stat(filepath.Join(folder, "data", "sellerd.secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file must be its owner's alone: %v %v", info, err)
	}
}

// checkPages opens what the rest of the demo's welcome lists.
func checkPages(t *testing.T, server *child) {
	t.Helper()
	opened := 0
	for {
		line, err := server.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the welcome ended early: %v", err)
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			if opened > 0 {
				break
			}
			continue
		}
		response, err := http.Get(words[0])
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("the page %s answers %s", words[0], response.Status)
		}
		opened++
	}
	go func() { _, _ = io.Copy(io.Discard, server.stdout) }()
	if opened < 3 {
		t.Errorf("the welcome lists %d pages only", opened)
	}
}
