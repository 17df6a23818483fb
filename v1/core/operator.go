package core

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding"
	"fmt"
	"net/http"
	"strings"

	"sellerd/ent"
	"sellerd/v1/apikey"
	"sellerd/v1/operators"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file lets operators in, each with the role that they have, and has them act for accounts.

// OperatorDoor says how operators show who they are.
type OperatorDoor struct {
	// Token is that of the server's settings. Who has it is operators.TokenName, an admin. Empty: nobody has it.
	Token string
	// Header has the name of an operator whom a trusted proxy has checked, on pages alone. Empty: no header has.
	Header string
}

// ServeOperator serves operations of the operator to callers with a token as "Authorization: Bearer" and the role that the operation needs.
func (s *Core) ServeOperator(operations []*Operation, door OperatorDoor) http.Handler {
	return s.serveTable(operations, s.admitOperator(door), true)
}

// For names the role that an operation of the operator needs. Without it a GET needs to read, and every other operation needs an admin.
func For(role operators.Role) func(*Operation) { return func(o *Operation) { o.Role = role } }

// usualRole is the role that an operation of the operator needs if its line in the table names none.
func usualRole(o *Operation) operators.Role {
	switch {
	case !o.IsOperators():
		return 0
	case o.Method == http.MethodGet:
		return operators.Read
	}
	return operators.Admin
}

// admitOperator authenticates a request to /operator: it checks the token and the role.
func (s *Core) admitOperator(door OperatorDoor) authenticator {
	return func(ctx context.Context, r *http.Request, c *Call) error {
		c.Operator = true
		TraceFrom(ctx).Object = loggedID(cmp.Or(c.pathValue("model_id"), c.pathValue("id")))
		return cmp.Or(s.findOperator(ctx, r, door.Token, bearerToken), PermitRole(ctx, c.role))
	}
}

// PermitRole refuses an operator whose role is less than needed. Without an operator it is the program itself that acts: a request that
// shows no operator does not come so far.
func PermitRole(ctx context.Context, needed operators.Role) error {
	if by := TraceFrom(ctx).Operator; by.Role >= needed || by.Name == "" {
		return nil
	}
	entry := refusal.Entry(refusal.PermissionDenied, "", "This needs an operator with the role "+needed.String()+".")
	entry.Details = map[string]any{"permission": "operator:" + needed.String()}
	return refusal.Errors{entry}
}

// findOperator finds the operator whose token sent finds in the header Authorization, and puts the operator into the request's trace. The
// token of the settings is compared by hashes, so the time that it takes reveals neither the token's characters nor its length.
func (s *Core) findOperator(ctx context.Context, r *http.Request, token string, sent func(*http.Request) string) error {
	if err := refuseInClear(r); err != nil {
		return err
	}
	values := r.Header.Values("Authorization")
	if len(values) == 0 { // no guess: a browser's first request has no token either
		return refusal.Newf(refusal.MissingAPIKey, "Authorization", "Send the operator's token as Authorization: Bearer.")
	}
	text := sent(r)
	hash, wanted := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(hash[:], wanted[:]) == 1 && token != "" && len(values) == 1 {
		TraceFrom(ctx).Operator = operators.Operator{Name: operators.TokenName, Role: operators.Admin}
		return nil
	}
	if parsed, ok := apikey.ParseToken(text); ok && len(values) == 1 {
		row, err := operators.ByToken(ctx, s.Store.Reader(), parsed)
		if row != nil {
			s.enterOperator(ctx, row)
		}
		if row != nil || err != nil {
			return err
		}
	}
	return s.refuseCredentials(ctx, r.RemoteAddr, refusal.Newf(refusal.InvalidAPIKey, "Authorization", "This is not the operator's token."))
}

// findNamed finds the operator whom a trusted proxy names in a header. It is not named if the request does not come from such a proxy, or
// the proxy has left the header out.
func (s *Core) findNamed(ctx context.Context, r *http.Request, header string) (named bool, err error) {
	trace, values := TraceFrom(ctx), r.Header.Values(header)
	if header == "" || !trace.Proxied || len(values) == 0 {
		return false, nil
	}
	if trace.InClear != "" {
		return true, SentInClear(trace.InClear)
	}
	if len(values) == 1 {
		row, err := operators.ByName(ctx, s.Store.Reader(), values[0])
		if err != nil {
			return true, err
		}
		if row != nil {
			s.enterOperator(ctx, row)
			return true, nil
		}
	}
	return true, refusal.Newf(refusal.PermissionDenied, header, "There is no operator of the name that the proxy gives.").
		With(map[string]any{"permission": "operator:" + operators.Read.String()})
}

// ActAs completes the operator's call with an account in a mode.
func (s *Core) ActAs(ctx context.Context, c *Call, owner Owner) error {
	row, err := s.Store.Reader().Account.Get(ctx, owner.Account())
	if err != nil {
		return fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	c.Owner, c.AccountID, c.Test, c.Limits = owner, row.ID, owner.Test(), LimitsOf(row)
	c.TimeZone, c.Currency = row.TimeZone, wire.Currency(row.Currency)
	TraceFrom(ctx).Account = row.ID
	return nil
}

// enterOperator puts an operator into the request's trace, and notes that the operator is here, for TouchKeysOnce.
func (s *Core) enterOperator(ctx context.Context, row *ent.Operator) {
	TraceFrom(ctx).Operator = operators.Operator{Name: row.Name, Role: operators.RoleNamed(row.Role)}
	s.noteUse(touchedOperator+row.Name, row.LastUsedAt)
}

// touchedOperator is what the name of an operator has before it where ids of keys stand.
const touchedOperator = "operator/"

// bearerToken is the token of "Authorization: Bearer", or empty.
func bearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// bearerOrPassword is the token of "Authorization: Bearer", or the password of HTTP Basic authentication (RFC 7617) with any user
// name, or empty.
func bearerOrPassword(r *http.Request) string {
	if _, password, basic := r.BasicAuth(); basic {
		return password
	}
	return bearerToken(r)
}

// OperatorOnly serves what is not an operation, but only for operators with a role: pages, documents, profiles. Besides
// "Authorization: Bearer" it accepts the token as the password of HTTP Basic authentication, which browsers can send, and the name that a
// trusted proxy gives. Operations do not accept that: a browser sends what it knows with requests of other sites' pages, too. So next
// refuses such requests itself, if it changes anything. next has AnswerLimit.
func (s *Core) OperatorOnly(door OperatorDoor, role operators.Role, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), AnswerLimit)
		defer cancel()
		named, err := s.findNamed(ctx, r, door.Header)
		if !named {
			err = s.findOperator(ctx, r, door.Token, bearerOrPassword)
		}
		if err := cmp.Or(err, PermitRole(ctx, role)); err != nil {
			s.refuse(w, r, &Call{Operator: true, browser: true}, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// loggedID is an object's id for the log. A text that is not an id is not logged: it may be a secret in the wrong place.
func loggedID(text string) string {
	for _, id := range []encoding.TextUnmarshaler{new(wire.ID), new(wire.WebhookID), new(apikey.KeyID)} {
		if id.UnmarshalText([]byte(text)) == nil {
			return text
		}
	}
	return ""
}
