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
	general := translate.GeneralCodes()
	answered, answers := callCodes()
	for _, info := range v1.ErrorCatalogue {
		switch code := info.Code; {
		case slices.Contains(general, code):
			r.Every = append(r.Every, refusalWords(code))
		case slices.Contains(answers, code) && !slices.Contains(answered, code):
			r.OnlyV1 = append(r.OnlyV1, refusalWords(code))
		}
	}
	return r
}

// callCodes returns the codes that calls answer, and those that the operations behind them answer in /v1.
func callCodes() (legacy, v1Codes []v1.Code) {
	for _, call := range translate.Calls {
		legacy = slices.Concat(legacy, call.Codes(), call.EntryCodes())
		for i := range call.Target.Steps {
			v1Codes = append(v1Codes, call.Target.Steps[i].Operation.Codes()...)
		}
	}
	return legacy, v1Codes
}
