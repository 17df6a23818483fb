package operator

import (
	"context"

	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Audit is the command that shows who changed what.
type Audit struct {
	database.Flags
	Account  string `placeholder:"ID" help:"Only changes of this account."`
	Operator string `placeholder:"NAME" help:"Only changes by this operator, such as anna, command:root or key:dk_live_5CbWYchqd2AH."`
	Action   string `placeholder:"NAME" help:"Only this operation or command, such as OperatorCreateKey or \"keys create\"."`
	JSON     bool   `name:"json" help:"Print a JSON list, with what was before and after."`
}

// Run prints the changes.
func (c *Audit) Run(ctx context.Context) error {
	filter := v1.AuditFilter{Operator: given(c.Operator), Action: given(c.Action)}
	return c.WithService(ctx, func(s *v1.Service) error {
		var id v1.ID
		if c.Account != "" && id.UnmarshalText([]byte(c.Account)) != nil { // the id may be of an account that is erased
			named, err := s.NamedAccount(ctx, c.Account)
			if err != nil {
				return advise(err)
			}
			id = v1.ID(named)
		}
		if c.Account != "" {
			filter.AccountID = v1.Some(id)
		}
		shown := listed{formatTable}
		if c.JSON {
			shown.Format = formatJSON
		}
		return shown.print([]string{"time=at", "operator", "action", "account=account_id", "target"}, func(entry func(any) error) error {
			return s.EachAuditedChange(ctx, filter, func(a *v1.AuditedChange) error { return entry(a) })
		})
	})
}

// given is the value of a flag, if it has one.
func given(text string) v1.Opt[string] { return v1.Opt[string]{V: text, Set: text != ""} }
