package main_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// restDrill makes a call of the old interface in a drill.
func (c *child) restDrill(t *testing.T, path, key string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, c.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	r.Header.Set("Legacy-Drill", "sunset")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != http.StatusGone {
		t.Fatalf("%s: %d", path, response.StatusCode)
	}
}

// TestLettersAreWrittenBesideAServer writes a letter in each format, also where there is no room for it.
func TestLettersAreWrittenBesideAServer(t *testing.T) {
	t.Run("SQLite", testLegacyLetters)
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Setenv("SELLERD_DB", pgtest.URL(t, nil))
		testLegacyLetters(t)
	})
}

func testLegacyLetters(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	account := createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", account, "--mode", "live")
	if got := server.get(t, "/rest/seller", key); got != http.StatusOK {
		t.Fatalf("a call of the old interface: %d", got)
	}
	letters := func(flags ...string) string {
		t.Helper()
		return must(t, folder, append([]string{"legacy", "letters", "--base-url", "https://api.example.com"}, flags...)...)
	}
	const nobody = `{
  "out": null,
  "letters": 0,
  "written_before": 0,
  "suspended": [],
  "without_address": []
}`
	server.end(t) // stores what is counted
	if got := letters("--state", "silent"); got != nobody {
		t.Errorf("silent sellers: %s", got)
	}
	if os.Getenv("SELLERD_DB") != "" { // the limit would hold for the files of SQLite, too
		withoutRoom(t, folder)
	}
	for _, format := range []string{"eml", "mbox", "csv"} {
		want := strings.Replace(strings.Replace(nobody, "null", `"`+format+`"`, 1), `"letters": 0`, `"letters": 1`, 1)
		if got := letters("--format", format, "--out", format, "--written", format+".json"); got != want {
			t.Errorf("%s: %s", format, got)
		}
	}
	for _, name := range []string{"eml/" + account + ".eml", "mbox", "csv"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.Contains(string(text), "anna@example.com") || !strings.Contains(string(text), "dk_live_"+strings.Split(key, "_")[2]) {
			t.Errorf("%s: %v %s", name, err, text)
		}
	}
	if got, want := letters("--written", "csv.json"), strings.Replace(nobody, `"written_before": 0`, `"written_before": 1`, 1); got != want {
		t.Errorf("a second run: %s", got)
	}
}

// withoutRoom writes letters where a file can have 1 KiB at most.
func withoutRoom(t *testing.T, folder string) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"eml", "mbox", "csv"} {
		cmd := exec.Command("bash", "-c", `ulimit -f 1; exec "$0" legacy letters --base-url https://api.example.com --out short --written short.json --format `+format, path)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if left := names(t, folder); err == nil || !strings.Contains(string(out), "file too large") || strings.Contains(left, "short") {
			t.Errorf("%s: %v, it says %s, and leaves %s", format, err, out, left)
		}
	}
}

// names are the names in a folder, also the hidden ones.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(entries)
}

func TestTheReportListsTheKeysThatAreLeft(t *testing.T) {
	t.Run("SQLite", testLegacyReport)
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Setenv("SELLERD_DB", pgtest.URL(t, nil))
		testLegacyReport(t)
	})
}

func testLegacyReport(t *testing.T) {
	folder := t.TempDir()
	server := serve(t, folder)
	account := createAnna(t, folder)
	if got := must(t, folder, "legacy", "report"); got != "[]" {
		t.Errorf("before the first call: %s", got)
	}
	key := must(t, folder, "keys", "create", "--account", account, "--mode", "live", "--name", "=HYPERLINK(1)")
	for range 3 {
		if got := server.get(t, "/rest/seller", key); got != http.StatusOK {
			t.Fatalf("a call of the old interface: %d", got)
		}
	}
	server.restDrill(t, "/rest/shippingModels", key)
	server.end(t) // stores what is counted

	type line struct {
		Account map[string]string `json:"account"`
		Key     map[string]string `json:"key"`
		Calls   []struct {
			Call  string `json:"call"`
			Count int    `json:"count"`
		} `json:"calls"`
		Count int     `json:"count"`
		Share float64 `json:"rest_share"`
		State string  `json:"state"`
	}
	var got []line
	if err := json.Unmarshal([]byte(must(t, folder, "legacy", "report", "--state", "active")), &got); err != nil {
		t.Fatal(err)
	}
	id := strings.Split(key, "_")[2]
	want := []line{{
		Account: map[string]string{"id": account, "nickname": "anna", "email": "anna@example.com"},
		Key:     map[string]string{"id": id, "prefix": "dk_live_" + id, "name": "=HYPERLINK(1)", "mode": "live"},
		Count:   4, Share: 1, State: "active",
	}}
	want[0].Calls = append(want[0].Calls, struct {
		Call  string `json:"call"`
		Count int    `json:"count"`
	}{"seller", 3}, struct {
		Call  string `json:"call"`
		Count int    `json:"count"`
	}{"shipping-models", 1})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got := must(t, folder, "legacy", "report", "--state", "done"); got != "[]" {
		t.Errorf("those that are done: %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(must(t, folder, "legacy", "report", "--csv"))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("CSV: %v %v", rows, err)
	}
	rows[1][8], rows[1][9], rows[1][12] = "", "", "" // the instants and the day
	wantRow := []string{account, "anna", "anna@example.com", id, "dk_live_" + id, "'=HYPERLINK(1)", "live", "active", "", "", "4", "1", "", "seller:3 shipping-models:1", ""}
	if diff := cmp.Diff(wantRow, rows[1]); diff != "" {
		t.Errorf("CSV (-want +got):\n%s", diff)
	}
	if secret := strings.Split(key, "_")[3]; strings.Contains(must(t, folder, "legacy", "report"), secret) {
		t.Error("the report shows a key")
	}
}
