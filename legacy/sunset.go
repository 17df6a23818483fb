package legacy

import (
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file switches the interface off.

// retired says whether the interface is switched off, or the caller asks for a rehearsal of that in a header. Every request
// is checked.
func (x *exchange) retired() bool {
	if x.handler.Endless {
		return false
	}
	return !x.at.Before(translate.Sunset) || strings.EqualFold(x.r.Header.Get(translate.DrillHeader), "sunset")
}

// retirement is the answer to every request from the sunset on. It links to the migration guide.
func (x *exchange) retirement() v1.Errors {
	id := ""
	if x.legacy != nil {
		id = x.legacy.ID
	}
	return v1.Errors{{
		Code:    v1.LegacyAPIRetired,
		Message: "The legacy interface was switched off on " + translate.Sunset.Format("2 January 2006") + ". Follow the migration guide: " + guide(x.handler.BaseURL, id),
	}}
}
