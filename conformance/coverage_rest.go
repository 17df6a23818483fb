package conformance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"sellerd/translate"
	"sellerd/v1"
)

// This file counts what is pinned of /rest. What a call can answer follows from the tables: from its list of codes, and from
// the words that old programs have for errors.

// notifications are what receivers are sent, which is no answer to a call.
const notifications = "notifications"

// LegacyCoverage counts for everything that the tables say a call of /rest can answer the sections that pin it. The code of
// a row is what stands in errorCode, and behind it the text where old programs have one of their own. A section of an
// answer that the tables know nothing of is an error.
func (s *Suite) LegacyCoverage() ([]Row, error) {
	rows := []Row{
		{Operation: anywhere, Status: http.StatusOK}, // of OPTIONS
		{Operation: anywhere, Status: http.StatusNotFound, Code: string(v1.RouteNotFound)},
		{Operation: anywhere, Status: http.StatusMethodNotAllowed, Code: string(v1.MethodNotAllowed)},
		{Operation: anywhere, Status: http.StatusGone, Code: string(v1.LegacyAPIRetired)},
		{Operation: notifications, Status: http.StatusOK},
	}
	for _, call := range translate.Calls {
		rows = append(rows, legacyRows(call)...)
	}
	counts := s.legacyCounts()
	for i, row := range rows {
		rows[i].Sections = counts[row]
		delete(counts, row)
	}
	for row := range counts {
		return nil, fmt.Errorf("no table says that %s answers %d %s, but a transcript does", row.Operation, row.Status, row.Code)
	}
	return rows, nil
}

// legacyRows are what a call can answer, in the order of the catalogue of errors.
func legacyRows(call *translate.Call) []Row {
	var rows []Row
	if call.Target.Kind != translate.Absent {
		rows = append(rows, Row{Operation: call.ID, Status: http.StatusOK})
	}
	whole, entry := reachable(call, call.Codes(), false), reachable(call, call.EntryCodes(), true)
	for _, info := range v1.ErrorCatalogue {
		if slices.Contains(whole, info.Code) {
			rows = append(rows, errorRows(call, info.Code, info.Status)...)
		}
		if slices.Contains(entry, info.Code) {
			rows = append(rows, errorRows(call, info.Code, http.StatusOK)...)
		}
	}
	return rows
}

// errorRows are the ways in which a call answers a code: with /v1's message, or with a text that old programs know.
func errorRows(call *translate.Call, code v1.Code, status int) []Row {
	row := Row{Operation: call.ID, Status: status, Code: string(code)}
	var rows []Row
	instead := false
	for _, known := range translate.ErrorRows {
		has := known.Field == "" || slices.ContainsFunc(call.In, func(row translate.Row) bool { return row.Legacy == known.Field })
		if known.Code != code || !has {
			continue
		}
		instead = instead || known.Detail[0] == "" // and not only in some state
		rows = append(rows, Row{Operation: call.ID, Status: status, Code: legacyError(code, known.Text)})
	}
	if !instead {
		rows = append(rows, row)
	}
	return rows
}

// legacyError names an error whose text is one that old programs know.
func legacyError(code v1.Code, text string) string {
	for _, known := range translate.ErrorRows {
		if known.Code == code && known.Text == text {
			return string(code) + ": " + text
		}
	}
	return string(code)
}

var refusalElements = regexp.MustCompile(`<errorMsg>([^<]*)</errorMsg>\s*<errorCode>([^<]*)</errorCode>`)

// legacyCounts are how many sections pin each row of /rest. Of what many calls follow only the refusals count that any
// call can be answered with: it pins nothing of one call's own.
func (s *Suite) legacyCounts() map[Row]int {
	counts := map[Row]int{}
	for replay, answer := range s.promised(true) {
		shared := replay.Transcript.Operation() == ""
		row := Row{Operation: replay.Operation, Status: answer.Status}
		if row.Status < http.StatusBadRequest && !shared {
			counts[row]++
		}
		for _, found := range refusalElements.FindAllStringSubmatch(answer.Body, -1) {
			code := v1.Code(found[2])
			if shared && (code == v1.InvalidValue || !slices.Contains(translate.SharedCodes(), code)) {
				continue // what is wrong with a field is of the call that has it
			}
			row.Code = legacyError(code, found[1])
			counts[row]++
		}
	}
	return counts
}

// reachable are the codes of a list that can come about: the documents promise some that cannot.
func reachable(call *translate.Call, codes []v1.Code, ofEntry bool) []v1.Code {
	return slices.DeleteFunc(codes, func(code v1.Code) bool { return call.Unreachable(code, ofEntry) != "" })
}
