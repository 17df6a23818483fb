package translate

import (
	"net/http"
	"slices"
	"strings"

	"sellerd/v1"
)

// This file lists the codes with which a call can refuse a request. There is one list, Codes and EntryCodes. It follows from
// the operations and the rows of the call. The OpenAPI document and the guide show it. The document is sealed and promises some
// codes that cannot occur: Unreachable names them with the reason, and the coverage of the promises leaves them out.

// GeneralCodes returns the codes with which every call may refuse a request.
func GeneralCodes() []v1.Code {
	return []v1.Code{
		v1.MalformedJSON, v1.MissingAPIKey, v1.InvalidAPIKey, v1.AccountSuspended, v1.LegacyAPIRetired, v1.PayloadTooLarge, v1.UnsupportedMediaType,
		v1.InvalidValue, v1.RateLimited, v1.InternalError, v1.ServiceUnavailable,
	}
}

// SharedCodes returns the codes with which calls refuse a request whatever the call does: the general ones, and that for a key
// without a permission, which only those calls answer that need one.
func SharedCodes() []v1.Code { return append(GeneralCodes(), v1.PermissionDenied) }

// isGeneral says whether every call may refuse a request with a code.
func isGeneral(code v1.Code) bool { return slices.Contains(GeneralCodes(), code) }

// isForeign says whether a code is about something that no legacy request has: cursors, entity tags, JSON members, parameters
// and keys of /v1.
func isForeign(code v1.Code) bool {
	switch code {
	case v1.UnknownParameter, v1.UnknownField, v1.ImmutableField, v1.InvalidCursor, v1.CursorMismatch, v1.PreconditionFailed, v1.InvalidHeader,
		v1.InvalidIdempotencyKey, v1.IdempotencyKeyReused, v1.UnknownKey:
		return true
	default:
		return false
	}
}

// Codes returns all codes with which a call may refuse a whole request, in the order of the catalogue.
func (c *Call) Codes() []v1.Code {
	can := slices.Concat(GeneralCodes(), c.Refuses)
	if c.hasFields() {
		can = append(can, v1.InvalidType)
	}
	if c.TakesKey || slices.ContainsFunc(c.In, func(row Row) bool { return row.Required && !c.inPath(&row) }) {
		can = append(can, v1.MissingField)
	}
	if c.Target.Needs() != 0 {
		can = append(can, v1.PermissionDenied)
	}
	if c.Each != "" { // errors of entries are in the answers to the entries
		return inOrder(append(can, v1.BatchEmpty, v1.BatchTooLarge))
	}
	if c.Paged {
		can = append(can, v1.InvalidParameter)
	}
	for i := range c.Target.Steps {
		can = append(can, c.stepCodes(&c.Target.Steps[i])...)
	}
	return inOrder(slices.DeleteFunc(can, func(code v1.Code) bool { return slices.Contains(c.Handles, code) }))
}

// EntryCodes returns the codes with which a bulk may refuse one of its entries, in the order of the catalogue. It is nil for
// other calls.
func (c *Call) EntryCodes() []v1.Code {
	if c.Each == "" {
		return nil
	}
	return inOrder(slices.DeleteFunc(c.Target.Operation().Codes(), func(code v1.Code) bool {
		whole := isGeneral(code) && code != v1.InvalidValue || code == v1.BatchEmpty || code == v1.BatchTooLarge || code == v1.InvalidParameter ||
			code == v1.PermissionDenied
		return whole || isForeign(code)
	}))
}

// stepCodes returns the codes of an operation that can occur when a call runs it. Codes about a body or a query count only when
// fields of the call fill them.
func (c *Call) stepCodes(step *Step) []v1.Code {
	o := step.Operation
	return slices.DeleteFunc(o.Codes(), func(code v1.Code) bool {
		switch info, _ := v1.LookupError(code); {
		case isForeign(code):
			return true
		case code == v1.IdempotencyKeyInProgress:
			return o != v1.SubmitItem.Operation // only this call derives a key
		case code == v1.InvalidParameter:
			return !step.Main || !c.fillsQuery()
		case info.Status == http.StatusUnprocessableEntity:
			return !step.Main || step.Body != "" || !c.fillsBody()
		default:
			return false
		}
	})
}

// inOrder returns codes in the order of the catalogue, each once.
func inOrder(codes []v1.Code) (sorted []v1.Code) {
	for _, info := range v1.ErrorCatalogue {
		if slices.Contains(codes, info.Code) {
			sorted = append(sorted, info.Code)
		}
	}
	return sorted
}

// hasFields says whether a call has fields outside of its path.
func (c *Call) hasFields() bool {
	return c.TakesKey || c.Paged || slices.ContainsFunc(c.In, func(row Row) bool { return row.Legacy != "" && !c.inPath(&row) })
}

// inPath says whether a row's field is a part of the path.
func (c *Call) inPath(row *Row) bool { return strings.Contains(c.Pattern, "{"+row.Legacy+"}") }

// fillsBody says whether a row fills the body of the operation.
func (c *Call) fillsBody() bool {
	return slices.ContainsFunc(c.In, func(row Row) bool { return row.V1 != "" && !strings.ContainsAny(row.V1[:1], "{?@") })
}

// fillsQuery says whether a field goes into the query of the operation.
func (c *Call) fillsQuery() bool {
	return c.Paged || slices.ContainsFunc(c.In, func(row Row) bool { return row.Legacy != "" && strings.HasPrefix(row.V1, "?") })
}

// Exception is codes that a list promises and that cannot occur, with the reason.
type Exception struct {
	Codes []v1.Code
	Why   string
}

// Unreachable returns why a code of Codes cannot occur, or a code of EntryCodes when ofEntry is true. It returns "" for a code
// that can.
func (c *Call) Unreachable(code v1.Code, ofEntry bool) string {
	for _, exception := range slices.Concat(c.exceptions(ofEntry), c.Never) {
		if slices.Contains(exception.Codes, code) {
			return exception.Why
		}
	}
	return ""
}

// exceptions returns the exceptions that follow from the properties of a call.
func (c *Call) exceptions(ofEntry bool) []Exception {
	all := []Exception{
		{[]v1.Code{v1.UnknownShippingModel, v1.WeightRequired}, "no row leads to the shipping model or the weight"},
		{[]v1.Code{v1.UnknownEvent}, "every type of a notification leads to an event that there is"},
	}
	add := func(holds bool, why string, codes ...v1.Code) {
		if holds {
			all = append(all, Exception{codes, why})
		}
	}
	ownFields := slices.ContainsFunc(c.In, func(row Row) bool { return row.Legacy != "" })
	readsText := ownFields || c.TakesKey || c.Target.Kind == Absent || strings.Contains(c.Pattern, "{")
	add(c.Method == http.MethodGet, "a GET has no body", v1.PayloadTooLarge, v1.UnsupportedMediaType)
	add(c.Open, "the call needs no key", v1.MissingAPIKey)
	add(!readsText, "no text of the request is converted", v1.InvalidValue)
	add(c.Paged && !ownFields, "a window that cannot be is refused with "+string(v1.InvalidParameter), v1.InvalidType)
	add(c.Each != "" && !ofEntry, "what is wrong with an entry is said of the entry", v1.MissingField, v1.InvalidValue)
	return all
}
