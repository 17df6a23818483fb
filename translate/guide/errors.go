package guide

import (
	"slices"

	"sellerd/translate"
	"sellerd/translate/openapi"
	"sellerd/v1"
)

// This file is what the guide says of refusals.

// refusalWords say how a code reads on /rest, and what to do about it.
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

// whenOf says which errors with the row's code have its text.
func whenOf(r *translate.ErrorRow) string {
	switch {
	case r.Detail[0] != "":
		return "when `" + r.Detail[0] + "` is `" + r.Detail[1] + "`"
	case r.Field != "":
		return "about `" + r.Field + "`"
	default:
		return ""
	}
}

// sharedRefusals are what is the same for all calls.
func sharedRefusals() (r Refusals) {
	for i := range translate.ErrorRows {
		row := &translate.ErrorRows[i]
		r.Texts = append(r.Texts, Refusal{Code: row.Code, Status: openapi.StatusOf(row.Code), Says: row.Text, When: whenOf(row)})
	}
	for _, code := range openapi.InOrder(openapi.GeneralCodes) {
		r.Every = append(r.Every, refusalWords(code))
	}
	for _, code := range openapi.InOrder(onlyV1Codes()) {
		r.OnlyV1 = append(r.OnlyV1, refusalWords(code))
	}
	return r
}

// onlyV1Codes are those that operations behind calls answer and no call does.
func onlyV1Codes() (codes []v1.Code) {
	var legacy []v1.Code
	for _, call := range translate.Calls {
		legacy = append(legacy, openapi.Codes(call)...)
		if call.Each != "" {
			legacy = append(legacy, openapi.EntryCodes(call)...)
		}
	}
	for _, call := range translate.Calls {
		for i := range call.Target.Steps {
			for _, code := range call.Target.Steps[i].Operation.Codes() {
				if !slices.Contains(legacy, code) {
					codes = append(codes, code)
				}
			}
		}
	}
	return codes
}
