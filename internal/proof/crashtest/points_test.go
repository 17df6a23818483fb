package crashtest

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/crash"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var everyPoint = flag.Bool("every-point", false, "die at each crash point in every operation that passes it, instead of in a selection")

// TestCrashPoints lets the server die at each of the points that internal/base/crash names, in the middle of an operation, and
// looks over the API at what the next server makes of it:
//
//   - the operation took place exactly once, whether its request is repeated because no answer came, or in spite of one;
//   - a key whose change was committed replays its answer, and one whose change was not lets it be made anew;
//   - every event arrives, under one id, and each arrival has its attempt in the log;
//   - the events of each object are in order and without a gap;
//   - counters agree with what they count.
//
// A point that the program no longer passes fails the test.
func TestCrashPoints(t *testing.T) {
	program := blackbox.DyingProgram(t, crash.Variable, crash.ClockVariable)
	for i, database := range []struct {
		name string
		url  func(*testing.T) string
	}{
		{"sqlite", func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") }},
		{"postgres", func(t *testing.T) string { return pgtest.URL(t, nil) }},
	} {
		t.Run(database.name, func(t *testing.T) {
			t.Parallel()
			testCrashPoints(t, newStage(t, program, database.url(t)), database.name, cases(i, database.name))
		})
	}
}

func testCrashPoints(t *testing.T, s *stage, database string, cases []pointCase) {
	deaths := map[crash.Point]int{}
	died := func(name string, point crash.Point, die func(t *testing.T)) bool {
		deaths[point]++
		return t.Run(name, die)
	}
	for _, c := range cases {
		if !died(fmt.Sprintf("%s %d in %s", c.point, c.count, c.operation.name), c.point, func(t *testing.T) { s.T = t; s.dieIn(c) }) {
			return // what comes next would stumble over what is left
		}
	}
	for _, u := range upkeeps {
		if !died(fmt.Sprintf("%s %d in upkeep", u.point, u.count), u.point, func(t *testing.T) { s.T = t; u.die(s, u.point, u.count) }) {
			return
		}
	}
	s.T = t
	checkOrder(t, slices.DeleteFunc(s.receiver.Receipts(), func(r blackbox.Receipt) bool { return r.Resource == sample }))
	total := 0
	for _, point := range crash.Points {
		if total += deaths[point]; deaths[point] == 0 {
			t.Errorf("the program died at %s in no operation", point)
		}
	}
	receipts := s.receiver.Receipts()
	blackbox.Record(t, blackbox.Figure{
		Number: "R2", What: fmt.Sprintf("%d crash points × operations, %s", len(crash.Points), database),
		Aim:      "every operation exactly once, every event delivered",
		Measured: fmt.Sprintf("%d deaths, %d events delivered %d times", total, s.receiver.Different(), len(receipts)),
		Reached:  !t.Failed(),
	})
}

// sample is the resource of sample events, which are of no object.
const sample = "item/1"

// pointCase is a death: at the count-th passage of a point after the operation's request was sent.
type pointCase struct {
	point     crash.Point
	count     int
	operation operation
}

// requestPoints are passed before a request is answered.
var requestPoints = []crash.Point{crash.AfterKey, crash.AfterEvents, crash.BeforeCommit, crash.AfterCommit, crash.AfterChange, crash.BeforeAnswer}

// passages says which operations pass which points.
var passages = []struct {
	points     []crash.Point
	count      int
	operations []operation
}{
	{requestPoints, 1, posts},
	{requestPoints[1:], 1, []operation{revise}}, // a PATCH takes no key
	{[]crash.Point{crash.MidChanges}, 1, []operation{changeItems}},
	{[]crash.Point{crash.AfterSubmissionClaim, crash.MidPublish}, 1, []operation{listItem, listBatch, listPictures}},
	{[]crash.Point{crash.MidPublish}, 2, []operation{listBatch}}, // whose first set is published by then; on SQLite the batch is one set
	{[]crash.Point{crash.AfterImages}, 1, []operation{listPictures}},
	{[]crash.Point{crash.BeforeClose}, 1, []operation{passEnds, winAuction}},
	{[]crash.Point{crash.MidClose}, 1, []operation{passEnds, winAuction}},
	{[]crash.Point{crash.MidClose}, 2, []operation{passEnds}},
	{[]crash.Point{crash.AfterDeliveryClaim, crash.AfterSend, crash.MidSettle, crash.AfterSettle}, 1, []operation{buy, revise, pay, listBatch, testWebhook}},
	{[]crash.Point{crash.MidSettle}, 3, []operation{listBatch}},
}

// cases are all deaths, or without -every-point a selection: of each line each operation and each point has its turn.
// Another offset pairs them differently.
func cases(offset int, database string) (chosen []pointCase) {
	for _, line := range passages {
		if database == "sqlite" && line.points[0] == crash.MidPublish && line.count == 2 {
			continue
		}
		points, operations := len(line.points), len(line.operations)
		for p, point := range line.points {
			for o, operation := range line.operations {
				turn := p%operations == (o+offset)%operations
				if points < operations {
					turn = o%points == (p+offset)%points
				}
				if *everyPoint || turn && !operation.slow {
					chosen = append(chosen, pointCase{point, line.count, operation})
				}
			}
		}
	}
	return chosen
}

// dieIn lets the server die in an operation and checks what is left, after the request was repeated.
func (s *stage) dieIn(c pointCase) {
	s.Helper()
	request := c.operation.request(s)
	s.awaitSilence()
	before, arrived := s.takeStock(), len(s.receiver.Receipts())
	s.server.DieAt(s, string(c.point), c.count)
	key := s.newName("key")
	var first blackbox.Answer
	answered := false
	if request != nil {
		var err error
		first, err = s.send(*request, key)
		answered = err == nil
		// A worker may die of the request's work before the request is answered.
		if answered && (slices.Contains(requestPoints, c.point) || first.Status/100 != 2) {
			s.Fatalf("the answer was %d %s, %v", first.Status, first.Errors, err)
		}
	}
	s.server.AwaitDeath(s)
	s.start()
	if request != nil {
		s.repeat(c.point, *request, key, first, answered)
	}
	s.awaitChanges(before, c.operation.want)
	s.checkAttempts(s.receiver.Receipts()[arrived:])
}

// repeat sends a request again until it is answered, and once more.
func (s *stage) repeat(point crash.Point, r request, key string, first blackbox.Answer, answered bool) {
	s.Helper()
	second := s.acknowledge(r, key)
	third := s.acknowledge(r, key)
	undone := point == crash.AfterKey || point == crash.MidChanges || point == crash.AfterEvents
	done := answered || !undone && !slices.Contains(requestPoints, point) || point == crash.AfterChange || point == crash.BeforeAnswer
	repeated := second.Replayed
	if r.tag != "" { // which protects in the place of a key
		repeated = second.Status == http.StatusPreconditionFailed
		if third.Status != http.StatusPreconditionFailed {
			s.Errorf("repeated twice, the answer is %d %s", third.Status, third.Data)
		}
	} else if !third.Replayed || third.Status != second.Status || !bytes.Equal(second.Data, third.Data) {
		s.Errorf("the answer was %d %s and is %d %s (replayed: %t)", second.Status, second.Data, third.Status, third.Data, third.Replayed)
	}
	if undone && repeated || done && !repeated {
		s.Errorf("repeated, the request was taken for done: %t; the answer was %d %s", repeated, second.Status, second.Errors)
	}
	if answered && r.tag == "" && !bytes.Equal(first.Data, second.Data) {
		s.Errorf("the answer was %s and is %s", first.Data, second.Data)
	}
}

// awaitChanges waits until the seller can count what an operation should change, then until nothing more can happen that
// would change it.
func (s *stage) awaitChanges(before, want tally) {
	s.Helper()
	s.await(func() bool { return cmp.Equal(want, before.changes(s.takeStock())) })
	s.awaitSilence()
	if diff := cmp.Diff(want, before.changes(s.takeStock())); diff != "" {
		s.Errorf("what the operation changed (- want, + got):\n%s", diff)
	}
}

// checkAttempts compares what arrived with the log of attempts: one succeeded, and others were interrupted.
func (s *stage) checkAttempts(receipts []blackbox.Receipt) {
	s.Helper()
	times := map[string]int{}
	for _, r := range receipts {
		times[r.Event]++
	}
	for event, n := range times {
		log := s.seller.Deliveries(s, "&event_id="+event)
		slices.SortFunc(log, func(a, b blackbox.Delivery) int { return a.Attempt - b.Attempt })
		if n > len(log) {
			s.Errorf("event %s arrived %d times, with %d attempts on record", event, n, len(log))
		}
		for i, attempt := range log {
			want := "interrupted"
			if i == len(log)-1 {
				want = "succeeded"
			}
			if attempt.Attempt != i+1 || attempt.Status != want || attempt.Final != (want == "succeeded") {
				s.Errorf("attempt %d of %d on record of event %s: %+v", i+1, len(log), event, attempt)
			}
		}
	}
}

// TestShippedProgramCannotBeArmed: nothing in the environment makes the program die that sellers depend on.
func TestShippedProgramCannotBeArmed(t *testing.T) {
	path, err := blackbox.Program()
	if err != nil {
		t.Fatal(err)
	}
	for program, armed := range map[string]bool{path: false, blackbox.DyingProgram(t, crash.Variable, crash.ClockVariable): true} {
		code, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(code, []byte(crash.Variable)); got != armed {
			t.Errorf("%s looks for %s: %t", program, crash.Variable, got)
		}
	}
}
