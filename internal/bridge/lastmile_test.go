package bridge_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/scan"
	"sellerd/v1"
)

// shop is an old program, a folder of its own.
const shop = "../../legacy/testdata/php/shop"

// TestTheLastMileOfAnOldProgram follows an unchanged program from a drill to the time after the sunset: a scan
// names its calls, a drill of its key turns them to 410 and back, the bridge serves it afterwards and records the same calls,
// and the operator's report has its key and no other.
func TestTheLastMileOfAnOldProgram(t *testing.T) {
	installed.Require(t, "NO OLD PROGRAM IN PHP WAS TRIED", "php")
	program := filepath.Join(t.TempDir(), "seller")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "sellerd/cmd/seller")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	scanned := scanShop(t)
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		w := servertest.New(t, database(t), servertest.NewWeb(t).Production)
		service := httptest.NewServer(w.Server.Public)
		t.Cleanup(service.Close)
		_, moved, _ := w.Seller(t, "bruno") // has moved to /v1
		w.Do(t, servertest.Request{Path: "/v1/account", Key: moved})

		direct := newShop(t, service.URL+"/rest", w.Key)
		direct.wants(t, "list", []any{"A-1", "1"}, `"true"`)
		w.Publish(t)
		before := direct.run(t, "find", "A-1")
		drill(t, w, direct)
		direct.wants(t, "find", []any{"A-1"}, before)

		w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()) + 24*time.Hour)
		direct.fails(t, 410, "sold", "0")
		recording := filepath.Join(t.TempDir(), "calls.jsonl")
		old := newShop(t, startBridge(t, program, service.URL, recording)+"/rest", w.Key)
		old.wants(t, "list", []any{"B-1", "3000"}, `"true"`)
		w.Publish(t)
		item := strings.Trim(old.run(t, "find", "B-1"), `"`)
		const sales = 2050
		(&bridged{World: w}).purchase(t, item, sales)
		var sold []string
		if err := json.Unmarshal([]byte(old.run(t, "sold", 2000)), &sold); err != nil || len(sold) != sales-2000 || slices.ContainsFunc(sold, func(id string) bool { return id != item }) {
			t.Errorf("sold from 2000 on: %v, %d of them: %.300v", err, len(sold), sold)
		}
		old.wants(t, "rate", []any{item}, `"true"`)
		old.wants(t, "close", []any{item}, `"true"`)
		if open, ratings := w.Count(t, "items", "status = 'open' AND personal_reference = 'B-1'"), w.Count(t, "ratings", "1 = 1"); open != 0 || ratings != 1 {
			t.Errorf("%d of its items are open, %d ratings", open, ratings)
		}

		if diff := cmp.Diff(scanned, recorded(t, recording)); diff != "" {
			t.Errorf("the calls that the scan found and those that the bridge recorded (-scan +bridge):\n%s", diff)
		}
		checkReport(t, w)
	})
}

// drill takes /rest from the shop's key for two minutes, as a seller does it.
func drill(t *testing.T, w *servertest.World, program *oldShop) {
	t.Helper()
	begin := w.Clock.Now().Add(10 * time.Minute)
	got := w.Do(t, servertest.Request{Path: "/v1/account/legacy-drills", Body: map[string]any{
		"from": v1.TimeOf(begin), "to": v1.TimeOf(begin.Add(2 * time.Minute)), "key_id": strings.Split(w.Key, "_")[2],
	}})
	if got.Status != http.StatusCreated {
		t.Fatalf("schedule a drill: %d %s", got.Status, got.Body)
	}
	program.run(t, "find", "A-1")
	w.Clock.Advance(10*time.Minute + time.Second)
	program.fails(t, 410, "find", "A-1")
	w.Clock.Advance(2 * time.Minute)
}

// checkReport compares the operator's report: the shop's key alone, with the calls that the service answered and those that it
// refused.
func checkReport(t *testing.T, w *servertest.World) {
	t.Helper()
	if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	type call struct {
		Call  string  `json:"call"`
		Count int     `json:"count"`
		First v1.Time `json:"first_used_at"`
		Last  v1.Time `json:"last_used_at"`
	}
	report := servertest.Into[struct {
		Results []struct {
			Account struct {
				ID string `json:"id"`
			} `json:"account"`
			Key struct {
				ID string `json:"id"`
			} `json:"key"`
			Calls []call `json:"calls"`
			State string `json:"state"`
		} `json:"results"`
	}](t, w.DoOperator(t, servertest.Request{Method: "GET", Path: "/operator/legacy-usage"}))
	if len(report.Results) != 1 {
		t.Fatalf("%d keys are left: %+v", len(report.Results), report.Results)
	}
	entry := report.Results[0]
	if diff := cmp.Diff([]string{fmt.Sprint(w.Account), strings.Split(w.Key, "_")[2], "active"}, []string{entry.Account.ID, entry.Key.ID, entry.State}); diff != "" {
		t.Errorf("account, key and state (-want +got):\n%s", diff)
	}
	day := func(c v1.Time) string { return c.String()[:len("2006-01-02")] }
	var calls []string
	for _, c := range entry.Calls { // its counts are of the last 30 days
		calls = append(calls, fmt.Sprintf("%s %d %s %s", c.Call, c.Count, day(c.First), day(c.Last)))
	}
	first, last := day(v1.TimeOf(servertest.Start)), day(v1.TimeOf(w.Clock.Now()))
	want := []string{"item-by-reference 0 " + first + " " + first, "item-create 0 " + first + " " + first, "login 1 " + first + " " + last}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// scanShop scans the program's folder and returns its calls, after it has checked that each is found at its line.
func scanShop(t *testing.T) (calls []string) {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	report, err := scan.Run(t.Context(), table, scan.Options{Paths: []string{shop}, BaseURL: "https://api.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range report.Findings {
		found = append(found, fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Call))
		calls = append(calls, f.Call)
	}
	if diff := cmp.Diff(linesOfShop(t), found); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	slices.Sort(calls)
	return calls
}

// linesOfShop finds the calls by the program's own words: what is behind send's method and path.
func linesOfShop(t *testing.T) (lines []string) {
	t.Helper()
	const name = "Marketplace.php"
	source, err := os.ReadFile(filepath.Join(shop, name))
	if err != nil {
		t.Fatal(err)
	}
	calls := []struct{ begin, id string }{
		{`'POST', '/seller'`, "login"},
		{`'POST', '/item',`, "item-create"},
		{`'GET', '/item/reference/'`, "item-by-reference"},
		{`'GET', '/item/fixedprice/sold'`, "fixedprice-sold"},
		{`'POST', '/item/' . $id . '/feedback'`, "item-feedback"},
		{`'DELETE', "/item/$id"`, "item-close"},
	}
	for i, line := range strings.Split(string(source), "\n") {
		for _, c := range calls {
			if strings.Contains(line, "->send("+c.begin) {
				lines = append(lines, fmt.Sprintf("%s:%d %s", name, i+1, c.id))
			}
		}
	}
	if len(lines) != len(calls) {
		t.Fatalf("the program has other calls: %q", lines)
	}
	return lines
}

// oldShop is the program with its settings: unchanged but for its base address.
type oldShop struct{ folder, key string }

func newShop(t *testing.T, base, key string) *oldShop {
	t.Helper()
	s := &oldShop{folder: t.TempDir(), key: key}
	if err := os.CopyFS(s.folder, os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(s.folder, "settings.ini")
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.Replace(string(text), translate.OldHost, base, 1)
	if moved == string(text) {
		t.Fatalf("no address to change in:\n%s", text)
	}
	if err := os.WriteFile(settings, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs the program and returns what it printed.
func (s *oldShop) start(arguments ...any) (out, complaint string, err error) {
	command := exec.Command("php", "shop.php")
	for _, argument := range arguments {
		command.Args = append(command.Args, fmt.Sprint(argument))
	}
	command.Dir = s.folder
	command.Env = append(os.Environ(), "SHOP_KEY="+s.key)
	var stderr strings.Builder
	command.Stderr = &stderr
	printed, err := command.Output()
	return string(printed), stderr.String(), err
}

func (s *oldShop) run(t *testing.T, arguments ...any) string {
	t.Helper()
	out, complaint, err := s.start(arguments...)
	if err != nil || complaint != "" {
		t.Fatalf("php shop.php %v: %v\n%s%s", arguments, err, out, complaint)
	}
	return out
}

func (s *oldShop) wants(t *testing.T, act string, arguments []any, want string) {
	t.Helper()
	if got := s.run(t, append([]any{act}, arguments...)...); got != want {
		t.Errorf("%s %v printed %.300s, want %s", act, arguments, got, want)
	}
}

// fails checks that the program's first call, its login, is answered with a status.
func (s *oldShop) fails(t *testing.T, status int, arguments ...any) {
	t.Helper()
	_, complaint, err := s.start(arguments...)
	if want := fmt.Sprintf("POST /seller was answered %d\n", status); err == nil || complaint != want {
		t.Errorf("%v: %v, %q; want %q", arguments, err, complaint, want)
	}
}

// startBridge runs the built program and returns its address.
func startBridge(t *testing.T, program, service, recording string) string {
	t.Helper()
	command := exec.Command(program, "--to", service, "--addr", "127.0.0.1:0", "--state", filepath.Join(t.TempDir(), "state"), "--record", recording)
	lines, err := command.StderrPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		var line struct{ Msg, Addr string }
		if json.Unmarshal(scanner.Bytes(), &line) == nil && line.Msg == "serving" {
			return line.Addr
		}
	}
	t.Fatal("the bridge does not serve")
	return ""
}

// recorded are the calls of a recording, each once.
func recorded(t *testing.T, file string) (calls []string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if secret := regexp.MustCompile(`dk_test_|token`).Find(content); secret != nil {
		t.Errorf("the recording has %q", secret)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(content))); decoder.More(); {
		var line bridge.Line
		if err := decoder.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Status != http.StatusOK {
			t.Errorf("%s was answered %d", line.Call, line.Status)
		}
		calls = append(calls, line.Call)
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}
