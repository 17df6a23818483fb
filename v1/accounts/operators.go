package accounts

import (
	"context"
	"fmt"
	"strings"

	"sellerd/ent"
	"sellerd/internal/base/pattern"
	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/operators"
)

// This file makes and revokes operators, for the commands beside the server.

// operatorName is the form of an operator's name: no colon, which the audit log has before the names of others.
var operatorName = pattern.Late(`^[\pL\pN._+@-]{1,100}$`)

// CreateOperator makes an operator with a role, and returns the token: only this result has it, and it is not stored. An operator without
// a token comes by a proxy, which has checked the name.
func (s *Accounts) CreateOperator(ctx context.Context, name, role string, withToken bool) (token string, out operators.Info, err error) {
	in := operators.New{Name: operators.Named(name), Role: operators.RoleNamed(role)}
	if !operatorName().MatchString(in.Name) || in.Name == operators.TokenName || in.Name == core.ActsItself {
		return "", out, operators.ErrName
	}
	if in.Role == 0 {
		return "", out, operators.ErrRole
	}
	if withToken {
		made, err := apikey.Make(s.Config.Random, apikey.Operator)
		if err != nil {
			return "", out, fmt.Errorf("make a token: %w", err)
		}
		in.Token, token = &made, made.Text
	}
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (_ core.Audited, err error) {
		in.ID = s.IDs.Ordered()
		out, err = operators.Create(ctx, tx, in, s.Now())
		return core.Audited{Target: in.Name, After: &out}, err
	})
	return token, out, err
}

// Operators lists the operators, the newest first, with those who are revoked.
func (s *Accounts) Operators(ctx context.Context) ([]operators.Info, error) {
	return operators.List(ctx, s.Store.Reader())
}

// RevokeOperator ends an operator, from the next request on in every process. It returns operators.ErrNone if there is none of the name.
func (s *Accounts) RevokeOperator(ctx context.Context, name string) (out operators.Info, err error) {
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		var before operators.Info
		before, out, err = operators.Revoke(ctx, tx, operators.Named(strings.TrimSpace(name)), s.Now())
		return core.Audited{Target: out.Name, Before: &before, After: &out}, err
	})
	return out, err
}
