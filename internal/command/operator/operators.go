package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Operators are the commands about the people and programs that may use the operator API and its pages.
type Operators struct {
	Create operatorCreate `cmd:"" help:"Make an operator and print the token; it is never shown again."`
	List   operatorList   `cmd:"" help:"List the operators with their roles."`
	Revoke operatorRevoke `cmd:"" help:"End an operator at once."`
}

type operatorCreate struct {
	database.Flags
	Name    string `required:"" placeholder:"NAME" help:"Who it is, as the audit log will say: 1 to 100 letters, digits and . _ - + @."`
	Role    string `required:"" enum:"read,support,admin" placeholder:"ROLE" help:"read, support or admin."`
	NoToken bool   `help:"Make no token: a proxy gives the name of the operator, who has signed in there."`
}

// Run makes the operator and prints the token alone, so that a script can capture it.
func (c *operatorCreate) Run(ctx context.Context) error {
	command.IgnoreBrokenPipe() // the error below says what became of the token
	return c.WithService(ctx, func(s *v1.Service) error {
		token, info, err := s.CreateOperator(ctx, c.Name, c.Role, !c.NoToken)
		if err != nil {
			return advise(err)
		}
		if c.NoToken {
			return command.PrintJSON(json.RawMessage(v1.EncodeJSON(nil, &info)))
		}
		if _, err := fmt.Println(token); err != nil {
			return fmt.Errorf("the operator %[1]s was made and the token cannot be printed (%[2]w): revoke it with `sellerd operators revoke %[1]s`", info.Name, err)
		}
		return nil
	})
}

type operatorList struct{ database.Flags }

// Run prints the operators.
func (c *operatorList) Run(ctx context.Context) error {
	return printed(ctx, c.Flags, func(s *v1.Service) (any, error) {
		all, err := s.Operators(ctx)
		return &all, err
	})
}

type operatorRevoke struct {
	database.Flags
	Name string `arg:"" help:"The operator's name."`
}

// Run ends the operator.
func (c *operatorRevoke) Run(ctx context.Context) error {
	return printed(ctx, c.Flags, func(s *v1.Service) (any, error) {
		info, err := s.RevokeOperator(ctx, c.Name)
		return &info, err
	})
}

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
		some := false
		err := shown.print([]string{"time=at", "operator", "action", "account=account_id", "target"}, func(entry func(any) error) error {
			return s.EachAuditedChange(ctx, filter, func(a *v1.AuditedChange) error { some = true; return entry(a) })
		})
		if err == nil && !some && c.Action != "" && c.Account+c.Operator == "" {
			fmt.Fprintf(os.Stderr, "there is no change %s: without --action, the command lists all by their names\n", command.Visible(c.Action))
		}
		return err
	})
}

// given is the value of a flag, if it has one.
func given(text string) v1.Opt[string] { return v1.Opt[string]{V: text, Set: text != ""} }
