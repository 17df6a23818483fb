package conformance_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sellerd/conformance"
)

// replayed replays one section against a service that gives one answer, and returns what was sent beside the result.
func replayed(t *testing.T, section, answer string) (result conformance.Result, sent *http.Request, body string) {
	t.Helper()
	suite, err := conformance.LoadFrom(fstest.MapFS{"next/Paint.txt": {Data: []byte("# It is so\n" + section)}})
	if err != nil {
		t.Fatal(err)
	}
	pause := func(context.Context, time.Duration) error { return nil } // the answer does not change meanwhile
	runner := &conformance.Runner{Suite: suite, Base: "http://sellerd.test", Vars: map[string]string{}, Pause: pause, Send: func(r *http.Request) (*http.Response, error) {
		text, err := io.ReadAll(r.Body)
		sent, body = r, string(text)
		header := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(answer))}, err
	}}
	return runner.Run(t.Context(), suite.Transcripts[0], "Paint")[0], sent, body
}

func TestAListMayGoOnWhereMoreIsDue(t *testing.T) {
	const section = "curl \"$BASE/v1/colours\"\n\nHTTP 200\n\n{\"data\": [{\"name\": \"red\"}, \"$OTHERS\"]}\n"
	for answer, want := range map[string]string{ // what differs, empty for nothing
		`{"data":[{"name":"red"}]}`:                                  "",
		`{"data":[{"name":"red"},{"name":"green"},{"name":"blue"}]}`: "",
		`{"data":[{"name":"green"},{"name":"red"}]}`:                 "body.data: want a list like",
		`{"data":[]}`: "body.data: want a list like",
	} {
		result, _, _ := replayed(t, section, answer)
		got := strings.Join(result.Problems, "\n")
		if (want == "") != (got == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: want %q, got %q", answer, want, got)
		}
	}
}

func TestABodyThatStillFitsIsNotRecordedAnew(t *testing.T) {
	const due = "{\"data\": [{\"id\": \"$ID\"}]}"
	result, _, _ := replayed(t, "curl \"$BASE/v1/colours\"\n\nHTTP 200\n\n"+due+"\n", `{"data":[{"id":"7","name":"red"}]}`)
	if result.Got().Body != due {
		t.Errorf("recorded %s", result.Got().Body)
	}
}

func TestALargeBodyComesThroughAPipeAndWaitsToBeWanted(t *testing.T) {
	_, sent, body := replayed(t, "head -c 3000000 /dev/zero | curl \"$BASE/v1/colours\" --json @-\n\nHTTP 200\n", `{}`)
	if sent.Method != http.MethodPost || len(body) != 3_000_000 || sent.Header.Get("Expect") != "100-continue" {
		t.Errorf("%s %d bytes %v", sent.Method, len(body), sent.Header)
	}
}
