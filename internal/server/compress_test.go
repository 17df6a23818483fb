package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	v1 "sellerd/v1"
	"sellerd/v1/etag"
)

// sent sends a request. The header is names and values in turn.
func sent(handler http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, r)
	return answer
}

// textOf is the text of an answer, whatever its coding.
func textOf(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	switch coding := answer.Header().Get("Content-Encoding"); coding {
	case "":
		return answer.Body.String()
	case "gzip":
		return string(unpacked(t, answer.Body.Bytes()))
	case "zstd":
		reader, err := zstd.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	default:
		t.Fatalf("the coding %q", coding)
		return ""
	}
}

// headOf are the headers of an answer that compression concerns.
func headOf(answer *httptest.ResponseRecorder) map[string]string {
	head := map[string]string{"": strconv.Itoa(answer.Code)}
	for _, name := range []string{"Content-Encoding", "ETag", "Vary", "Content-Length"} {
		if values := answer.Header().Values(name); len(values) > 0 {
			head[name] = strings.Join(values, " | ")
		}
	}
	return head
}

func TestACallerChoosesTheCoding(t *testing.T) {
	w, s, _ := logged(t)
	const path = "/v1/delivery-services"
	plain := sent(s.Public, "GET", path, "", "X-Api-Key", w.Key)
	tag := plain.Header().Get("ETag")
	for accepts, want := range map[string]string{
		"gzip":                          "gzip",
		"GZip":                          "gzip",
		"x-gzip":                        "gzip",
		"gzip, deflate, br, zstd":       "gzip",
		"zstd, gzip":                    "zstd",
		"br, zstd":                      "zstd",
		"gzip;q=0.5, zstd;q=0.8":        "zstd",
		"zstd;q=0.5, gzip":              "gzip",
		"gzip ; q=0.001":                "gzip",
		"gzip; Q=1.000":                 "gzip",
		"identity;q=0.5, gzip;q=0.5":    "gzip",
		"*;q=0.1, gzip;q=0.1":           "gzip",
		"identity;q=0, gzip":            "gzip",
		"identity, gzip;q=0.5":          "",
		"gzip;q=0":                      "",
		"gzip;q=0.000, identity":        "",
		"gzip;q=2":                      "",
		"gzip;q=0.5000":                 "",
		"gzip;q=x":                      "",
		"gzip;level=9":                  "",
		"gzippy":                        "",
		"br":                            "",
		"*":                             "",
		"":                              "",
		",, ,":                          "",
		"deflate;q=1, gzip;q=0, zstd;q": "",
	} {
		t.Run(accepts, func(t *testing.T) {
			got := sent(s.Public, "GET", path, "", "X-Api-Key", w.Key, "Accept-Encoding", accepts)
			suffix := map[string]string{"gzip": "~gz", "zstd": "~zs"}[want]
			head := map[string]string{
				"": "200", "ETag": strings.TrimSuffix(tag, `"`) + suffix + `"`, "Vary": "X-Api-Key, Accept-Language, Accept-Encoding",
				"Content-Length": strconv.Itoa(got.Body.Len()),
			}
			if want != "" {
				head["Content-Encoding"] = want
			}
			if diff := cmp.Diff(head, headOf(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(plain.Body.String(), textOf(t, got)); diff != "" {
				t.Errorf("it is another text:\n%s", diff)
			}
		})
	}
	two := sent(s.Public, "GET", path, "", "X-Api-Key", w.Key, "Accept-Encoding", "br", "Accept-Encoding", "zstd")
	if got := two.Header().Get("Content-Encoding"); got != "zstd" {
		t.Errorf("a header in two lines has %q", got)
	}
}

func TestWhatIsCompressed(t *testing.T) {
	servertest.One(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(map[string]any{"description": strings.Repeat("A stamp. ", 200)}))
		key, typed := []string{"X-Api-Key", w.Key}, []string{"X-Api-Key", w.Key, "Content-Type", "application/json"}
		for _, test := range []struct {
			name, method, path, body string
			header                   []string
			status                   int
			want                     string // Content-Encoding
		}{
			{"a read", "GET", "/v1/items/" + item, "", key, 200, "gzip"},
			{"a list", "GET", "/v1/categories", "", key, 200, "gzip"},
			{"a small answer", "GET", "/v1/account/limits", "", key, 200, ""},
			{"a change", "PATCH", "/v1/items/" + item, `{"title":"Penny Red, plate 148"}`, typed, 200, "gzip"},
			{"a refusal that says much", "POST", "/v1/items", `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":0}`, typed, 422, "gzip"},
			{"a refusal that says little", "PATCH", "/v1/items/" + item, `{"title":""}`, typed, 422, ""},
			{"an answer of /rest", "GET", "/rest/category", "", key, 200, "gzip"},
			{"a small answer of /rest", "GET", "/rest/server/time", "", nil, 200, ""},
			{"a page", "GET", "/docs/start", "", nil, 200, "gzip"},
			{"a page that is not there", "GET", "/docs/nothing", "", nil, 404, "gzip"},
			{"a search", "GET", "/search?q=item", "", nil, 200, "gzip"},
			{"a document", "GET", "/openapi.json", "", nil, 200, "gzip"},
			{"a download", "GET", "/docs/clients/sellerd.py", "", nil, 200, "gzip"},
			{"a feed", "GET", "/changelog.atom", "", nil, 200, "gzip"},
			{"readiness", "GET", "/readyz", "", nil, 200, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := sent(w.Server.Public, test.method, test.path, test.body, append([]string{"Accept-Encoding", "gzip"}, test.header...)...)
				if got.Code != test.status || got.Header().Get("Content-Encoding") != test.want {
					t.Errorf("%d %v, %d bytes", got.Code, got.Header(), got.Body.Len())
				}
				if vary := got.Header().Get("Vary"); !strings.Contains(vary, "Accept-Encoding") {
					t.Errorf("it varies by %q", vary)
				}
				if test.want != "" && len(textOf(t, got)) < got.Body.Len()*3/2 {
					t.Errorf("%d of %d bytes", got.Body.Len(), len(textOf(t, got)))
				}
			})
		}
	})
}

// The length of a compressed answer would tell whether what is sent with it resembles the secret.
func TestAnAnswerWithASecretIsNotCompressed(t *testing.T) {
	w, s, _ := logged(t)
	url := "https://example.com/" + strings.Repeat("a", 1500)
	ask := func(method, path, body, coding string) *httptest.ResponseRecorder {
		t.Helper()
		got := sent(s.Public, method, path, body, "X-Api-Key", w.Key, "Content-Type", "application/json", "Accept-Encoding", "gzip, zstd", "Idempotency-Key", "webhook-1")
		if got.Code/100 != 2 || got.Header().Get("Content-Encoding") != coding {
			t.Errorf("%s %s: %d %v", method, path, got.Code, got.Header())
		}
		return got
	}
	for _, turn := range []string{"first", "again"} {
		if got := ask("POST", "/v1/webhooks", `{"url":"`+url+`"}`, ""); !strings.Contains(got.Body.String(), `"secret":"whsec_`) || got.Body.Len() < 1024 {
			t.Errorf("%s: %d bytes and no secret", turn, got.Body.Len())
		}
	}
	id := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks"})).Results[0].ID
	ask("GET", "/v1/webhooks/"+id, "", "gzip")
	ask("PATCH", "/v1/webhooks/"+id, `{"status":"paused"}`, "gzip")
	if got := ask("PATCH", "/v1/webhooks/"+id, `{"rotate_secret":true}`, ""); !strings.Contains(got.Body.String(), `"secret":"whsec_`) {
		t.Error("no secret")
	}
	ask("POST", "/migration/translate", `{"request":"curl https://api.delcampe.net/seller?token=abc"}`, "")
	for _, path := range []string{"/operator/accounts/" + v1.ID(w.Account).String() + "/keys", "/operator/pages/accounts"} {
		got := sent(s.Operator, "GET", path, "", "Authorization", "Bearer "+servertest.OperatorToken, "Accept-Encoding", "gzip")
		if got.Code != http.StatusOK || got.Header().Get("Content-Encoding") != "" {
			t.Errorf("the operator's %s: %d %v", path, got.Code, got.Header())
		}
	}
}

func TestASearchForAKeyIsNotCompressed(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct {
		path   string
		status int
		want   string
	}{
		{"/search?q=webhooks", 200, "gzip"},
		{"/search?q=" + w.Key, 200, ""},
		{"/search?q=dk_operator_1", 200, ""},
		{"/docs/webhook", 404, "gzip"}, // which shows the words of the address
		{"/docs/" + w.Key, 404, ""},
	} {
		r := httptest.NewRequest("GET", test.path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		answer := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(answer, r)
		if got := answer.Header().Get("Content-Encoding"); answer.Code != test.status || got != test.want {
			t.Errorf("%s: %d, compressed with %q instead of %q", test.path, answer.Code, got, test.want)
		}
	}
}

func TestTheTagOfACompressedAnswerIsThatOfTheObject(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		w := servertest.New(t, database(t))
		path := "/v1/items/" + w.List(t, servertest.FixedPrice(map[string]any{"description": strings.Repeat("A stamp. ", 200)}))
		read := func(header ...string) *httptest.ResponseRecorder {
			return sent(w.Server.Public, "GET", path, "", append([]string{"X-Api-Key", w.Key}, header...)...)
		}
		tag := read().Header().Get("ETag")
		gz, zs := strings.TrimSuffix(tag, `"`)+`~gz"`, strings.TrimSuffix(tag, `"`)+`~zs"`
		for _, test := range []struct{ name, accepts, asks, status, tag string }{
			{"the same answer", "gzip", gz, "304", gz},
			{"the same answer, as a proxy has it", "gzip", "W/" + gz, "304", gz},
			{"one of several", "gzip", `"x", ` + gz, "304", gz},
			{"the plain answer", "gzip", tag, "304", tag},
			{"that of another coding", "zstd", gz, "304", zs},
			{"a caller who takes no coding any more", "", gz, "304", tag},
			{"anything", "gzip", "*", "304", tag},
			{"another answer", "gzip", `"x~gz"`, "200", gz},
			{"a suffix that is none", "gzip", strings.TrimSuffix(tag, `"`) + `~br"`, "200", gz},
			{"a suffix outside of the quotes", "gzip", tag + "~gz", "200", gz},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := headOf(read("Accept-Encoding", test.accepts, "If-None-Match", test.asks))
				delete(got, "Content-Length")
				delete(got, "Content-Encoding")
				want := map[string]string{"": test.status, "ETag": test.tag, "Vary": "X-Api-Key, Accept-Language, Accept-Encoding"}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
		for n, match := range []string{gz, zs, `"x", ` + gz, gz + `, "x"`} {
			current := read("Accept-Encoding", "gzip").Header().Get("ETag")
			match = strings.ReplaceAll(strings.ReplaceAll(match, gz, current), zs, strings.TrimSuffix(current, `~gz"`)+`~zs"`)
			if got := w.Do(t, servertest.Request{
				Method: "PATCH", Path: path, Body: map[string]any{"personal_reference": fmt.Sprint("R", n)}, Header: map[string]string{"If-Match": match},
			}); got.Status != http.StatusOK {
				t.Errorf("If-Match: %s is answered %d %v", match, got.Status, got.Codes())
			}
		}
		current := read("Accept-Encoding", "gzip").Header().Get("ETag")
		for _, test := range []struct {
			match  string
			status int
		}{{gz, 422}, {"W/" + current, 422}, {current, 200}} {
			got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/item-changes", Body: map[string]any{"changes": []any{map[string]any{
				"item_id": strings.TrimPrefix(path, "/v1/items/"), "if_match": test.match, "patch": map[string]any{"personal_reference": "R9"},
			}}}})
			if got.Status != test.status {
				t.Errorf("if_match %s is answered %d %s", test.match, got.Status, got.Body)
			}
		}
		if got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: map[string]any{"title": "Other"}, Header: map[string]string{"If-Match": gz}}); got.Status != http.StatusPreconditionFailed {
			t.Errorf("an old tag is answered %d", got.Status)
		}
	})
}

// A document is the same, compressed or not, as an object of an operation is.
func TestTheTagOfACompressedDocumentIsThatOfTheDocument(t *testing.T) {
	_, s, _ := logged(t)
	for _, path := range []string{"/openapi.json", "/docs/api", "/changelog.atom", "/v1"} {
		tag := sent(s.Public, "GET", path, "").Header().Get("ETag")
		for _, suffix := range []string{"", etag.Gzip, etag.Zstd} {
			for _, coding := range []string{"identity", "gzip", "zstd"} {
				known := etag.Compressed(tag, suffix)
				if got := sent(s.Public, "GET", path, "", "If-None-Match", `"other", `+known, "Accept-Encoding", coding); got.Code != http.StatusNotModified || got.Body.Len() > 0 {
					t.Errorf("%s, known as %s, by %s: %d", path, known, coding, got.Code)
				}
			}
		}
		if got := sent(s.Public, "GET", path, "", "If-None-Match", `"other~gz"`); got.Code != http.StatusOK {
			t.Errorf("%s, not known: %d", path, got.Code)
		}
	}
}

func TestAHEADIsAnsweredAsAGETWithoutItsLength(t *testing.T) {
	w, s, _ := logged(t)
	for _, path := range []string{"/v1/delivery-services", "/rest/category", "/docs/start", "/openapi.json", "/v1/account/limits"} {
		for _, accepts := range []string{"", "gzip", "zstd"} {
			get := headOf(sent(s.Public, "GET", path, "", "X-Api-Key", w.Key, "Accept-Encoding", accepts))
			head := headOf(sent(s.Public, "HEAD", path, "", "X-Api-Key", w.Key, "Accept-Encoding", accepts))
			if _, known := head["Content-Length"]; !known {
				delete(get, "Content-Length")
			}
			if diff := cmp.Diff(get, head); diff != "" {
				t.Errorf("%s with %q (-GET +HEAD):\n%s", path, accepts, diff)
			}
		}
	}
}

func TestAStoredAnswerIsCompressedAsAnyOther(t *testing.T) {
	w, _, _ := logged(t)
	var items []any
	for range 20 {
		items = append(items, servertest.FixedPrice())
	}
	body, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(accepts string) *httptest.ResponseRecorder {
		return sent(w.Server.Public, "POST", "/v1/item-batches", string(body), "X-Api-Key", w.Key, "Content-Type", "application/json", "Idempotency-Key", "batch-1", "Accept-Encoding", accepts)
	}
	first := ask("gzip")
	for _, accepts := range []string{"gzip", "zstd", ""} {
		got := ask(accepts)
		if got.Code != http.StatusAccepted || got.Header().Get("Content-Encoding") != accepts || got.Header().Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d %v", got.Code, got.Header())
		}
		if diff := cmp.Diff(textOf(t, first), textOf(t, got)); diff != "" {
			t.Errorf("with %q it is another answer:\n%s", accepts, diff)
		}
	}
}

// A part of a document is one of what its tag names.
func TestAPartIsOneOfTheCompressedDocument(t *testing.T) {
	s := publicServer(t)
	for _, accepts := range []string{"gzip", "zstd", ""} {
		whole := sent(s.Public, "GET", "/openapi.json", "", "Accept-Encoding", accepts)
		tag := whole.Header().Get("ETag")
		for match, status := range map[string]int{tag: http.StatusPartialContent, `"x"`: http.StatusOK} {
			got := sent(s.Public, "GET", "/openapi.json", "", "Accept-Encoding", accepts, "Range", "bytes=10-19", "If-Range", match)
			want := whole.Body.Bytes()
			if status == http.StatusPartialContent {
				want = want[10:20]
			}
			if got.Code != status || got.Header().Get("Content-Encoding") != accepts || got.Header().Get("ETag") != tag || !bytes.Equal(got.Body.Bytes(), want) {
				t.Errorf("%q, If-Range %s: %d %v, %d bytes", accepts, match, got.Code, got.Header(), got.Body.Len())
			}
		}
	}
}

func TestAFailureInTheMiddleOfACompressedAnswerIsAnError(t *testing.T) {
	w, s, log := logged(t)
	handler := server.Around(s, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "4000")
		w.Header().Set("ETag", `"1"`)
		_, _ = w.Write(bytes.Repeat([]byte("x"), 2000))
		panic("boom")
	}))
	got := sent(handler, "GET", "/v1/items", "", "X-Api-Key", w.Key, "Accept-Encoding", "gzip")
	want := map[string]string{"": "500", "Vary": "Accept-Encoding", "Content-Length": strconv.Itoa(got.Body.Len())}
	if diff := cmp.Diff(want, headOf(got)); diff != "" || !strings.Contains(got.Body.String(), "internal_error") || !strings.Contains(log.String(), "boom") {
		t.Errorf("%s (-want +got):\n%s", got.Body, diff)
	}
}

// unreachable is the connection to a caller who has gone.
type unreachable struct{ *httptest.ResponseRecorder }

func (unreachable) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestACallerWhoHasGoneGetsNoCompressedAnswer(t *testing.T) {
	w, s, log := logged(t)
	r := httptest.NewRequest("GET", "/v1/delivery-services", nil)
	r.Header.Set("X-Api-Key", w.Key)
	r.Header.Set("Accept-Encoding", "gzip")
	s.Public.ServeHTTP(unreachable{httptest.NewRecorder()}, r)
	if !strings.Contains(log.String(), `"status":499`) {
		t.Errorf("the log says %s", log)
	}
	if got := get(s.Public, "/v1/delivery-services", "X-Api-Key", w.Key, "Accept-Encoding", "gzip"); !strings.Contains(textOf(t, got), `"results"`) {
		t.Errorf("the next answer is %q", textOf(t, got))
	}
}

func TestACompressedRequestIsToldWhatToDo(t *testing.T) {
	w, s, _ := logged(t)
	ours := sent(s.Public, "POST", "/v1/items", "x", "X-Api-Key", w.Key, "Content-Type", "application/json", "Content-Encoding", "gzip")
	rest := sent(s.Public, "POST", "/rest/item", "x", "X-Api-Key", w.Key, "Content-Type", "application/x-www-form-urlencoded", "Content-Encoding", "gzip")
	for _, got := range []*httptest.ResponseRecorder{ours, rest} {
		if got.Code != http.StatusUnsupportedMediaType || got.Header().Get("Accept-Encoding") != "identity" || !strings.Contains(got.Body.String(), "Send the body uncompressed") {
			t.Errorf("%d %v %s", got.Code, got.Header(), got.Body)
		}
	}
}

// What is promised of the sizes of answers.
func TestCompressedAnswersAreSmall(t *testing.T) {
	w, s, _ := logged(t)
	size := func(path, accepts string) int {
		t.Helper()
		got := sent(s.Public, "GET", path, "", "X-Api-Key", w.Key, "Accept-Encoding", accepts)
		if got.Code != http.StatusOK || got.Header().Get("Content-Encoding") != accepts {
			t.Fatalf("%s: %d %v", path, got.Code, got.Header())
		}
		return got.Body.Len()
	}
	for _, language := range []string{"", "gzip", "zstd"} {
		t.Logf("categories: %d bytes with %q", size("/v1/categories?limit=1000", language), language)
	}
	if gzip, zstd := size("/v1/categories?limit=1000", "gzip"), size("/v1/categories?limit=1000", "zstd"); gzip > 11<<10 || zstd > 13<<10 {
		t.Errorf("all categories have %d and %d bytes", gzip, zstd)
	}
	var items []any
	for n := range 100 {
		items = append(items, servertest.FixedPrice(map[string]any{"title": fmt.Sprint("Penny Red, plate ", n), "personal_reference": fmt.Sprint("PR-", n)}))
	}
	for range 2 {
		w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}})
		w.Publish(t)
	}
	plain, gzip, zstd := size("/v1/events?limit=200", ""), size("/v1/events?limit=200", "gzip"), size("/v1/events?limit=200", "zstd")
	t.Logf("200 events: %d, %d and %d bytes", plain, gzip, zstd)
	if plain < 100_000 || gzip > plain/10 || zstd > plain/10 {
		t.Errorf("200 events have %d, %d and %d bytes", plain, gzip, zstd)
	}
}

func TestOnlyListsThatAllShareAreKept(t *testing.T) {
	w, s, _ := logged(t)
	read := func(path string, header ...string) *httptest.ResponseRecorder {
		got := get(s.Public, path, append(header, "X-Api-Key", w.Key)...)
		if got.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, got.Code)
		}
		return got
	}
	read("/v1/items?limit=200", "Accept-Encoding", "gzip")
	read("/v1/categories?limit=10", "Accept-Encoding", "gzip")
	if n := server.KeptAnswers(s); n != 0 {
		t.Errorf("%d answers are kept", n)
	}
	for _, language := range []string{"en", "fr", "en", "fr"} {
		plain := read("/v1/categories?limit=1000", "Accept-Language", language)
		for _, coding := range []string{"gzip", "zstd"} {
			got := read("/v1/categories?limit=1000", "Accept-Language", language, "Accept-Encoding", coding)
			if diff := cmp.Diff(plain.Body.String(), textOf(t, got)); diff != "" || got.Header().Get("Content-Encoding") != coding {
				t.Errorf("%s in %s is another text:\n%s", language, coding, diff)
			}
		}
	}
	if n := server.KeptAnswers(s); n != 4 {
		t.Errorf("%d answers are kept", n)
	}
	for limit := range 61 {
		read(fmt.Sprint("/v1/categories?limit=", 300-limit), "Accept-Encoding", "gzip")
	}
	if n := server.KeptAnswers(s); n != 1 {
		t.Errorf("%d answers are kept after too many", n)
	}
}
