package conformance

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"sellerd/internal/reference"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// Row is one possible answer of an operation, with the number of sections that show it.
type Row struct {
	Operation string
	Status    int
	Code      string // empty for a success
	Sections  int
}

// anywhere stands for answers without an operation: to paths and methods that do not exist.
const anywhere = "elsewhere"

// Coverage counts, for each answer in the OpenAPI document of /v1, the sections that show it. Rows are in the order of the table of
// operations.
func (s *Suite) Coverage() ([]Row, error) {
	document, err := reference.New(v1openapi.Document("/"))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	rows := described(document)
	for _, info := range v1.ErrorCatalogue {
		if info.Status == 0 {
			rows = append(rows, Row{Operation: v1.GetSubmission.Name, Status: v1.GetSubmission.Status, Code: string(info.Code)})
		}
	}
	rows = append(rows, Row{Operation: anywhere, Status: 404, Code: string(v1.RouteNotFound)}, Row{Operation: anywhere, Status: 405, Code: string(v1.MethodNotAllowed)})
	counts := map[Row]int{}
	for replay, answer := range s.promised(false) {
		row := Row{Operation: replay.Operation, Status: answer.Status}
		if answer.Status < http.StatusBadRequest {
			counts[row]++
		}
		for _, code := range codesIn(answer.Body) {
			row.Code = code
			counts[row]++
		}
	}
	for i, row := range rows {
		rows[i].Sections = counts[row]
	}
	return rows, nil
}

// described are the rows of a document, not counted yet.
func described(document *reference.Reference) (rows []Row) {
	document.Each(func(o *reference.Operation) {
		if o.IsEvent() {
			return
		}
		name := strings.ToUpper(o.ID[:1]) + o.ID[1:]
		for _, answer := range o.Answers {
			status, _ := strconv.Atoi(answer.Status) // the document has no "default"
			for _, code := range answer.Codes {
				rows = append(rows, Row{Operation: name, Status: status, Code: code.Name})
			}
			if len(answer.Codes) == 0 {
				rows = append(rows, Row{Operation: name, Status: status})
			}
		}
	})
	place := map[string]int{}
	for i, o := range v1.Operations {
		place[o.Name] = i
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(place[a.Operation]-place[b.Operation], a.Status-b.Status, strings.Compare(a.Code, b.Code))
	})
	return rows
}

// promised are the recorded answers of one interface that no correction supersedes.
func (s *Suite) promised(legacy bool) iter.Seq2[Replay, *Answer] {
	return func(yield func(Replay, *Answer) bool) {
		for _, replay := range s.Replays() {
			if replay.Transcript.Legacy() != legacy {
				continue
			}
			for _, section := range replay.Transcript.Sections {
				isPromised := section.Answer != nil && s.Corrected(replay.Transcript, replay.Operation, section.Title) == nil
				if isPromised && !yield(replay, section.Answer) {
					return
				}
			}
		}
	}
}

// codeMembers finds the members of answers that have error codes.
var codeMembers = regexp.MustCompile(`"(?:error_)?code": *"([^"]*)"`)

// codesIn are the error codes in the body of an answer, at any place, each once.
func codesIn(body string) (codes []string) {
	for _, found := range codeMembers.FindAllStringSubmatch(body, -1) {
		if !slices.Contains(codes, found[1]) {
			codes = append(codes, found[1])
		}
	}
	return codes
}

// PrintCoverage prints rows as a table and returns how many have no section.
func PrintCoverage(w io.Writer, rows []Row) (holes int, err error) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "OPERATION\tSTATUS\tCODE\tSECTIONS")
	for _, row := range rows {
		count := strconv.Itoa(row.Sections)
		if row.Sections == 0 {
			count = "0, a hole"
			holes++
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", row.Operation, row.Status, cmp.Or(row.Code, "-"), count)
	}
	return holes, table.Flush()
}
