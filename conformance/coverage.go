package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

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

// Coverage counts, for each answer in the OpenAPI document of /v1, the sections that show it. Rows are in the order of the
// document.
func (s *Suite) Coverage() ([]Row, error) {
	counts, err := s.counts()
	if err != nil {
		return nil, err
	}
	rows, err := described(v1openapi.Document("/"))
	if err != nil {
		return nil, err
	}
	for _, info := range v1.ErrorCatalogue {
		if info.Status == 0 {
			rows = append(rows, Row{Operation: v1.GetSubmission.Name, Status: v1.GetSubmission.Status, Code: string(info.Code)})
		}
	}
	rows = append(rows, Row{Operation: anywhere, Status: 404, Code: string(v1.RouteNotFound)}, Row{Operation: anywhere, Status: 405, Code: string(v1.MethodNotAllowed)})
	for i, row := range rows {
		rows[i].Sections = counts[row]
	}
	return rows, nil
}

// described are the rows of a document, not counted yet, in the order of the table of operations.
func described(document []byte) ([]Row, error) {
	var d struct {
		Paths      map[string]map[string]describedOperation
		Components struct{ Responses map[string]describedResponse }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	place := map[string]int{}
	for i, o := range v1.Operations {
		place[o.Name] = i
	}
	var rows []Row
	for _, item := range d.Paths {
		for _, o := range item {
			name := strings.ToUpper(o.OperationID[:1]) + o.OperationID[1:]
			for text, response := range o.Responses {
				status, err := strconv.Atoi(text)
				if err != nil {
					return nil, fmt.Errorf("%s: the status %q is no number", name, text)
				}
				if response.Ref != "" {
					response = d.Components.Responses[strings.TrimPrefix(response.Ref, "#/components/responses/")]
				}
				codes := response.codes()
				for _, code := range codes {
					rows = append(rows, Row{Operation: name, Status: status, Code: code})
				}
				if len(codes) == 0 {
					rows = append(rows, Row{Operation: name, Status: status})
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(place[a.Operation]-place[b.Operation], a.Status-b.Status, strings.Compare(a.Code, b.Code))
	})
	return rows, nil
}

type describedOperation struct {
	OperationID string
	Responses   map[string]describedResponse
}

type describedResponse struct {
	Ref     string `json:"$ref"`
	Content map[string]struct {
		Schema struct {
			Properties struct {
				Errors struct {
					Items struct {
						AllOf []struct {
							Properties struct {
								Code struct{ Enum []string }
							}
						}
					}
				}
			}
		}
	}
}

func (r describedResponse) codes() []string {
	for _, media := range r.Content {
		for _, part := range media.Schema.Properties.Errors.Items.AllOf {
			if len(part.Properties.Code.Enum) > 0 {
				return part.Properties.Code.Enum
			}
		}
	}
	return nil
}

// counts are the numbers of sections that show each row.
func (s *Suite) counts() (map[Row]int, error) {
	counts := map[Row]int{}
	for _, replay := range s.Replays() {
		if replay.Transcript.Legacy() {
			continue
		}
		for _, section := range replay.Transcript.Sections {
			if section.Answer == nil || s.Corrected(replay.Transcript, replay.Operation, section.Title) != nil {
				continue
			}
			row := Row{Operation: replay.Operation, Status: section.Answer.Status}
			codes, err := codesOf(section.Answer)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", replay.Transcript.File, section.Title, err)
			}
			if section.Answer.Status < 400 {
				counts[row]++
			}
			for _, code := range codes {
				row.Code = code
				counts[row]++
			}
		}
	}
	return counts, nil
}

// codesOf are the error codes in an answer, at any place.
func codesOf(a *Answer) ([]string, error) {
	if !strings.HasPrefix(a.Body, "{") {
		return nil, nil
	}
	body, err := parseJSON(a.Body)
	if err != nil {
		return nil, err
	}
	codes := map[string]bool{}
	var collect func(value any)
	collect = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				if text, ok := member.(string); ok && (name == "code" || name == "error_code") {
					codes[text] = true
				}
				collect(member)
			}
		case []any:
			for _, element := range v {
				collect(element)
			}
		}
	}
	collect(body)
	return slices.Sorted(maps.Keys(codes)), nil
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
