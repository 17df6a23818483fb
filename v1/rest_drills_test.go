package v1_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

const drillsPath = "/v1/account/legacy-drills"

// drillTimes is the body of a drill that begins after a time and lasts for another.
func drillTimes(w *servertest.World, ahead, length time.Duration) object {
	from := w.Clock.Now().Add(ahead)
	return object{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(length))}
}

// anyDrill is the body of a drill.
func anyDrill(w *servertest.World) object { return drillTimes(w, time.Hour, time.Hour) }

// drillIDs are the ids of a list of drills.
func drillIDs(t *testing.T, r servertest.Response) []string {
	t.Helper()
	ids := []string{}
	for _, drill := range servertest.Into[struct {
		Results []object `json:"results"`
	}](t, r).Results {
		ids = append(ids, drill["id"].(string))
	}
	return ids
}

// schedule makes a drill and returns its id.
func schedule(t *testing.T, w *servertest.World, body object) string {
	t.Helper()
	r := w.Do(t, servertest.Request{Path: drillsPath, Body: body})
	if r.Status != http.StatusCreated {
		t.Fatalf("schedule: %d %s", r.Status, r.Body)
	}
	return servertest.Into[object](t, r)["id"].(string)
}

func TestADrillIsScheduledReadAndCalledOff(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		body := drillTimes(w, time.Hour, 2*time.Hour)
		body["key_id"] = keyID(w.Key)
		made := w.Do(t, servertest.Request{Path: drillsPath, Body: body})
		got := servertest.Into[object](t, made)
		id := got["id"].(string)
		want := object{"id": id, "from": "2026-11-21T13:00:00Z", "to": "2026-11-21T15:00:00Z", "key_id": keyID(w.Key), "created_at": "2026-11-21T12:00:00.000001Z"}
		if diff := cmp.Diff(want, got); diff != "" || made.Status != http.StatusCreated || made.Header.Get("Location") != drillsPath+"/"+id {
			t.Errorf("%d, at %q (-want +got):\n%s", made.Status, made.Header.Get("Location"), diff)
		}
		read := w.Do(t, servertest.Request{Path: made.Header.Get("Location")})
		if diff := cmp.Diff(want, servertest.Into[object](t, read)); diff != "" || read.Header.Get("ETag") != made.Header.Get("ETag") {
			t.Errorf("read, with the tag %s and not %s (-want +got):\n%s", read.Header.Get("ETag"), made.Header.Get("ETag"), diff)
		}
		if diff := cmp.Diff([]string{id}, drillIDs(t, w.Do(t, servertest.Request{Path: drillsPath}))); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
		gone := w.Do(t, servertest.Request{Method: "DELETE", Path: drillsPath + "/" + id, Header: map[string]string{"If-Match": made.Header.Get("ETag")}})
		if diff := cmp.Diff(object{"id": id, "deleted": true}, servertest.Into[object](t, gone)); diff != "" {
			t.Errorf("called off (-want +got):\n%s", diff)
		}
		again := w.Do(t, servertest.Request{Path: drillsPath + "/" + id})
		if diff := cmp.Diff([]string{"drill_not_found"}, again.Codes()); diff != "" || again.Status != http.StatusNotFound {
			t.Errorf("%d (-want +got):\n%s", again.Status, diff)
		}
	})
}

func TestTheTimesOfADrillHaveBounds(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	day := 24 * time.Hour
	for _, test := range []struct {
		name          string
		ahead, length time.Duration
		fields        []string // refused with out_of_range
	}{
		{"the soonest", time.Minute, time.Minute, nil},
		{"too soon", time.Minute - time.Microsecond, time.Minute, []string{"from"}},
		{"in the past", -time.Hour, time.Minute, []string{"from"}},
		{"the farthest", 90 * day, day, nil},
		{"too far", 90*day + time.Microsecond, day, []string{"from"}},
		{"too short", time.Hour, time.Minute - time.Microsecond, []string{"to"}},
		{"backwards", time.Hour, -time.Minute, []string{"to"}},
		{"too long", time.Hour, day + time.Microsecond, []string{"to"}},
		{"wrong altogether", -time.Hour, 2 * day, []string{"from", "to"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkTimes(t, w.Do(t, servertest.Request{Path: drillsPath, Body: drillTimes(w, test.ahead, test.length)}), test.fields)
		})
	}
	t.Run("so far that the time until then is no number", func(t *testing.T) {
		body := map[string]any{"from": "2611-06-20T00:00:00Z", "to": w.Clock.Now().Add(2 * time.Hour).UTC().Format(time.RFC3339)}
		checkTimes(t, w.Do(t, servertest.Request{Path: drillsPath, Body: body}), []string{"from", "to"})
	})
	w.Clock.Advance(v1.LegacySunset.Std().Sub(w.Clock.Now()) - 2*time.Hour)
	t.Run("up to the sunset", func(t *testing.T) {
		checkTimes(t, w.Do(t, servertest.Request{Path: drillsPath, Body: drillTimes(w, time.Hour, time.Hour)}), nil)
	})
	t.Run("over the sunset", func(t *testing.T) {
		checkTimes(t, w.Do(t, servertest.Request{Path: drillsPath, Body: drillTimes(w, time.Hour, time.Hour+time.Microsecond)}), []string{"to"})
	})
}

// checkTimes compares the fields that are refused with out_of_range.
func checkTimes(t *testing.T, r servertest.Response, want []string) {
	t.Helper()
	var got []string
	for _, e := range r.Errors {
		if e.Code == string(v1.OutOfRange) {
			got = append(got, e.Field)
		}
	}
	status := http.StatusCreated
	if want != nil {
		status = http.StatusUnprocessableEntity
	}
	if diff := cmp.Diff(want, got); diff != "" || r.Status != status {
		t.Errorf("%d %s (-want +got):\n%s", r.Status, r.Body, diff)
	}
}

func TestADrillIsForAKeyOfTheAccountAndMode(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		imported := importKey(t, w, w.Account, oldKey("a"))
		other, theirs, _ := w.Seller(t, "bruno")
		revoked := w.NewKey(t, w.Account, "test")
		if _, err := w.Service.RevokeKey(context.Background(), keyID(revoked)); err != nil {
			t.Fatal(err)
		}
		ask := func(key, named string) int {
			body := drillTimes(w, time.Hour, time.Hour)
			body["key_id"] = named
			return w.Do(t, servertest.Request{Path: drillsPath, Key: key, Body: body}).Status
		}
		got := map[string]int{
			"its id":                  ask(w.Key, keyID(w.Key)),
			"what is shown of it":     ask(w.Key, "dk_test_"+keyID(w.Key)),
			"the whole key":           ask(w.Key, w.Key),
			"of the other mode":       ask(w.Key, keyID(w.LiveKey)),
			"an imported key":         ask(w.LiveKey, imported),
			"what is shown of that":   ask(w.LiveKey, "legacy_"+imported),
			"an imported one in test": ask(w.Key, imported),
			"another seller's":        ask(w.Key, keyID(theirs)),
			"another's, imported":     ask(w.LiveKey, importKey(t, w, other, oldKey("b"))),
			"a revoked key":           ask(w.Key, keyID(revoked)),
			"nothing":                 ask(w.Key, ""),
		}
		want := map[string]int{
			"its id": 201, "what is shown of it": 201, "the whole key": 422, "of the other mode": 422, "an imported key": 201, "what is shown of that": 201,
			"an imported one in test": 422, "another seller's": 422, "another's, imported": 422, "a revoked key": 422, "nothing": 422,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestASellerHasTenDrillsToCome(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var made []string
		for range v1.MaxLegacyDrills {
			made = append(made, schedule(t, w, drillTimes(w, time.Hour, time.Hour)))
		}
		eleventh := w.Do(t, servertest.Request{Path: drillsPath, Body: drillTimes(w, time.Hour, time.Hour)})
		if diff := cmp.Diff([]string{"drill_limit_reached"}, eleventh.Codes()); diff != "" || eleventh.Status != http.StatusConflict {
			t.Errorf("the eleventh: %d (-want +got):\n%s", eleventh.Status, diff)
		}
		if r := w.Do(t, servertest.Request{Path: drillsPath, Key: w.LiveKey, Body: drillTimes(w, time.Hour, time.Hour)}); r.Status != http.StatusCreated {
			t.Errorf("one in live mode: %d %s", r.Status, r.Body)
		}
		w.Do(t, servertest.Request{Method: "DELETE", Path: drillsPath + "/" + made[3]})
		made = append(slices.Delete(made, 3, 4), schedule(t, w, drillTimes(w, 30*time.Minute, time.Minute)))
		w.Clock.Advance(30*time.Minute + 2*time.Minute) // the last one is over
		made = append(made, schedule(t, w, drillTimes(w, time.Hour, time.Hour)))
		if diff := cmp.Diff(made, drillIDs(t, w.Do(t, servertest.Request{Path: drillsPath}))); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
	})
}

func TestDrillsThatAreOverAreForgottenInTheEnd(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	var made []string
	for range 15 {
		made = append(made, schedule(t, w, drillTimes(w, time.Minute, time.Minute)))
		w.Clock.Advance(2 * time.Minute)
	}
	made = append(made, schedule(t, w, drillTimes(w, time.Minute, time.Minute)))
	if diff := cmp.Diff(made[5:], drillIDs(t, w.Do(t, servertest.Request{Path: drillsPath}))); diff != "" {
		t.Errorf("the ten that ended last, and the one to come (-want +got):\n%s", diff)
	}
}

func TestAForeignDrillIsNotThere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, theirs, _ := w.Seller(t, "bruno")
		path := drillsPath + "/" + schedule(t, w, drillTimes(w, time.Hour, time.Hour))
		forAll := w.DoOperator(t, servertest.Request{Path: "/operator/legacy-drills", Body: drillTimes(w, 8*24*time.Hour, time.Hour)})
		ofAll := drillsPath + "/" + servertest.Into[object](t, forAll)["id"].(string)
		for name, request := range map[string]servertest.Request{
			"another seller reads it":           {Path: path, Key: theirs},
			"another seller calls it off":       {Method: "DELETE", Path: path, Key: theirs},
			"the same seller in live mode":      {Method: "DELETE", Path: path, Key: w.LiveKey},
			"a seller reads that of all":        {Path: ofAll},
			"a seller calls off that of all":    {Method: "DELETE", Path: ofAll},
			"a seller asks for no drill at all": {Path: drillsPath + "/first"},
		} {
			if r := w.Do(t, request); r.Status != http.StatusNotFound || !slices.Equal(r.Codes(), []string{"drill_not_found"}) {
				t.Errorf("%s: %d %s", name, r.Status, r.Body)
			}
		}
		operator := w.DoOperator(t, servertest.Request{Path: "/operator/legacy-drills/" + path[len(drillsPath)+1:]})
		if r := w.Do(t, servertest.Request{Path: path}); r.Status != http.StatusOK || operator.Status != http.StatusNotFound {
			t.Errorf("the seller %d, the operator %d", r.Status, operator.Status)
		}
	})
}

func TestTheOperatorSchedulesDrillsForAll(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const path = "/operator/legacy-drills"
		week := 7 * 24 * time.Hour
		checkTimes(t, w.DoOperator(t, servertest.Request{Path: path, Body: drillTimes(w, week-time.Microsecond, time.Hour)}), []string{"from"})
		keyed := servertest.Request{Path: path, Body: drillTimes(w, week, time.Hour), Header: map[string]string{"Idempotency-Key": "drill"}}
		made := w.DoOperator(t, keyed)
		again := w.DoOperator(t, keyed)
		id := servertest.Into[object](t, made)["id"].(string)
		want := object{"id": id, "from": "2026-11-28T12:00:00Z", "to": "2026-11-28T13:00:00Z", "created_at": "2026-11-21T12:00:00Z"}
		for name, r := range map[string]servertest.Response{"made": made, "repeated": again, "read": w.DoOperator(t, servertest.Request{Path: made.Header.Get("Location")})} {
			if diff := cmp.Diff(want, servertest.Into[object](t, r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if tag := w.DoOperator(t, servertest.Request{Path: made.Header.Get("Location")}).Header.Get("ETag"); tag == "" || made.Header.Get("ETag") != tag {
			t.Errorf("made with the tag %s, read with %s", made.Header.Get("ETag"), tag)
		}
		if diff := cmp.Diff([]string{id}, drillIDs(t, w.DoOperator(t, servertest.Request{Path: path}))); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
		w.DoOperator(t, servertest.Request{Method: "DELETE", Path: path + "/" + id})
		gone := w.DoOperator(t, servertest.Request{Method: "DELETE", Path: path + "/" + id})
		if diff := cmp.Diff([]string{}, drillIDs(t, w.DoOperator(t, servertest.Request{Path: path}))); diff != "" || gone.Status != http.StatusNotFound {
			t.Errorf("called off, again %d (-want +got):\n%s", gone.Status, diff)
		}
		announced := w.Service.AnnouncedDrills(context.Background())
		if len(announced) != 1 || !announced[0].CalledOffAt.Set {
			t.Errorf("announced: %+v", announced)
		}
	})
}

// absentReader fails all reads outside transactions.
type absentReader struct {
	v1.Store
	absent bool
}

func (s *absentReader) Reader() *ent.Client {
	if s.absent {
		return ent.NewClient(ent.Driver(absentDriver{}))
	}
	return s.Store.Reader()
}

// TestADrillGoesOnWithoutTheDatabase checks that what was known of drills counts while they cannot be read.
func TestADrillGoesOnWithoutTheDatabase(t *testing.T) {
	var store *absentReader
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) {
		store = &absentReader{Store: c.Store}
		c.Store = store
	})
	schedule(t, w, drillTimes(w, time.Minute, time.Minute))
	running := func() int { return len(w.Service.RunningDrills(context.Background())) }
	w.Clock.Advance(55 * time.Second)
	got := []int{running()}
	store.absent = true
	for range 3 {
		w.Clock.Advance(40 * time.Second)
		got = append(got, running())
	}
	if diff := cmp.Diff([]int{0, 1, 0, 0}, got); diff != "" {
		t.Errorf("before, in it, after it (-want +got):\n%s", diff)
	}
}

func TestFindingNoDrillCostsNoMemory(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	ctx := context.Background()
	w.Service.RunningDrills(ctx)
	if n := testing.AllocsPerRun(100, func() { w.Service.RunningDrills(ctx) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkNoDrill is what every call of /rest pays while no drill is running.
func BenchmarkNoDrill(b *testing.B) {
	w := servertest.New(b, servertest.SQLite(b))
	ctx := context.Background()
	for b.Loop() {
		if len(w.Service.RunningDrills(ctx)) > 0 {
			b.Fatal("a drill is running")
		}
	}
}

// absentDriver is a database that is away.
type absentDriver struct{ dialect.Driver }

func (absentDriver) Dialect() string                               { return dialect.SQLite }
func (absentDriver) Query(context.Context, string, any, any) error { return errAway }
