package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/guide"
)

// This file runs every command that the migration guide prints, in a shell, as a reader who pastes them does: those of
// /rest in one world and those of /v1 in a twin of it. What they answer must agree by the tables, and what they leave must
// be the same.

// reader follows the guide in a world.
type reader struct {
	w      *servertest.World
	guide  *guide.Page
	folder string // for the files that its commands write
	setup  string // the variables and the function that the guide sets first
}

func newReader(t *testing.T, database string) *reader {
	t.Helper()
	installed.Require(t, "THE COMMANDS OF THE MIGRATION GUIDE WERE NOT TRIED", "bash", "curl", "sed", "grep", "diff", "php")
	w := servertest.New(t, database)
	sell(t, w)
	server := httptest.NewServer(w.Server.Public)
	t.Cleanup(server.Close)
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{w: w, guide: guide.New(table, server.URL), folder: t.TempDir()}
	var begin []string
	for _, setup := range r.guide.Begin {
		begin = append(begin, setup.Commands)
	}
	commands := strings.Replace(strings.Join(begin, "\n"), "'dk_test_...'", w.Key, 1)
	if !strings.Contains(commands, "KEY="+w.Key) {
		t.Fatalf("the guide does not say where the key goes:\n%s", commands)
	}
	var code int
	r.setup, code = r.shell(t, commands+"\ndeclare -p KEY TOKEN ACT ITEM REFERENCE ENDED SALE SOLD WEBHOOK SETTING; declare -f first")
	if code != 0 || strings.Contains(r.setup, `=""`) {
		t.Fatalf("what the guide says to run first ended with %d:\n%s", code, r.setup)
	}
	return r
}

// sell gives the world's seller an item on sale, one that ended, an auction on its way, and sales of both kinds.
func sell(t *testing.T, w *servertest.World) {
	t.Helper()
	w.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "CERES-20C", "description": "<p>Never hinged</p>", "weight_grams": 20}))
	unsold := w.List(t, servertest.Auction(map[string]any{"subtitle": "Fifty", "options": map[string]any{"subtitle": true}}))
	won := w.List(t, servertest.Auction(map[string]any{"personal_reference": "LOT-50"}))
	w.List(t, servertest.Auction(map[string]any{"preferred_end_day": "sun", "preferred_end_time": "18:00", "site": "be"}))
	lot := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 10}))
	gone := w.List(t, servertest.FixedPrice())
	for _, step := range []servertest.Request{
		{Path: "/v1/test/items/" + lot + "/purchase", Body: `{"quantity":3}`},
		{Path: "/v1/test/items/" + lot + "/purchase", Body: `{"quantity":2}`},
		{Path: "/v1/test/items/" + won + "/bids", Body: `{}`},
		{Path: "/v1/test/items/" + won + "/end", Body: `{}`},
		{Path: "/v1/test/items/" + unsold + "/end", Body: `{}`},
		{Path: "/v1/items/" + gone + "/close", Body: `{"reason":"sold_elsewhere"}`},
	} {
		if r := w.Do(t, step); r.Status != 200 {
			t.Fatalf("%s: %d %s", step.Path, r.Status, r.Body)
		}
	}
}

// shell runs commands, a request that is refused being one that fails, and returns what they say with the exit code.
func (r *reader) shell(t *testing.T, commands string) (said string, code int) {
	t.Helper()
	const prelude = "set -euo pipefail\ncurl() { command curl --no-progress-meter --fail-with-body \"$@\"; }\n"
	bash := exec.CommandContext(t.Context(), "bash")
	bash.Dir = r.folder
	bash.Stdin = strings.NewReader(prelude + r.setup + "\n" + commands + "\n")
	var out, trouble bytes.Buffer
	bash.Stdout, bash.Stderr = &out, &trouble
	if err := bash.Run(); bash.ProcessState == nil {
		t.Fatal(err)
	}
	if trouble.Len() > 0 && bash.ProcessState.Success() {
		t.Errorf("the shell says %s", &trouble)
	}
	return out.String(), bash.ProcessState.ExitCode()
}

// TestThePairsOfTheMigrationGuide follows the guide from its first call to its last.
func TestThePairsOfTheMigrationGuide(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		testPairs(t, newReader(t, database(t)), newReader(t, database(t)))
	})
}

func testPairs(t *testing.T, before, now *reader) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.state(t), now.state(t)); diff != "" {
		t.Fatalf("the two worlds are no twins:\n%s", diff)
	}
	compared := 0
	for i, call := range now.guide.Calls {
		t.Run(call.ID, func(t *testing.T) {
			legacy := before.guide.Calls[i].Example
			old, code := before.shell(t, legacy.Legacy)
			if failed := code != 0; failed != legacy.Refused || old == "" {
				t.Errorf("the command for /rest ended with %d:\n%s\n%s", code, legacy.Legacy, old)
			}
			if legacy.Refused { // only /v1 has what this asks for
				before.shell(t, before.guide.Calls[i].Example.V1)
			}
			answer, code := now.shell(t, call.Example.V1)
			if code != 0 || answer == "" {
				t.Errorf("the command for /v1 ended with %d:\n%s\n%s", code, call.Example.V1, answer)
			}
			if plan := table.Lookup(call.ID); plan.Reads() && plan.Target.Operation() != nil {
				compared += now.compare(t, plan, old, answer)
			}
			before.w.Publish(t)
			now.w.Publish(t)
			if diff := cmp.Diff(before.state(t), now.state(t)); diff != "" {
				t.Errorf("the two commands leave something else (-rest +v1):\n%s", diff)
			}
		})
	}
	if compared < 300 {
		t.Errorf("only %d values were compared", compared)
	}
	for _, phase := range now.guide.Phases {
		for _, setup := range phase.Setup {
			want := 0
			if strings.Contains(setup.Commands, translate.DrillHeader) {
				want = 22 // what curl calls a refusal
			}
			if said, code := now.shell(t, setup.Commands); code != want || said == "" && !strings.Contains(setup.Commands, "> now.txt") {
				t.Errorf("the command ended with %d:\n%s\n%s", code, setup.Commands, said)
			}
		}
	}
}

// TestTheLoopOfTheMigrationGuide runs the guide's loop over a list of several pages, and sees that it reads all of them.
func TestTheLoopOfTheMigrationGuide(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.SQLite(t))
	want := r.w.Count(t, "items", "sale_type = 'fixed_price' AND status = 'open'")
	i := slices.IndexFunc(r.guide.Phases, func(phase guide.Phase) bool { return phase.ID == "phase-reading" })
	loop, compare := r.guide.Phases[i].Setup[0].Commands, r.guide.Phases[i].Setup[1].Commands
	paged := strings.Replace(loop, "'limit' => 200", "'limit' => 1", 1)
	said, code := r.shell(t, paged+"\n"+compare+"\nsort -u now.txt | wc -l")
	if diff := cmp.Diff(fmt.Sprintf("Both list the same items.\n%d\n", want), said); diff != "" || code != 0 || want < 2 || paged == loop {
		t.Errorf("of %d items, ended with %d (-want +got):\n%s", want, code, diff)
	}
	if said, code = r.shell(t, strings.Replace(loop, "'limit' => 200", "'limit' => 201", 1)+" 2>&1"); code == 0 {
		t.Errorf("a refusal is taken for a list: %s", said)
	}
}

// own is what differs between twins: made-up ids, the hint of a secret, and by which interface an event was caused.
var own = regexp.MustCompile(`\b(wh|evt|dlv|sub|bat|req|dk_test)_[0-9A-Za-z]+|"secret_hint":"[^"]*"|"webhook-(id|signature)":"[^"]*"|\\"via\\":\\"(v1|rest)\\"`)

// state is all that the seller can see of what a command may have changed.
func (r *reader) state(t *testing.T) (members []string) {
	t.Helper()
	for _, list := range []string{"items", "sales", "bills", "webhooks", "webhook-deliveries"} {
		request := httptest.NewRequest("GET", "/v1/"+list, nil)
		request.Header.Set("X-Api-Key", r.w.Key)
		answer := httptest.NewRecorder()
		r.w.Server.Public.ServeHTTP(answer, request)
		if answer.Code != 200 {
			t.Fatalf("%s: %d %s", list, answer.Code, answer.Body)
		}
		members = append(members, strings.Split(own.ReplaceAllString(answer.Body.String(), "OWN"), ",")...)
	}
	return members
}

// compare holds what a command for /rest printed against what those for /v1 did, and returns how many values that were.
func (r *reader) compare(t *testing.T, plan *translate.Plan, legacy, twin string) int {
	t.Helper()
	var data []any
	decoder := json.NewDecoder(strings.NewReader(twin))
	decoder.UseNumber()
	for decoder.More() {
		var answer struct{ Data any }
		if err := decoder.Decode(&answer); err != nil {
			t.Fatalf("%v\n%s", err, twin)
		}
		data = append(data, answer.Data)
	}
	results := r.w.TwinResults(plan, data)
	if len(results) == 0 {
		t.Fatalf("there is nothing to compare:\n%s", twin)
	}
	return servertest.CompareTwin(t, plan.ID, plan, servertest.ReadRest(t, legacy), results)
}
