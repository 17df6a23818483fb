package server

import (
	"fmt"
	"net/http"
	"slices"

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
		pages.rows = append(pages.rows, row)
		pages.byCode[info.Code] = row
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

// Everywhere says whether every operation can answer the code.
func (row errorRow) Everywhere() bool { return len(row.Operations) == len(v1.Operations) }

// errorsPage lists the codes.
func (s *Server) errorsPage(w http.ResponseWriter, r *http.Request) {
	s.renderFilled(w, r, http.StatusOK, pageContent{Title: "Error codes"}, "codes", s.errors().rows)
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
