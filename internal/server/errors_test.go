package server_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// errorRow is a code as /errors.json shows it.
type errorRow struct {
	Code          string           `json:"code"`
	Status        *int             `json:"status"`
	InSubmissions bool             `json:"in_submissions"`
	Meaning       string           `json:"meaning"`
	Remedy        string           `json:"remedy"`
	Operations    []errorOperation `json:"operations"`
	DocsURL       string           `json:"docs_url"`
}

type errorOperation struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// catalogue is what the pages must show: the table of errors, and the operations that can answer each.
func catalogue(baseURL string) []errorRow {
	var rows []errorRow
	for _, info := range v1.ErrorCatalogue {
		row := errorRow{
			Code: string(info.Code), Meaning: info.Meaning, Remedy: info.Remedy, DocsURL: baseURL + "/errors/" + string(info.Code),
			InSubmissions: slices.Contains(v1.SubmissionCodes, info.Code), Operations: []errorOperation{},
		}
		if info.Status != 0 {
			row.Status = &info.Status
		}
		for _, o := range v1.Operations {
			if slices.Contains(o.Codes(), info.Code) {
				row.Operations = append(row.Operations, errorOperation{o.Method, o.Pattern})
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestErrorsJSONIsTheTable(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	got := get(w.Server.Public, "/errors.json")
	if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", got.Code, got.Header().Get("Content-Type"))
	}
	if got.Header().Get("ETag") == "" {
		t.Error("programs that read it again cannot learn that nothing changed")
	}
	var rows []errorRow
	if err := json.Unmarshal(got.Body.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(catalogue(w.Config.BaseURL), rows); diff != "" {
		t.Errorf("(-table +page):\n%s", diff)
	}
}

func TestEveryErrorCodeHasItsPage(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	list := regexp.MustCompile(` data-label="[^"]*"`).ReplaceAllString(get(w.Server.Public, "/errors").Body.String(), "")
	plain := strings.NewReplacer("<code>", "", "</code>", "", "<wbr>", "") // the pages set names as code
	for _, row := range catalogue(w.Config.BaseURL) {
		t.Run(row.Code, func(t *testing.T) {
			want := []string{"<h1>" + row.Code + "</h1>", row.Meaning, row.Remedy}
			if row.Status != nil {
				want = append(want, fmt.Sprintf("the HTTP status %d %s", *row.Status, http.StatusText(*row.Status)))
			}
			if row.InSubmissions {
				want = append(want, `errors or warnings of a <a href="/docs/states#submissions">`)
			}
			switch len(row.Operations) {
			case 0:
				if row.Status != nil {
					want = append(want, "It belongs to no single operation")
				}
			case len(v1.Operations):
				want = append(want, "Every operation can return it.")
			default:
				if n := len(row.Operations); n > 12 {
					want = append(want, fmt.Sprintf("<summary>%d operations can return it</summary>", n))
				} else {
					want = append(want, "These operations can return it:")
				}
				for _, o := range row.Operations {
					want = append(want, ">"+o.Method+" "+o.Path+"</a></li>")
				}
			}
			page := get(w.Server.Public, "/errors/"+row.Code)
			text := html.UnescapeString(plain.Replace(page.Body.String()))
			for _, part := range want {
				if page.Code != http.StatusOK || !strings.Contains(text, part) {
					t.Errorf("%d, and its page lacks %q:\n%s", page.Code, part, text)
				}
			}
			line := `<tr><td><a href="/errors/` + row.Code + `">` + row.Code + "</a></td><td>" + row.Meaning + "</td><td>" + row.Remedy + "</td></tr>"
			if !strings.Contains(html.UnescapeString(plain.Replace(list)), line) {
				t.Errorf("/errors lacks %s", line)
			}
		})
	}
}

// TestTheExampleIsWhatTheServiceAnswers compares the page of a code with an answer.
func TestTheExampleIsWhatTheServiceAnswers(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	page := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(get(w.Server.Public, "/errors/missing_api_key").Body.String(), ""))
	from, to := strings.Index(page, "{\n"), strings.Index(page, "\n}\n")
	var want, got any
	if err := json.Unmarshal(get(w.Server.Public, "/v1/items").Body.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(page[from:to+2]), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-answer +page):\n%s", diff)
	}
}

func TestTheListOfErrorsIsInTheOrderOfStatus(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	list := get(w.Server.Public, "/errors").Body.String()
	var want, got []string
	for _, row := range catalogue(w.Config.BaseURL) {
		group := "in-submissions"
		if row.Status != nil {
			group = fmt.Sprintf("status-%d", *row.Status)
		}
		if len(want) == 0 || want[len(want)-1] != group {
			want = append(want, group)
		}
	}
	for _, group := range regexp.MustCompile(`<h2 id="([^"]+)">[^<]+</h2>\n<p>[^<]+</p>`).FindAllStringSubmatch(list, -1) { // each says what its codes have in common
		got = append(got, group[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-catalogue +page):\n%s", diff)
	}
	var rows []errorRow
	if err := json.Unmarshal(get(w.Server.Public, "/errors.json").Body.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	status := func(row errorRow) int {
		if row.Status == nil {
			return 1000 // only in submissions
		}
		return *row.Status
	}
	if len(rows) == 0 || !slices.IsSortedFunc(rows, func(a, b errorRow) int { return status(a) - status(b) }) {
		t.Errorf("/errors.json lists %d codes in another order", len(rows))
	}
}

func TestSubmissionCodesAreAllThatPublicationTells(t *testing.T) {
	for _, info := range v1.ErrorCatalogue {
		if info.Status == 0 && !slices.Contains(v1.SubmissionCodes, info.Code) {
			t.Errorf("%s occurs nowhere", info.Code)
		}
	}
	for _, image := range v1.SandboxImages {
		for _, code := range []v1.Code{image.Rejected, image.Image.ErrorCode} {
			if code != "" && !slices.Contains(v1.SubmissionCodes, code) {
				t.Errorf("%s ends a publication with %s", image.URL, code)
			}
		}
	}
}

// TestNamesInErrorsAreCode wants the names of fields, headers and paths in the catalogue to look like names, in English and in translations.
func TestNamesInErrorsAreCode(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for path, want := range map[string]string{
		"/errors/permission_denied":       "the permission in <code>details.permission</code>. The",
		"/errors":                         "Repeat the request after <code>Retry-After</code> seconds.",
		"/fr/errors/permission_denied":    "la permission indiquée dans <code>details.permission</code>.",
		"/errors/invalid_header":          "Correct the header named in <code>field</code>.",
		"/errors/invalid_idempotency_key": `<p class="lead">The <code>Idempotency-Key</code> header`,
		"/de/errors":                      "<code>Idempotency-Key</code>",
	} {
		if !strings.Contains(get(w.Server.Public, path).Body.String(), want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
}
