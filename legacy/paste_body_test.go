package legacy_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/paste"
)

// multi is a multipart body of one part, whose boundary is X.
func multi(header, text string) string {
	return "--X\r\nContent-Disposition: form-data; " + header + "\r\n\r\n" + text + "\r\n--X--\r\n"
}

// TestPastedBodiesAreReadAsRestReadsThem changes an item's title with curl through /rest, and pastes the same command into the
// translator. Either both refuse it, or the printed command gives the other item the same title.
func TestPastedBodiesAreReadAsRestReadsThem(t *testing.T) {
	installed.Require(t, "PASTED BODIES WERE NOT COMPARED WITH /REST", "curl")
	w := newWorld(t, servertest.SQLite(t))
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(w.Server.Public)
	t.Cleanup(service.Close)
	item, twin := w.List(t, servertest.FixedPrice()), w.List(t, servertest.FixedPrice())
	titleOf := func(id string) string {
		title, _ := servertest.Into[map[string]any](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))["title"].(string)
		return title
	}
	const (
		typed   = "Content-Type: " + form
		parts   = "Content-Type: multipart/form-data; boundary=X"
		inLatin = parts + latin
	)
	for _, test := range []struct {
		name   string
		query  string
		words  []string
		status int
		title  string // of what is not refused
	}{
		{"a form", "", []string{"-d", "title=A1"}, 200, "A1"},
		{"a form in pieces", "", []string{"-d", "title=A2", "-d", "title=A3"}, 200, "A3"},
		{"Latin-1 in the form", "", []string{"-H", typed + latin, "-d", "title=Caf%E91"}, 200, "Café1"},
		{"Latin-1 as it is", "", []string{"-H", typed + latin, "-d", "title=Caf\xe92"}, 200, "Café2"},
		{"UTF-8 in a form that is said to be Latin-1", "", []string{"-H", typed + latin, "-d", "title=Caf%C3%A93"}, 200, "CafÃ©3"},
		{"UTF-8 as it is in a form that is said to be Latin-1", "", []string{"-H", typed + latin, "-d", "title=Café4"}, 200, "CafÃ©4"},
		{"Latin-1 in the query", "?title=Caf%E9", []string{"-H", typed + latin, "-d", "qty=1"}, 422, ""},
		{"UTF-8 in the query of a form in Latin-1", "?title=Caf%C3%A95", []string{"-H", typed + latin, "-d", "personal_reference=caf%E9"}, 200, "Café5"},
		{"Latin-1 that is not declared", "", []string{"-d", "title=Caf%E9"}, 422, ""},
		{"another character set", "", []string{"-H", typed + "; charset=utf-16", "-d", "title=A"}, 415, ""},
		{"another type", "", []string{"-H", "Content-Type: text/plain", "-d", "title=A"}, 415, ""},
		{"another type without a body", "?title=A6", []string{"-H", "Content-Type: application/json"}, 200, "A6"},
		{"a type of an empty body", "?title=A7", []string{"-H", "Content-Type: application/json", "-d", ""}, 200, "A7"},
		{"a form that -G puts into the query", "", []string{"-G", "-H", typed + latin, "-d", "title=Caf%C3%A98"}, 200, "Café8"},
		{"Latin-1 that -G puts into the query", "", []string{"-G", "-H", typed + latin, "-d", "title=Caf%E9"}, 422, ""},
		{"a compressed form", "", []string{"-H", "Content-Encoding: gzip", "-d", "title=A"}, 415, ""},
		{"a form that is not compressed and says so", "", []string{"-H", "Content-Encoding: identity", "-d", "title=A9"}, 200, "A9"},

		{"multipart", "", []string{"-H", parts, "-d", multi(`name="title"`, "B1")}, 200, "B1"},
		{"multipart behind a preamble", "", []string{"-H", parts, "-d", "a\r\n" + multi(`name="title"`, "B2")}, 200, "B2"},
		{"multipart with bare line feeds", "", []string{"-H", parts, "-d", strings.ReplaceAll(multi(`name="title"`, "B3"), "\r", "")}, 200, "B3"},
		{"multipart in Latin-1", "", []string{"-H", inLatin, "-d", multi(`name="title"`, "Caf\xe94")}, 200, "Café4"},
		{"UTF-8 in multipart that is said to be Latin-1", "", []string{"-H", inLatin, "-d", multi(`name="title"`, "Café5")}, 200, "CafÃ©5"},
		{"a part in Latin-1", "", []string{"-H", parts, "-d", multi("name=\"title\"\r\nContent-Type: text/plain"+latin, "Caf\xe96")}, 200, "Café6"},
		{"a part in UTF-8 among Latin-1", "", []string{"-H", inLatin, "-d", multi("name=\"title\"\r\nContent-Type: text/plain; charset=utf-8", "Café7")}, 200, "Café7"},
		{"a part in another character set", "", []string{"-H", parts, "-d", multi("name=\"title\"\r\nContent-Type: text/plain; charset=utf-16", "A")}, 415, ""},
		{"a file", "", []string{"-H", parts, "-d", multi(`name="title"; filename="a.txt"`, "A")}, 422, ""},
		{"a file without a name", "", []string{"-H", parts, "-d", multi(`name="title"; filename=""`, "B8")}, 200, "B8"},
		{"a form that is said to be multipart", "", []string{"-H", parts, "-d", "title=A"}, 400, ""},
		{"multipart without a boundary", "", []string{"-H", "Content-Type: multipart/form-data", "-d", multi(`name="title"`, "A")}, 400, ""},
		{"multipart of another boundary", "", []string{"-H", "Content-Type: multipart/form-data; boundary=Y", "-d", multi(`name="title"`, "A")}, 400, ""},
		{"half of multipart", "", []string{"-H", parts, "-d", multi(`name="title"`, "A")[:50]}, 400, ""},

		{"-F", "", []string{"-F", "title=C1"}, 200, "C1"},
		{"-F with a type", "", []string{"-F", "title=C2;type=text/plain"}, 200, "C2"},
		{"-F in Latin-1", "", []string{"-F", "title=Caf\xe93;type=text/plain; charset=latin1"}, 200, "Café3"},
		{"-F in UTF-8 that is said to be Latin-1", "", []string{"-F", "title=Café4;type=text/plain;charset=latin1"}, 200, "CafÃ©4"},
		{"-F in another character set", "", []string{"-F", "title=A;type=text/plain;charset=utf-16"}, 415, ""},
		{"-F behind a header of Latin-1", "", []string{"-H", "Content-Type: multipart/form-data" + latin, "-F", "title=Caf\xe95"}, 200, "Café5"},
		{"-F behind a header with a boundary", "", []string{"-H", parts, "-F", "title=A"}, 415, ""},
		{"-F with a file's name", "", []string{"-F", "title=A;filename=a.txt"}, 422, ""},
		{"-F with a file's name behind its type", "", []string{"-F", "title=A;type=text/plain; charset=utf-8; filename=\"a;b\""}, 422, ""},
		{"-F with an empty file's name", "", []string{"-F", "title=C6;filename=;type=text/plain"}, 200, "C6"},
		{"-F in quotes", "", []string{"-F", `title="C;7 \"\\\n" x;type=text/plain`}, 200, `C;7 "\\n`},
		{"-F with a quote that is not closed", "", []string{"-F", `title="C8;type=text/plain`}, 200, `"C8`},
		{"-F with a parameter that curl does not know", "", []string{"-F", "title= C9 ;colour=red"}, 200, "C9"},
		{"--form-string", "", []string{"--form-string", "title=@D1;type=x"}, 200, "@D1;type=x"},
		{"--form-string that is not UTF-8", "", []string{"--form-string", "title=Caf\xe9"}, 422, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			words := append([]string{"curl", "-s", "-X", "PUT"}, test.words...)
			run := exec.CommandContext(t.Context(), words[0], append(words[1:], "-o", "/dev/null", "-w", "%{http_code}", "-H", "X-Api-Key: "+w.Key,
				service.URL+"/rest/item/"+item+test.query)...)
			status, err := run.Output()
			if err != nil {
				t.Fatalf("%q: %v", words, err)
			}
			if diff := cmp.Diff(strconv.Itoa(test.status), string(status)); diff != "" {
				t.Errorf("status of /rest (-want +got):\n%s", diff)
			}
			pasted := make([]string, len(words))
			for i, word := range words {
				if pasted[i], err = syntax.Quote(word, syntax.LangBash); err != nil {
					t.Fatal(err)
				}
			}
			out, err := paste.Translate(table, paste.Input{Request: strings.Join(pasted, " ") + " '/rest/item/" + twin + test.query + "'", BaseURL: w.Config.BaseURL})
			if test.status >= 400 {
				if err == nil {
					t.Errorf("the translator prints %s", out.Curl.V)
				}
				return
			}
			if err != nil {
				t.Fatalf("the translator refuses it: %v", err)
			}
			if status, _ := (&stage{w: w}).follow(t, out); status != http.StatusOK {
				t.Errorf("%s is answered %d", out.Curl.V, status)
			}
			if diff := cmp.Diff([2]string{test.title, test.title}, [2]string{titleOf(item), titleOf(twin)}); diff != "" {
				t.Errorf("titles, by /rest and by the printed command (-want +got):\n%s", diff)
			}
		})
	}
}
