package conformance_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/conformance"
)

// live is a service that answers as a function says, and the runner of some transcripts that has nothing beside it.
type live struct {
	asked  []string // method and address of each request
	waited int      // how often the runner waited
	runner *conformance.Runner
}

func newLive(t *testing.T, files map[string]string, answer func(l *live, r *http.Request) (status int, body string)) *live {
	t.Helper()
	system := fstest.MapFS{}
	for name, text := range files {
		system["released/1.0.0/"+name+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	suite, err := conformance.LoadFrom(system)
	if err != nil {
		t.Fatal(err)
	}
	l := &live{}
	l.runner = &conformance.Runner{
		Suite: suite, Base: "http://sellerd.test", Nonce: "live", Vars: map[string]string{"KEY": "dk_test_1"},
		Send: func(r *http.Request) (*http.Response, error) {
			l.asked = append(l.asked, r.Method+" "+r.URL.RequestURI())
			status, body := answer(l, r)
			return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
		},
		Pause: func(context.Context, time.Duration) error { l.waited++; return nil },
	}
	return l
}

// outcomes replays all transcripts and says in a word how each section went.
func (l *live) outcomes(t *testing.T) (all []string) {
	t.Helper()
	for _, replay := range l.runner.Suite.Replays() {
		for _, result := range l.runner.Run(t.Context(), replay.Transcript, replay.Operation) {
			how := "as promised"
			switch {
			case result.LeftOut != "":
				how = result.LeftOut
			case len(result.Problems) > 0:
				how = "not: " + result.Problems[0]
			}
			all = append(all, result.Title+": "+how)
		}
	}
	return all
}

func TestWhatALeftOutSectionWouldHaveKeptIsNotMissed(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{
			"by Keep", map[string]string{"GetItem": `# First
While: the moon is full
curl "$BASE/v1/items"
Keep: item = data.id

HTTP 200

{}

# Of it
curl "$BASE/v1/items/$item"
Keep: sale = data.id

HTTP 200

{}

# Of what it keeps
curl "$BASE/v1/sales/$sale"

HTTP 200

{}

# Else
curl "$BASE/v1/account"

HTTP 200

{}
`}, []string{
				"First: needs a program beside the service: while the moon is full",
				`Of it: needs a section that is left out: item is kept by "First"`,
				`Of what it keeps: needs a section that is left out: sale is kept by "Of it"`,
				"Else: as promised",
			},
		},
		{
			"by the answer", map[string]string{"GetItem": `# First
curl "$BASE/v1/items" -H "X-Api-Key: $OTHER_KEY"

HTTP 200
Content-Type: application/json

{"data": {"id": "$item"}}

# Of it
curl "$BASE/v1/items/$item"

HTTP 200

{}

# It is in the answer
curl "$BASE/v1/items"

HTTP 200
Content-Type: application/json

{"data": {"id": "$item"}}
`}, []string{
				"First: needs the key OTHER_KEY",
				`Of it: needs a section that is left out: item is kept by "First"`,
				`It is in the answer: needs a section that is left out: item is kept by "First"`,
			},
		},
		{
			"kept before, and no longer what it was", map[string]string{"GetItem": `# First
curl "$BASE/v1/items"
Keep: etag = data.id

HTTP 200

{}

# Changed
While: the moon is full
curl "$BASE/v1/items"
Keep: etag = data.id

HTTP 200

{}

# Since then
curl "$BASE/v1/items" -H "If-Match: $etag"

HTTP 200

{}

# Kept anew
curl "$BASE/v1/items"
Keep: etag = data.id

HTTP 200

{}

# Since that
curl "$BASE/v1/items" -H "If-Match: $etag"

HTTP 200

{}
`}, []string{
				"First: as promised", "Changed: needs a program beside the service: while the moon is full",
				`Since then: needs a section that is left out: etag is kept by "Changed"`, "Kept anew: as promised", "Since that: as promised",
			},
		},
		{
			"by a stage", map[string]string{
				"stages/an-item": "# List it\ncurl \"$BASE/v1/items\" -H \"X-Api-Key: $LIVE_KEY\"\nKeep: item = data.id\n",
				"stages/a-sale":  "Given: an-item\n\n# Sell it\ncurl \"$BASE/v1/items/$item\"\nKeep: sale = data.id\n",
				"GetItem":        "# First\nGiven: a-sale\ncurl \"$BASE/v1/account\"\n\nHTTP 200\n\n{}\n\n# Of it\ncurl \"$BASE/v1/sales/$sale\"\n\nHTTP 200\n\n{}\n",
			}, []string{"First: needs the key LIVE_KEY", `Of it: needs a section that is left out: sale is kept by "Sell it"`},
		},
		{
			"by the usual request", map[string]string{"GetItem": `# First
curl "$BASE/v1/items?after=$item"

HTTP 200

{}
`, "every-read": "For: GetItem\n\n# Changed\ncurl ... -H \"X-Api-Key: $OTHER_KEY\"\nKeep: a = data.id\n\nHTTP 200\n\n{}\n\n# Again\ncurl ... -H \"A: $a\"\n\nHTTP 200\n\n{}\n"}, []string{
				`First: not: "curl \"$BASE/v1/items?after=$item\"": nothing is called item`,
				"Changed: needs the key OTHER_KEY", `Again: needs a section that is left out: a is kept by "Changed"`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLive(t, test.files, func(*live, *http.Request) (int, string) { return http.StatusOK, `{"data": {"id": "7"}}` })
			if diff := cmp.Diff(test.want, l.outcomes(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// image is a transcript of a section with a body.
func image(title, request string) string {
	return "# " + title + "\n" + request + "\n\nHTTP 200\nContent-Type: application/json\n\n{\"data\": {\"status\": \"ready\", \"etag\": \"$etag\"}}\n"
}

func TestAReadThatDiffersIsRepeatedWhereWorkersRun(t *testing.T) {
	const get, patch = `curl "$BASE/v1/items/7"`, `curl "$BASE/v1/items/7" -X PATCH --json '{}'`
	for _, test := range []struct {
		name        string
		request     string
		beside      conformance.Beside
		rightAfter  int
		asked       int
		wantOutcome string
	}{
		{"at once", get, nil, 0, 1, "A: as promised"},
		{"soon", get, nil, 3, 4, "A: as promised"},
		{"never", get, nil, 1000, 21, `A: not: body.data.status: want "ready", got "pending"`},
		{"a change", patch, nil, 3, 1, `A: not: body.data.status: want "ready", got "pending"`},
		{"the headers alone", get + " -I", nil, 3, 1, `A: not: want the body`},
		{"where the test is the worker", get, idle{}, 3, 1, `A: not: body.data.status: want "ready", got "pending"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLive(t, map[string]string{"GetItem": image("A", test.request)}, func(l *live, r *http.Request) (int, string) {
				status := "pending"
				if len(l.asked) > test.rightAfter {
					status = "ready"
				}
				if r.Method == http.MethodHead {
					return http.StatusOK, ""
				}
				return http.StatusOK, fmt.Sprintf(`{"data": {"status": %q, "etag": "e%d"}}`, status, len(l.asked)) // each time another tag
			})
			l.runner.Beside = test.beside
			if got := l.outcomes(t); len(got) != 1 || !strings.HasPrefix(got[0], test.wantOutcome) || len(l.asked) != test.asked || l.waited != test.asked-1 {
				t.Errorf("%q after %d requests and %d times of waiting; want %q after %d", got, len(l.asked), l.waited, test.wantOutcome, test.asked)
			}
		})
	}
}

// idle is a program beside the service that does nothing.
type idle struct{}

func (idle) While(context.Context, string) (func() error, error) { return nothing, nil }
func (idle) Work(context.Context) error                          { return nil }

// TestAWrongServiceIsNotWaitedForAgainAndAgain: a replay of a service that is wrong everywhere ends in minutes.
func TestAWrongServiceIsNotWaitedForAgainAndAgain(t *testing.T) {
	var text []string
	for i := range 200 {
		text = append(text, image(fmt.Sprint(i), `curl "$BASE/v1/items/7"`))
	}
	l := newLive(t, map[string]string{"GetItem": strings.Join(text, "\n")}, func(*live, *http.Request) (int, string) { return http.StatusNotFound, "{}" })
	if got := l.outcomes(t); len(got) != 200 || l.waited < 100 || l.waited > 1000 {
		t.Errorf("%d sections, waited %d times", len(got), l.waited)
	}
}

// TestAFeedIsReadOnBehindAnEmptyPage has a feed that begins with what earlier replays left.
func TestAFeedIsReadOnBehindAnEmptyPage(t *testing.T) {
	const page = "\n\nHTTP 200\nContent-Type: application/json\n\n{\"data\": {\"results\": [%s], \"next_cursor\": \"$CURSOR\", \"has_more\": %t}}\n\n"
	files := map[string]string{
		"stages/an-event": "# Read it\ncurl \"$BASE/v1/events?resource_id=7&type=item.*\"\nUntil: data.results[0].id=evt_7\nKeep: event = data.results[0].id\n",
		"BrowseEvents": "Given: an-event\n\n# The event\ncurl \"$BASE/v1/events?resource_id=7&after=c1\"" + fmt.Sprintf(page, `{"id": "$event"}`, false) +
			"# An empty page\ncurl \"$BASE/v1/events?resource_id=7\"" + fmt.Sprintf(page, "", true),
	}
	l := newLive(t, files, func(l *live, r *http.Request) (int, string) {
		switch after := r.URL.Query().Get("after"); {
		case after == "":
			return http.StatusOK, `{"data": {"results": [], "next_cursor": "c1", "has_more": true}}`
		case after == "c1":
			return http.StatusOK, `{"data": {"results": [], "next_cursor": "c2", "has_more": true}}`
		case l.waited == 0: // it is not there yet
			return http.StatusOK, `{"data": {"results": [], "next_cursor": "c3", "has_more": false}}`
		}
		return http.StatusOK, `{"data": {"results": [{"id": "evt_7"}], "next_cursor": "c3", "has_more": false}}`
	})
	if diff := cmp.Diff([]string{"The event: as promised", "An empty page: as promised"}, l.outcomes(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"GET /v1/events?resource_id=7&type=item.*", "GET /v1/events?after=c1&resource_id=7&type=item.%2A", "GET /v1/events?after=c2&resource_id=7&type=item.%2A",
		"GET /v1/events?after=c2&resource_id=7&type=item.%2A", // where it was, after a wait
		"GET /v1/events?resource_id=7&after=c1", "GET /v1/events?after=c2&resource_id=7", "GET /v1/events?resource_id=7",
	}, l.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAnAddressThatOnlyADevelopersMachineTakes is refused by a service for everybody, which a webhook at its own machine tells apart.
func TestAnAddressThatOnlyADevelopersMachineTakes(t *testing.T) {
	const section = "# Taken\ncurl \"$BASE/v1/items/7\" -X PATCH --json '{}'\n\nHTTP 422\nContent-Type: application/json\n\n" +
		"{\n  \"errors\": [\n    {\n      \"code\": \"%s\"\n    }\n  ]\n}\n"
	for _, test := range []struct {
		name    string
		code    string
		patched int
		webhook int
		want    string
		removed bool
	}{
		{"of a developer's machine", "invalid_image_url", http.StatusOK, http.StatusCreated, "Taken: needs a service without --allow-private-targets", true},
		{"of a webhook there", "invalid_webhook_url", http.StatusOK, http.StatusCreated, "Taken: needs a service without --allow-private-targets", true},
		{"wrongly by a service for everybody", "invalid_image_url", http.StatusOK, http.StatusUnprocessableEntity, "Taken: not: want status 422, got 200", false},
		{"a mistake about something else", "invalid_title", http.StatusOK, http.StatusCreated, "Taken: not: want status 422, got 200", false},
		{"refused", "invalid_image_url", http.StatusUnprocessableEntity, http.StatusCreated, "Taken: as promised", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLive(t, map[string]string{"UpdateItem": fmt.Sprintf(section, test.code)}, func(_ *live, r *http.Request) (int, string) {
				switch r.Method {
				case http.MethodPost:
					return test.webhook, `{"data": {"id": "whk_1"}}`
				case http.MethodDelete:
					return http.StatusOK, "{}"
				}
				return test.patched, `{"errors": [{"code": "invalid_image_url"}]}`
			})
			if diff := cmp.Diff([]string{test.want}, l.outcomes(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := slices.Contains(l.asked, "DELETE /v1/webhooks/whk_1"); got != test.removed {
				t.Errorf("the webhook is removed: %t; asked %q", got, l.asked)
			}
		})
	}
}
