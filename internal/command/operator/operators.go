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
