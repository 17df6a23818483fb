package legacy

import (
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file switches the interface off.

// ended says whether the interface is switched off for good.
func (x *exchange) ended() bool { return !x.at.Before(translate.Sunset) }

// retired says whether the interface is switched off, or the caller asks for a rehearsal of that in a header. Every request
// is checked.
func (x *exchange) retired() bool {
	if x.handler.Endless {
		return false
	}
	return x.ended() || strings.EqualFold(x.r.Header.Get(translate.DrillHeader), "sunset")
}

// strayBodyLimit is how many bytes of a body are read in search of a token when the request matches no call.
const strayBodyLimit = 64 << 10

// inDrill says whether a scheduled drill is running for the request. Then it is answered as from the sunset on. It is counted
// if its credentials tell the seller.
func (x *exchange) inDrill(e *endpoint) bool {
	ctx := x.r.Context()
	running := x.handler.API.Drills(ctx)
	if len(running) == 0 {
		return false
	}
	shown := x.shownAnywhere(e)
	if !running.Everybody() && !x.handler.API.InDrill(ctx, &x.call, running, shown) {
		return false
	}
	if e != nil {
		x.handler.API.CountRetired(&x.call, e.call(x.fields).ID, shown, true)
	}
	return true
}

// shownAnywhere returns the credentials of a request that need not match a call. The day itself asks for no credentials, so
// those in unusual places count, too. A body that cannot be read leaves those in the query and the headers.
func (x *exchange) shownAnywhere(e *endpoint) Credentials {
	if v1.TraceFrom(x.r.Context()).InClear != "" {
		return Credentials{Refused: refuse(v1.InvalidHeader)} // admit says what is wrong with them
	}
	limit := int64(strayBodyLimit)
	if e != nil {
		limit = e.bodyLimit
	}
	if x.readFields(limit); x.unread != nil {
		x.fields = queryFields(x.r)
	}
	return x.anyCredentials()
}

// anyCredentials returns the credentials of a request whose fields are read, whatever place its call has for them.
func (x *exchange) anyCredentials() Credentials {
	shown := x.shown()
	if shown.Refused == nil {
		return shown
	}
	switch keys, key, token := x.r.Header["X-Api-Key"], x.fields.Text("apikey"), x.fields.Text("token"); {
	case len(keys) == 1 && keys[0] != "":
		return Credentials{Key: keys[0]}
	case key != "":
		return Credentials{Key: key}
	case token != "":
		return Credentials{Session: token}
	}
	return shown
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

// countRetired counts a call that is answered 410 after the end, or for the header of a drill, so that operators know which programs
// still call. It does not authenticate the caller, and no mistake of a request changes its answer.
func (x *exchange) countRetired(e *endpoint) {
	if e == nil || v1.TraceFrom(x.r.Context()).InClear != "" {
		return
	}
	fields := x.fields
	if fields == nil {
		fields = x.glance(e.bodyLimit)
	}
	c := e.call(fields)
	seen := exchange{request: request{plan: c.Plan, fields: fields}, r: x.r}
	x.handler.API.CountRetired(&x.call, c.ID, seen.anyCredentials(), !x.ended())
}

// maxGlance is the size in bytes of the largest body that is read for its token. The server reads as much of an unread body
// before it answers, so this makes no caller wait.
const maxGlance = 64 << 10

// glance reads the fields of a request as far as that takes no time: those of a body that cannot be read are left out.
func (x *exchange) glance(bodyLimit int64) translate.Fields {
	if n := x.r.ContentLength; n > 0 && n <= min(maxGlance, bodyLimit) && x.r.Header.Get("Expect") == "" {
		if fields, unread := readFields(x.w, x.r, bodyLimit); unread == nil {
			return fields
		}
	}
	return queryFields(x.r)
}
