package guide

import (
	"slices"

	"sellerd/translate"
	"sellerd/v1"
)

// This file has what the guide says of refusals.

// refusalWords returns how a code reads on /rest, and its remedy.
func refusalWords(code v1.Code) Refusal {
	info, ok := v1.LookupError(code)
	if !ok {
		panic("guide: there is no code " + string(code))
	}
	r := Refusal{Code: code, Status: info.Status, Meaning: marked(info.Meaning), Remedy: marked(info.Remedy)}
	for i := range translate.ErrorRows {
		if row := &translate.ErrorRows[i]; row.Code == code && row.Field == "" {
			r.Says, r.When = row.Text, whenOf(row)
		}
	}
	return r
}

// whenOf returns the condition under which an error has the text of a row.
func whenOf(r *translate.ErrorRow) string {
	switch {
	case r.Detail[0] != "":
		return "when `errors[].details." + r.Detail[0] + "` is `" + r.Detail[1] + "`"
	case r.Field != "":
		return "about `" + r.Field + "`"
	default:
		return ""
	}
}

// sharedRefusals returns the refusals that are not of one call.
func sharedRefusals() (r Refusals) {
	for i := range translate.ErrorRows {
		row := &translate.ErrorRows[i]
		r.Texts = append(r.Texts, Refusal{Code: row.Code, Status: v1.Errors{{Code: row.Code}}.Status(), Says: row.Text, When: whenOf(row)})
	}
	general, answered, answers := translate.GeneralCodes(), legacyCodes(), operationCodes()
	for _, info := range v1.ErrorCatalogue {
		switch code := info.Code; {
		case slices.Contains(general, code):
			r.Every = append(r.Every, refusalWords(code))
		case answers[code] && !answered[code]:
			r.OnlyV1 = append(r.OnlyV1, refusalWords(code))
		}
	}
	return r
}

// legacyCodes returns the codes that calls answer.
func legacyCodes() map[v1.Code]bool {
	codes := map[v1.Code]bool{}
	for _, call := range translate.Calls {
		for _, code := range slices.Concat(call.Codes(), call.EntryCodes()) {
			codes[code] = true
		}
	}
	return codes
}

// operationCodes returns the codes that the operations behind calls answer in /v1.
func operationCodes() map[v1.Code]bool {
	codes := map[v1.Code]bool{}
	for _, call := range translate.Calls {
		for i := range call.Target.Steps {
			for _, code := range call.Target.Steps[i].Operation.Codes() {
				codes[code] = true
			}
		}
	}
	return codes
}
