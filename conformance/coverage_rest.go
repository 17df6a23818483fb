package conformance

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file counts what is pinned of /rest. What a call can answer follows from the tables: from the operations that it
// runs, the rows that its fields go through, and the words that old programs have for errors.

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
	whole, entry := refusals(call)
	for _, info := range v1.ErrorCatalogue {
		if whole[info.Code] {
			rows = append(rows, errorRows(call, info.Code, info.Status)...)
		}
		if entry[info.Code] {
			rows = append(rows, errorRows(call, info.Code, http.StatusOK)...)
		}
	}
	return rows
}

// errorRows are the ways in which a call tells of a code: in /v1's words, or in those that old programs know.
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

var toldErrors = regexp.MustCompile(`<errorMsg>([^<]*)</errorMsg>\s*<errorCode>([^<]*)</errorCode>`)

// legacyCounts are how many sections pin each row of /rest. Of what many calls follow only the refusals count that any
// call can be answered with: it pins nothing of one call's own.
func (s *Suite) legacyCounts() map[Row]int {
	counts := map[Row]int{}
	for _, replay := range s.Replays() {
		if !replay.Transcript.Legacy() {
			continue
		}
		shared := replay.Transcript.Operation() == ""
		for _, section := range replay.Transcript.Sections {
			if section.Answer == nil || s.Corrected(replay.Transcript, replay.Operation, section.Title) != nil {
				continue
			}
			row := Row{Operation: replay.Operation, Status: section.Answer.Status}
			if row.Status < http.StatusBadRequest && !shared {
				counts[row]++
			}
			for _, told := range toldErrors.FindAllStringSubmatch(section.Answer.Body, -1) {
				code := v1.Code(told[2])
				if shared && !slices.Contains(anyCall, code) && !slices.Contains(anyChange, code) {
					continue
				}
				row.Code = legacyError(code, told[1])
				counts[row]++
			}
		}
	}
	return counts
}

// What every call can be refused with, and what every call with a body.
var (
	anyCall = []v1.Code{
		v1.MalformedJSON, v1.MissingAPIKey, v1.InvalidAPIKey, v1.AccountSuspended, v1.LegacyAPIRetired, v1.RateLimited, v1.InternalError, v1.ServiceUnavailable,
	}
	anyChange = []v1.Code{v1.PayloadTooLarge, v1.UnsupportedMediaType}
)

// refusals are the codes that a call can answer with as a whole, and those for one entry of a bulk.
func refusals(call *translate.Call) (whole, entry map[v1.Code]bool) {
	whole, entry = map[v1.Code]bool{}, map[v1.Code]bool{}
	own := whole // what is wrong with an item of a bulk is said of its entry
	if call.Each != "" {
		own = entry
	}
	add := func(to map[v1.Code]bool, codes ...v1.Code) {
		for _, code := range codes {
			to[code] = true
		}
	}
	for _, step := range call.Target.Steps {
		for _, code := range step.Operation.Codes() {
			if reachable(call, code) {
				add(own, code)
			}
		}
	}
	for _, row := range call.In {
		if row.Legacy == "" || strings.Contains(call.Pattern, "{"+row.Legacy+"}") {
			continue
		}
		add(own, v1.InvalidType) // a list where one text is due, or lists in a list
		if row.Required {
			add(own, v1.MissingField)
		}
		if row.Convert != nil && row.Convert != translate.Markup {
			add(own, v1.InvalidValue)
		}
	}
	if call.Each != "" {
		add(whole, v1.BatchEmpty, v1.BatchTooLarge, v1.InvalidType)
	}
	if strings.Contains(call.Pattern, "{") || call.Target.Kind == translate.Absent {
		add(whole, v1.InvalidValue) // a path that is not UTF-8, or a field that says what is not there any more
	}
	if strings.Contains(call.Pattern, "{") && call.Target.Kind == translate.Local {
		add(whole, v1.RouteNotFound)
	}
	if call.Paged {
		add(whole, v1.InvalidParameter)
	}
	if call.Method != http.MethodGet {
		add(whole, anyChange...)
	}
	add(whole, anyCall...)
	if call.Open {
		delete(whole, v1.MissingAPIKey)
	}
	add(whole, besides[call.ID]...)
	return whole, entry
}

// reachable says whether a code of an operation can be the answer of a call. Most that cannot are about what no row of the
// call leads to.
func reachable(call *translate.Call, code v1.Code) bool {
	if slices.Contains(anyCall, code) || slices.Contains(neverTold, code) || slices.Contains(unreachable[call.ID], code) {
		return false
	}
	switch code {
	case v1.IdempotencyKeyInProgress: // these make a key of their own, which no other call has
		return slices.Contains([]*v1.Operation{v1.SubmitItem, v1.SubmitBatch}, call.Target.Operation())
	case v1.BatchEmpty, v1.BatchTooLarge:
		return false // the bulk says so as a whole
	case v1.InvalidParameter:
		return slices.ContainsFunc(call.In, func(row translate.Row) bool { return row.Legacy != "" && strings.HasPrefix(row.V1, "?") })
	case v1.MissingField, v1.InvalidType, v1.InvalidValue, v1.TooLong, v1.TooShort, v1.OutOfRange, v1.ConflictingFields, v1.EmptyPatch, v1.HTMLNotAllowed,
		v1.UnsupportedCurrency, v1.CurrencyMismatch, v1.InvalidWebhookURL, v1.WebhookExists: // of a body
		return slices.ContainsFunc(call.In, func(row translate.Row) bool { return row.V1 != "" && !strings.ContainsAny(row.V1[:1], "{?@") })
	}
	return true
}

// neverTold are the codes of what /rest has not: bodies in JSON, fields that are refused and not warned of, cursors,
// conditions and idempotency keys of the caller's own, shipping models, changes of what a row cannot say, events that no
// type leads to.
var neverTold = []v1.Code{
	v1.PayloadTooLarge, v1.UnsupportedMediaType, v1.UnknownField, v1.UnknownParameter, v1.InvalidCursor, v1.CursorMismatch, v1.PreconditionFailed, v1.InvalidHeader,
	v1.InvalidIdempotencyKey, v1.IdempotencyKeyReused, v1.UnknownShippingModel, v1.WeightRequired, v1.ImmutableField, v1.UnknownEvent,
}

// unreachable are codes that a call's rows keep from coming about, and besides those that a call has of its own.
var (
	unreachable = map[string][]v1.Code{
		"item-create":       {v1.CurrencyMismatch}, // one field is the currency of all amounts
		"item-bulk":         {v1.CurrencyMismatch},
		"item-by-reference": {v1.InvalidParameter}, // the converter is stricter
		"item-buyer":        {v1.InvalidParameter},
		"item-close":        {v1.TooLong, v1.HTMLNotAllowed},                    // of a note
		"item-feedback":     {v1.OutOfRange},                                    // the converter is stricter
		"notification-add":  {v1.TooShort, v1.HTMLNotAllowed, v1.WebhookExists}, // of an empty list, which is none, of a description, and of a setting that is renewed
	}
	besides = map[string][]v1.Code{
		"item-by-reference": {v1.ItemNotFound}, // where /v1 answers an empty list
		"login":             {v1.InvalidValue}, // of text that is not UTF-8: the others follow every-call
	}
)
