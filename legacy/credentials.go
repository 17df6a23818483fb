package legacy

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sellerd/translate"
	"sellerd/v1"
)

// This file finds out who asks. A login shows a key and gets a token; every other call shows the token, or the key in the
// header of /v1, so that a program can change this first. The token says which key made it and until when it is good. It
// is no more than a shorter way to say the key: whether the key still counts is asked each time.

// sessionLife is how long a token is good for.
const sessionLife = 30 * time.Minute

// loginID is the one call that takes a key from its fields.
const loginID = "login"

// admit finds the caller and charges the request to its budget.
func (x *exchange) admit(ctx context.Context) error {
	if header := v1.TraceFrom(ctx).InClear; header != "" && x.credentials() {
		return v1.SentInClear(header)
	}
	if x.plan.Open && len(x.r.Header["X-Api-Key"]) == 0 && x.fields.Text("token") == "" {
		return nil // programs try such a call first, before they have a session
	}
	caller, refused := x.authenticate(ctx)
	if refused != nil && caller.Owner == 0 {
		var known v1.Errors
		if errors.As(refused, &known) && known.Status() == http.StatusUnauthorized {
			return x.handler.Service.RefuseStranger(x.r, refused)
		}
		return refused
	}
	x.call.Caller = caller
	v1.TraceFrom(ctx).Account = caller.AccountID
	if err := x.handler.Service.Admit(ctx, x.call); err != nil {
		return err
	}
	return refused
}

// credentials says whether the request has any, right or wrong, wherever they stand.
func (x *exchange) credentials() bool {
	return x.fields.Text("apikey") != "" || x.fields.Text("token") != "" || x.r.Header["X-Api-Key"] != nil || x.r.Header["Authorization"] != nil
}

func (x *exchange) authenticate(ctx context.Context) (v1.Caller, error) {
	service := x.handler.Service
	keys := x.r.Header["X-Api-Key"]
	switch {
	case x.legacy.ID == loginID:
		key := x.fields.Text("apikey")
		if key == "" {
			return v1.Caller{}, missing("apikey", "Send your key.")
		}
		return service.AuthenticateLegacy(ctx, key)
	case len(keys) > 1:
		return v1.Caller{}, refuse(v1.InvalidAPIKey)
	case len(keys) == 1 && keys[0] != "":
		return service.AuthenticateLegacy(ctx, keys[0])
	}
	token := x.fields.Text("token")
	if token == "" {
		return v1.Caller{}, missing("token", "Send the token of a login, or your key in the X-Api-Key header.")
	}
	keyID, ok := x.handler.openSession(token)
	if !ok {
		return v1.Caller{}, v1.Errors{{Code: v1.InvalidAPIKey, Field: "token", Message: "The token is not valid, or not any more: log in again."}}
	}
	return service.AuthenticateKeyID(ctx, keyID)
}

func missing(field, message string) v1.Errors {
	return v1.Errors{{Code: v1.MissingAPIKey, Field: field, Message: message}}
}

// login opens a session for the key that was shown.
func login(_ context.Context, r *request) (any, error) {
	until := v1.TimeOf(r.handler.Clock.Now().Add(sessionLife))
	text := strconv.AppendInt([]byte(r.call.KeyID+" "), int64(until), 10)
	return &translate.Session{Token: r.handler.Service.SealToken(text)}, nil
}

// openSession is the key behind a token that is still good.
func (h *Handler) openSession(token string) (keyID string, ok bool) {
	text, ok := h.Service.OpenToken(token)
	if !ok {
		return "", false
	}
	keyID, until, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(until, 10, 64)
	return keyID, err == nil && v1.TimeOf(h.Clock.Now()) < v1.Time(n)
}
