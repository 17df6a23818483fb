package main_test

import (
	"database/sql"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAccountsAreClosedByCommands closes an account, opens it again, and erases it.
func TestAccountsAreClosedByCommands(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	createAnna(t, folder)
	key := must(t, folder, "keys", "create", "--account", "anna", "--mode", "live")
	refused := func(line string, wantStatus int, want string) {
		t.Helper()
		status, said := mistake(t, folder, strings.Fields(line)...)
		if status != wantStatus || !strings.HasPrefix(said, "sellerd: "+want) {
			t.Errorf("%s: status %d, it says %q", line, status, said)
		}
	}
	refused("accounts reopen anna", 1, "the account is not closed: `sellerd accounts close` closes it")
	refused("accounts close anna --keep-years 0", 2, "accounts close: --keep-years must be from 1 to 100, not 0: --erase-now keeps nothing")
	refused("accounts close anna --erase-now", 2, "accounts close: --erase-now needs --confirm with the account's nickname")
	refused("accounts close anna --erase-now --keep-years 7 --confirm anna", 2,
		"accounts close: --erase-now and --keep-years exclude each other: --erase-now keeps nothing")
	refused("accounts close anna --confirm anna", 2, "accounts close: --confirm is for --erase-now")
	refused("accounts export anna --to -", 2, "--to names a folder or a .zip file to make")
	refused("accounts export anna --to anna.tar.gz", 2, "--to anna.tar.gz: the file made is a .zip")
	refused("accounts close anna --erase-now --confirm bob", 2, `--confirm is "bob", and the account's nickname is "anna": nothing was done`)
	if got := must(t, folder, "accounts", "list", "--status", "closed", "--format", "id"); got != "" {
		t.Fatalf("closed accounts: %s", got)
	}
	var closed struct {
		Keys     int        `json:"keys"`
		ClosedAt *time.Time `json:"closed_at"`
		EraseAt  time.Time  `json:"erase_at"`
	}
	err := json.Unmarshal([]byte(must(t, folder, "accounts", "close", "anna")), &closed)
	if err != nil || closed.Keys != 1 || closed.ClosedAt == nil || !closed.EraseAt.Equal(closed.ClosedAt.AddDate(10, 0, 0)) {
		t.Errorf("closed: %+v %v", closed, err)
	}
	refused("keys create --account anna --mode live", 1, "the account is closed: `sellerd accounts reopen` opens it again")
	refused("accounts resume anna", 1, "the account is closed: `sellerd accounts reopen` opens it again")
	must(t, folder, "accounts", "reopen", "5001")
	must(t, folder, "keys", "create", "--account", "anna", "--mode", "live")
	must(t, folder, "accounts", "export", "anna", "--to", "anna.zip")
	refused("accounts export anna --to anna.zip", 2, "--to anna.zip exists already: name one that does not")
	refused("accounts export anna --to nowhere/anna.zip", 2, "there is no folder nowhere")
	must(t, folder, "accounts", "close", "anna", "--erase-now", "--confirm", "anna")
	refused("accounts show anna", 1, `there is no account "anna"`)

	var log []struct{ Action, Target, Before, After any }
	if err := json.Unmarshal([]byte(must(t, folder, "audit", "--account", "5001", "--json")), &log); err != nil {
		t.Fatal(err)
	}
	var actions []any
	for _, change := range log {
		actions = append(actions, change.Action)
		if change.Before != nil || change.After != nil {
			t.Errorf("the audit log has of the erased account %+v", change)
		}
	}
	want := []any{"accounts close", "accounts close", "keys create", "accounts reopen", "accounts close", "keys create", "accounts create"}
	if diff := cmp.Diff(want, actions); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}
	if out := must(t, folder, "audit", "--json"); strings.Contains(out, key) {
		t.Error("the audit log has a key")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "audit", "--action", "key create")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if want := "there is no change key create: without --action, the command lists all by their names\n"; err != nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("a mistyped action: %v, %s, want %s", err, out, want)
	}
}

// TestBuyersAreFoundAndExportedByCommands finds a buyer who has bought nothing yet.
func TestBuyersAreFoundAndExportedByCommands(t *testing.T) {
	folder := t.TempDir()
	must(t, folder, "migrate")
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(folder, "data", "sellerd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`INSERT INTO buyers (id, scope, nickname, email, first_name, language, country, address, created_at, updated_at)
 VALUES (70001, 0, 'carl', 'carl@example.org', 'Çarl', 'nl', 'BE', '', 1, 1), (70002, 0, 'dora', 'dora@example.org', NULL, 'nl', 'BE', '', 1, 1)`)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, folder, "buyers", "find", "CARL@example", "--format", "id"); got != "70001" {
		t.Errorf("found: %q", got)
	}
	got := must(t, folder, "buyers", "find", "carl", "--format", "table")
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "70001") {
		t.Errorf("the table: %q", got)
	}
	var found struct {
		Buyers []struct{ ID string }
		Places []struct{ Place string }
	}
	err = json.Unmarshal([]byte(must(t, folder, "buyers", "find", "_ora%")), &found)
	if err != nil || len(found.Buyers)+len(found.Places) != 0 {
		t.Errorf("what LIKE would match is found: %+v %v", found, err)
	}
	var exported struct {
		BuyerID string `json:"buyer_id"`
		Buyers  []any  `json:"buyers"`
	}
	out := must(t, folder, "buyers", "export", "70001")
	err = json.Unmarshal([]byte(out), &exported)
	whole := exported.BuyerID == "70001" && len(exported.Buyers) == 1 && strings.Contains(out, "carl@example.org")
	if err != nil || !whole || strings.Contains(out, "dora") {
		t.Errorf("exported: %v %s", err, out)
	}
	for line, want := range map[string]string{
		"buyers export 9":                 "there is no such buyer: every sale shows the id of its buyer, and `sellerd buyers find` finds it",
		"buyers export carl":              "ID must be an id, a number such as 70001, not \"carl\": `sellerd buyers find` shows it",
		"buyers export 70001 --account x": `there is no account "x"`,
	} {
		if _, said := mistake(t, folder, strings.Fields(line)...); !strings.HasPrefix(said, "sellerd: "+want) {
			t.Errorf("%s says %q", line, said)
		}
	}
}
