package checks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sellerd/conformance"
	"sellerd/internal/command"
)

func TestAReplayIsNotBegunWithoutAServiceAndKeys(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refusing.Close)
	nameless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status_code":200,"data":{"id":"5001","key":{"prefix":"dk_test_1","name":null}}}`)
	}))
	t.Cleanup(nameless.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	const key = "dk_test_1234567890"
	for name, c := range map[string]struct {
		flags conformanceRun
		want  string
	}{
		"no address":           {conformanceRun{BaseURL: "localhost", Key: key}, "--base-url must be like https://api.example.com"},
		"no server there":      {conformanceRun{BaseURL: gone.URL, Key: key}, "no answer from " + gone.URL},
		"a key that is no key": {conformanceRun{BaseURL: refusing.URL, Key: key}, "answers 401 Unauthorized instead of 200"},
		"a key without a name": {conformanceRun{BaseURL: nameless.URL, Key: key}, "--key has no name"},
		"a live key to sell":   {conformanceRun{BaseURL: refusing.URL, Key: "dk_live_1"}, "--key must begin with dk_test_"},
		"a test key to look":   {conformanceRun{BaseURL: refusing.URL, Key: key, LiveKey: key}, "answers 401"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.flags.Run(t.Context(), &command.Program{Now: time.Now})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

func TestWhatIsShownOfAnAnswer(t *testing.T) {
	c := conformanceRun{Key: "dk_test_1234567890"}
	if got := c.shown("got \x1b[31mred\nwith dk_test_1234567890"); got != "got \uFFFD[31mred\nwith dk_test_…" {
		t.Errorf("%q", got)
	}
}

func TestAfterTheSunsetTheCallsOfRestAreLeftOut(t *testing.T) {
	suite, err := conformance.LoadFrom(fstest.MapFS{
		"released/1.0.0/GetItem.txt":          {Data: []byte("# An item\ncurl \"$BASE/v1/items/7\"\n\nHTTP 200\n")},
		"released/1.0.0/rest/item.txt":        {Data: []byte("# An item\ncurl \"$BASE/rest/item/7\"\n\nHTTP 200\n")},
		"released/1.0.0/rest/server-time.txt": {Data: []byte("# The time\ncurl \"$BASE/rest/server/time\"\n\nHTTP 200\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		restStatus int
		want       string
	}{
		{"before", http.StatusOK, "3 sections are as promised, 0 are not.\n"},
		{"after", http.StatusGone, "The calls of /rest are switched off: 2 transcripts about them are left out.\n1 sections are as promised, 0 are not.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			runner := &conformance.Runner{Suite: suite, Base: "http://sellerd.test", Vars: map[string]string{}, Send: func(r *http.Request) (*http.Response, error) {
				status := http.StatusOK
				if strings.HasPrefix(r.URL.Path, "/rest/") {
					status = test.restStatus
				}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
			}}
			var out strings.Builder
			if err := (&conformanceRun{}).replay(t.Context(), runner, &out, nil); err != nil || out.String() != test.want {
				t.Errorf("want %q, got %q, %v", test.want, out.String(), err)
			}
		})
	}
}

func TestWhatIsCorrectedIsCountedAndListed(t *testing.T) {
	section := func(status string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("# An item\ncurl \"$BASE/rest/item/7\"\n\nHTTP " + status + "\n")}
	}
	suite, err := conformance.LoadFrom(fstest.MapFS{
		"released/1.0.0/rest/item.txt": section("404"), "released/1.0.1/rest/item.txt": section("200"),
		"released/1.0.1/corrections.json": {Data: []byte(`[{"release": "1.0.0", "transcript": "rest/item", "sections": ["An item"], "mistake": "It is there.", "evidence": "https://example.com", "entry": "1.0.1"}]`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	runner := &conformance.Runner{Suite: suite, Base: "http://sellerd.test", Vars: map[string]string{}, Send: func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
	}}
	want := "1 sections are corrected and not held to: what they say was wrong.\n" +
		"  release 1.0.1: It is there. (https://example.com)\n" +
		"    released/1.0.0/rest/item.txt, item, An item\n" +
		"1 sections are as promised, 0 are not.\n"
	var out strings.Builder
	if err := (&conformanceRun{}).replay(t.Context(), runner, &out, nil); err != nil || out.String() != want {
		t.Errorf("want %q, got %q, %v", want, out.String(), err)
	}
}
