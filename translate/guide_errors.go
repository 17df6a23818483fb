package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file is what the guide says of refusals.

// refusalWords say how a code reads on /rest, and what to do about it.
func refusalWords(code v1.Code) Refusal {
	info, ok := v1.LookupError(code)
	if !ok {
		panic("guide: there is no code " + string(code))
	}
	return Refusal{code, info.Status, saidOf(info), marked(info.Remedy)}
}

// saidOf is the text that old programs know, where there is one for certain, and else what the catalogue says.
func saidOf(info v1.ErrorInfo) string {
	var texts []string
	for i := range ErrorRows {
		row := &ErrorRows[i]
		if row.Code != info.Code || row.Field != "" {
			continue
		}
		if row.Detail[0] == "" {
			return row.Text
		}
		texts = append(texts, row.Text+" ("+row.Detail[0]+" "+row.Detail[1]+")")
	}
	return strings.Join(append(texts, info.Meaning), " Or: ")
}

// guideRefusals are what is the same for all calls.
func guideRefusals() (r Refusals) {
	for i := range ErrorRows {
		row := &ErrorRows[i]
		remedy := ""
		switch {
		case row.Detail[0] != "":
			remedy = "when `details." + row.Detail[0] + "` is `" + row.Detail[1] + "`"
		case row.Field != "":
			remedy = "of the field `" + row.Field + "`"
		}
		r.Texts = append(r.Texts, Refusal{row.Code, statusOf(row.Code), row.Text, remedy})
	}
	for _, code := range inOrder(generalCodes) {
		r.Every = append(r.Every, refusalWords(code))
	}
	for _, code := range inOrder(onlyV1Codes()) {
		r.OnlyV1 = append(r.OnlyV1, refusalWords(code))
	}
	return r
}

// onlyV1Codes are those that operations behind calls answer and no call does.
func onlyV1Codes() (codes []v1.Code) {
	var legacy []v1.Code
	for _, call := range Calls {
		legacy = append(legacy, codesOf(call)...)
		if call.Each != "" {
			legacy = append(legacy, entryCodes(call)...)
		}
	}
	for _, call := range Calls {
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
