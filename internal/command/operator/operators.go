package operator

import (
	"context"
	"encoding/json"
	"fmt"

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

// Help implements kong.HelpProvider.
func (Operators) Help() string {
	return `These commands work beside a running server, whose next request sees their effect. The token of --operator-token, or of the
file beside the database, belongs to an operator named token with the role admin, whom these commands do not change.`
}

type operatorCreate struct {
	database.Flags
	Name    string `required:"" placeholder:"NAME" help:"Who it is, as the audit log will say: 1 to 100 letters, digits and . _ - + @."`
	Role    string `required:"" enum:"read,support,admin" placeholder:"ROLE" help:"read, support or admin."`
	NoToken bool   `help:"Make no token: a proxy gives the name of the operator, who has signed in there."`
}

// Help implements kong.HelpProvider.
func (operatorCreate) Help() string {
	return `read sees everything and changes nothing. support also changes accounts and their limits, suspends and resumes them, revokes
keys and pauses webhooks. admin does everything.

Examples:

    TOKEN=$(sellerd operators create --name anna --role support)
    sellerd operators create --name bert@example.com --role read --no-token`
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

// Help implements kong.HelpProvider.
func (operatorList) Help() string {
	return `Prints a JSON list, the newest first, with those who are revoked.

Example:

    sellerd operators list`
}

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

// Help implements kong.HelpProvider.
func (operatorRevoke) Help() string {
	return `Requests with the token are refused from then on. The name is free again, and the audit log keeps it.

Example:

    sellerd operators revoke anna`
}

// Run ends the operator.
func (c *operatorRevoke) Run(ctx context.Context) error {
	return printed(ctx, c.Flags, func(s *v1.Service) (any, error) {
		info, err := s.RevokeOperator(ctx, c.Name)
		return &info, err
	})
}
