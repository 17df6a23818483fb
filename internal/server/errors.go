package server

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"

	"sellerd/internal/site"
	"sellerd/v1"
)

// errorsPath is where the codes are listed.
const errorsPath = "/errors"

// errorPages are the error catalogue in HTML and JSON, made once.
type errorPages struct {
	rows   []errorRow // in the order of the catalogue, which is that of the statuses
	byCode map[v1.Code]errorRow
	json   *asset
}

// errorRow is an error code with its entry in the catalogue and its operations.
type errorRow struct {
	Code          v1.Code          `json:"code"`
	Status        v1.Opt[int]      `json:"status" doc:"null for codes only inside submissions"`
	InSubmissions bool             `json:"in_submissions" doc:"also among the errors and warnings of a submission"`
	Meaning       string           `json:"meaning"`
	Remedy        string           `json:"remedy"`
	Operations    []errorOperation `json:"operations" doc:"those that can answer it"`
	DocsURL       string           `json:"docs_url"`
}

// errorOperation is an operation that can answer a code.
type errorOperation struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Reference is where the reference shows it.
func (o errorOperation) Reference() string { return referencePath(o.Method, o.Path) }

func newErrorPages(baseURL string) errorPages {
	operations := map[v1.Code][]errorOperation{}
	for _, o := range v1.Operations {
		for _, code := range o.Codes() {
			operations[code] = append(operations[code], errorOperation{o.Method, o.Pattern})
		}
	}
	pages := errorPages{byCode: map[v1.Code]errorRow{}}
	for _, info := range v1.ErrorCatalogue {
		row := errorRow{
			Code: info.Code, Status: v1.Opt[int]{V: info.Status, Set: info.Status != 0}, InSubmissions: slices.Contains(v1.SubmissionCodes, info.Code),
			Meaning: info.Meaning, Remedy: info.Remedy, Operations: operations[info.Code], DocsURL: baseURL + "/errors/" + string(info.Code),
		}
		pages.rows, pages.byCode[info.Code] = append(pages.rows, row), row
	}
	pages.json = newAsset(append(v1.EncodeJSON(nil, &pages.rows), '\n'), "application/json")
	return pages
}

// StatusText is the HTTP status with its name.
func (row errorRow) StatusText() string {
	if !row.Status.Set {
		return ""
	}
	return fmt.Sprintf("%d %s", row.Status.V, http.StatusText(row.Status.V))
}

// Example is an answer with the code, empty for codes that only submissions have.
func (row errorRow) Example() template.HTML {
	if !row.Status.Set {
		return ""
	}
	return site.Code("json", fmt.Sprintf("{\n  \"status_code\": %d,\n  \"errors\": [\n    {\n      \"code\": %q,\n      \"message\": %q,\n      \"docs_url\": %q\n    }\n  ]\n}\n",
		row.Status.V, row.Code, row.Meaning, row.DocsURL))
}

// Everywhere says whether every operation can answer the code.
func (row errorRow) Everywhere() bool { return len(row.Operations) == len(v1.Operations) }

// errorGroup are the codes with a status.
type errorGroup struct {
	Title, Anchor, About string
	Rows                 []errorRow
}

// aboutStatus says of each status what its codes have in common. 0 is that of codes that only submissions have.
var aboutStatus = map[int]string{
	400: "The form of the request is wrong. Correct the header or the JSON, and do not repeat the request unchanged.",
	401: "The service does not know who asks. Check the key.",
	403: "The key or the account may not do this. Repeating does not help.",
	404: "Nothing is there, or it belongs to another account or to the other mode. The answer is the same.",
	405: "The path exists, but not with this method.",
	409: "The state of the object, or a limit of the account, does not allow the request. Read the object again before you decide.",
	410: "What you ask for has come to its end.",
	412: "Somebody else was faster.",
	413: "Send less at once.",
	415: "Send JSON.",
	422: "Values are wrong. The answer names every one of them, each with its field.",
	429: "Wait as many seconds as Retry-After says, and repeat the request.",
	500: "The fault is ours. Repeat the request under the same Idempotency-Key.",
	503: "Repeat the request after Retry-After seconds, under the same Idempotency-Key.",
	0:   "The item was accepted, and these were found when it was published: in the errors of the submission, or in its warnings.",
}

// errorGroups are the codes by their statuses.
func errorGroups(rows []errorRow) (groups []errorGroup) {
	for i, row := range rows {
		if i == 0 || row.Status != rows[i-1].Status {
			title, anchor := row.StatusText(), fmt.Sprintf("status-%d", row.Status.V)
			if !row.Status.Set {
				title, anchor = "In submissions", "in-submissions"
			}
			groups = append(groups, errorGroup{Title: title, Anchor: anchor, About: aboutStatus[row.Status.V]})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, row)
	}
	return groups
}

// errorsPage lists the codes.
func (s *Server) errorsPage(w http.ResponseWriter, r *http.Request) {
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "Error codes", Description: "Every error code of the seller API, by status, with its meaning and what to do.",
	}, "codes", errorGroups(s.errors().rows))
}

// errorPage explains one error code; every error answer links to its code's page.
func (s *Server) errorPage(w http.ResponseWriter, r *http.Request) {
	row, ok := s.errors().byCode[v1.Code(r.PathValue("code"))]
	if !ok {
		s.render(w, r, http.StatusNotFound, pageContent{Title: "There is no such error code", Links: []link{{"/errors", "All error codes"}}})
		return
	}
	s.renderFilled(w, r, http.StatusOK, pageContent{Title: string(row.Code), Description: row.Meaning + " " + row.Remedy, Section: errorsPath, Links: []link{{"/errors", "All error codes"}}}, "code", row)
}

// errorsJSON is the error catalogue for programs.
func (s *Server) errorsJSON(w http.ResponseWriter, r *http.Request) { s.errors().json.serve(w, r) }
