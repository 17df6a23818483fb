package legacy

import (
	"context"
	"strings"
	"time"

	"sellerd/translate"
	"sellerd/v1"
)

// This file authenticates the caller. A login sends a key and gets a token. Every other call sends the token, or the key in
// the header of /v1, so that a program can move its authentication first. Until it ends, the token stands for the key that
// made it.

// SessionLife is how long a token is valid.
const SessionLife = translate.SessionMinutes * time.Minute

// admit finds the caller and charges the request to its budget.
func (x *exchange) admit(ctx context.Context) error {
	if header := v1.TraceFrom(ctx).InClear; header != "" && x.credentials() {
		return v1.SentInClear(header)
	}
	if x.plan.Open && len(x.r.Header["X-Api-Key"]) == 0 && x.fields.Text("token") == "" {
		return nil // programs try such a call first, before they have a session
	}
	return x.handler.API.Enter(ctx, x.r.RemoteAddr, &x.call, x.shown())
}

// credentials says whether the request has credentials anywhere, valid or not.
func (x *exchange) credentials() bool {
	return x.fields.Text("apikey") != "" || x.fields.Text("token") != "" || x.r.Header["X-Api-Key"] != nil || x.r.Header["Authorization"] != nil
}

// shown returns the credentials that authenticate the request.
func (x *exchange) shown() Credentials {
	keys := x.r.Header["X-Api-Key"]
	switch {
	case x.plan != nil && x.plan.TakesKey:
		key := strings.TrimSpace(x.fields.Text("apikey")) // of a line of a file, with its end
		if key == "" {
			return Credentials{Refused: missing("apikey", "Send your key.")}
		}
		return Credentials{Key: key}
	case len(keys) > 1:
		return Credentials{Refused: refuse(v1.InvalidAPIKey)}
	case len(keys) == 1 && keys[0] != "":
		return Credentials{Key: keys[0]}
	}
	token := x.fields.Text("token")
	if token == "" {
		return Credentials{Refused: missing("token", "Send the token of a login, or your key in the X-Api-Key header.")}
	}
	return Credentials{Session: token}
}

func missing(field, message string) v1.Errors {
	return v1.Errors{{Code: v1.MissingAPIKey, Field: field, Message: message}}
}

// InvalidSession is the answer to a token that NewSession did not make, or that has ended.
func InvalidSession() v1.Errors {
	return v1.Errors{{Code: v1.InvalidAPIKey, Field: "token", Message: "The token is not valid, or not any more: log in again."}}
}

// login opens a session for the key of the request.
func login(ctx context.Context, r *request) (any, error) {
	v1.TraceFrom(ctx).Secret = true
	return &translate.Session{Token: r.handler.API.NewSession(&r.call)}, nil
}
