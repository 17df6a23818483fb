package legacy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/paste"
	"sellerd/v1"
)

// TestPrintedCommandsDoWhatTheCallDid makes every sample through /rest in one world. In another one it pastes the sample's
// curl command into the translator and makes the requests that the printed commands are. Both must have done the same, and
// what one reads the other reads too.
func TestPrintedCommandsDoWhatTheCallDid(t *testing.T) {
	old, twin := newStage(t, newWorld(t, servertest.SQLite(t))), newStage(t, newWorld(t, servertest.SQLite(t)))
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	const reference = "MY-REF/1"
	for _, s := range []*stage{old, twin} {
		s.w.List(t, servertest.FixedPrice(map[string]any{"personal_reference": reference}))
	}
	more := map[string]translate.Sample{"item-by-reference": {Name: "one that is there", Path: map[string]string{"personal_reference": reference}}}
	succeeded, compared := map[string]bool{}, 0
	for _, plan := range table.Plans {
		if plan.Target.Operation() == nil {
			continue
		}
		samples := plan.Samples
		if sample, ok := more[plan.ID]; ok {
			samples = append(slices.Clone(samples), sample)
		}
		for i := range samples {
			name := plan.ID + ", " + samples[i].Name
			here, there := old.played(t, plan, &samples[i]), twin.played(t, plan, &samples[i])
			out, err := paste.Translate(table, paste.Input{Request: command.Legacy(plan, there), BaseURL: twin.w.Config.BaseURL})
			if err != nil {
				continue // /rest refuses it, too: package translate compares
			}
			if slices.ContainsFunc(out.Notes, func(n translate.Note) bool { return strings.HasPrefix(n.Text, "/v1 takes https") }) {
				continue // the note says that /v1 refuses it
			}
			rest := old.w.Rest(t, plan.Method, plan.Address(here), here.Form, "X-Api-Key", old.w.Key)
			status, data := twin.follow(t, out)
			if (rest.Status < 400) != (status < 400) && !answersOtherwise[plan.ID] {
				t.Errorf("%s: /rest answers %d %s, /v1 %d", name, rest.Status, rest.Text("body/errorMsg"), status)
			}
			if rest.Status < 400 && status < 400 {
				succeeded[plan.ID] = true
				if plan.Reads() && !slices.ContainsFunc(out.Notes, func(n translate.Note) bool {
					return n.Kind == translate.NoteNarrowed && !strings.HasPrefix(n.Text, "/rest answers all")
				}) { // all that there is fits on a page here
					compared += servertest.CompareTwin(t, name, plan, rest, twin.w.TwinResults(plan, data), "id_notification")
				}
			}
			if plan.ID == "notification-test" { // which /rest sends to every setting, and a command to one
				continue
			}
			if diff := cmp.Diff(old.rows(t), twin.rows(t)); diff != "" {
				t.Fatalf("%s leaves other databases (-rest +v1):\n%s", name, diff)
			}
		}
		if !succeeded[plan.ID] {
			t.Errorf("no sample of %s succeeds", plan.ID)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d values were compared", compared)
	}
}

// TestPrintedCommandsRateOneBuyerAfterTheOther rates the buyers of an item with several sales: in one world through /rest, and
// in its twin by the commands that the translator prints for the same request. Each time both must rate the same sale.
func TestPrintedCommandsRateOneBuyerAfterTheOther(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		old, twin := newStage(t, servertest.New(t, database(t))), newStage(t, servertest.New(t, database(t)))
		table, err := translate.New()
		if err != nil {
			t.Fatal(err)
		}
		item := ""
		for _, s := range []*stage{old, twin} {
			item = s.w.List(t, servertest.FixedPrice(map[string]any{"quantity": 10}))
			for range 3 {
				s.w.Clock.Advance(time.Hour)
				if r := s.w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: `{}`}); r.Status != http.StatusOK {
					t.Fatalf("purchase: %d %s", r.Status, r.Body)
				}
			}
		}
		ratings := func(s *stage) (statuses []string) {
			page := servertest.Into[struct {
				Results []struct {
					RatingStatus string `json:"rating_status"`
				} `json:"results"`
			}](t, s.w.Do(t, servertest.Request{Path: "/v1/sales?item_id=" + item}))
			for _, sale := range page.Results {
				statuses = append(statuses, sale.RatingStatus)
			}
			return statuses
		}
		for _, want := range [][]string{
			{v1.RatingRated, v1.RatingUnrated, v1.RatingUnrated}, {v1.RatingRated, v1.RatingRated, v1.RatingUnrated}, {v1.RatingRated, v1.RatingRated, v1.RatingRated},
		} {
			out, err := paste.Translate(table, paste.Input{Request: "POST /rest/item/" + item + "/feedback", Body: "feedback=100", BaseURL: twin.w.Config.BaseURL})
			if err != nil {
				t.Fatal(err)
			}
			if rest := old.w.Rest(t, "POST", "/rest/item/"+item+"/feedback", "feedback=100", "X-Api-Key", old.w.Key); rest.Status != http.StatusOK {
				t.Errorf("/rest answers %d %s", rest.Status, rest.Text("body/errorMsg"))
			}
			if status, _ := twin.follow(t, out); status != http.StatusCreated {
				t.Errorf("the printed commands end with %d:\n%s", status, out.Curl.V)
			}
			if diff := cmp.Diff([][]string{want, want}, [][]string{ratings(old), ratings(twin)}); diff != "" {
				t.Errorf("ratings by /rest and by the commands (-want +got):\n%s", diff)
			}
		}
		if rest := old.w.Rest(t, "POST", "/rest/item/"+item+"/feedback", "feedback=100", "X-Api-Key", old.w.Key); rest.Status != http.StatusConflict ||
			rest.Text("body/errorCode") != string(v1.RatingExists) {
			t.Errorf("when all are rated, /rest answers %d %s", rest.Status, rest.Text("body/errorCode"))
		}
	})
}

// played is a sample with what there is on the stage: its items, its category, its first notification setting.
func (s *stage) played(t *testing.T, plan *translate.Plan, sample *translate.Sample) *translate.Sample {
	t.Helper()
	played := &translate.Sample{Form: s.staged(sample.Form), Path: map[string]string{}}
	for name, text := range sample.Path {
		switch {
		case text == "4711" && (plan.ID == "item-feedback" || plan.ID == "item-buyer"):
			text = s.sold
		case text == "36":
			if text = s.w.Rest(t, "GET", "/rest/notification/settings", "", "X-Api-Key", s.w.Key).Text("body/notification_settings/id_notification"); text == "" {
				t.Fatal("there is no notification setting")
			}
		default:
			text = s.staged(text)
		}
		played.Path[name] = text
	}
	return played
}

// follow makes the requests of a translation's commands, one after the other, and answers the last one's status and what
// each answered. What a step learns is of the first result of the one before.
func (s *stage) follow(t *testing.T, out *paste.Translation) (status int, data []any) {
	t.Helper()
	s.acts++
	env := map[string]string{"KEY": s.w.Key, "ACT": strconv.Itoa(s.acts)}
	status = http.StatusOK
	for _, step := range out.Steps {
		words, err := shell.Fields(step.Curl, func(name string) string { return env[name] })
		if err != nil {
			t.Fatalf("%s: %v", step.Curl, err)
		}
		request := requestOf(t, words)
		if strings.Contains(request.URL.Path, "//") || strings.HasSuffix(request.URL.RawQuery, "=") {
			continue // there was no result to go on with
		}
		response := s.w.Send(t, request)
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Data any }
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		if err := decoder.Decode(&answer); err != nil {
			t.Fatalf("%s answers %s: %v", step.Curl, text, err)
		}
		status, data = response.StatusCode, append(data, answer.Data)
		object, _ := answer.Data.(map[string]any)
		var first map[string]any
		if results, _ := object["results"].([]any); len(results) > 0 {
			first, _ = results[0].(map[string]any)
		}
		for name, member := range map[string]string{"SALE_ID": "id", "WEBHOOK_ID": "id", "ITEM_ID": "item_id"} {
			env[name], _ = first[member].(string)
		}
		env["OTHER_STATUS"] = map[any]string{v1.WebhookActive: v1.WebhookPaused}[first["status"]]
	}
	return status, data
}

// requestOf is the request that curl makes of its words.
func requestOf(t *testing.T, words []string) *http.Request {
	t.Helper()
	method, address, body, header := "", "", "", http.Header{}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "-X":
			i++
			method = words[i]
		case "-H":
			i++
			name, value, _ := strings.Cut(words[i], ": ")
			header.Set(name, value)
		case "-d":
			i++
			body = words[i]
		default:
			address = words[i]
		}
	}
	if method == "" && body != "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	return request
}
