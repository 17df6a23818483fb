// Package operators has the people and the programs that run the service: their roles and tokens (operators.go), and the log of what they
// changed (audit.go). It knows the rows, and none of the rules.
package operators

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent"
	entoperator "sellerd/ent/operator"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/apikey"
	"sellerd/v1/wire"
)

// Role is what an operator may do. Each role may do all that the one before it may.
type Role int

// The roles. The zero Role may do nothing.
const (
	Read    Role = iota + 1 // sees everything, and changes nothing
	Support                 // helps sellers: changes accounts and limits, revokes keys, pauses webhooks, forgets buyers
	Admin                   // does everything
)

var roleNames = []string{"", "read", "support", "admin"}

// Roles are the names of the roles, the least first.
func Roles() []string { return slices.Clone(roleNames[Read:]) }

// String is the role's name.
func (r Role) String() string { return roleNames[r] }

// RoleNamed finds a role; it is 0 for a name that is none.
func RoleNamed(name string) Role { return Role(max(0, slices.Index(roleNames, name))) }

// Operator is who uses the operator API or its pages. The zero Operator is nobody.
type Operator struct {
	Name string
	Role Role
}

// TokenName is the name of the operator who has the token of the server's own settings. No other operator can have it.
const TokenName = "token"

// The errors of operators. They are for commands, and not codes of an API.
var (
	ErrName   = NameError{}
	ErrRole   = fmt.Errorf("a role is one of %s", strings.Join(Roles(), ", "))
	ErrExists = errors.New("there is an operator of this name: revoke that one first, or choose another name")
	ErrNone   = errors.New("there is no such operator who is not revoked")
)

// NameError says that a text cannot be the name of an operator.
type NameError struct{}

// Error implements error.
func (NameError) Error() string {
	return "an operator's name has 1 to 100 letters, digits and . _ - + @, and is neither token nor system"
}

// Named is a name as it is stored: an address of e-mail means the same in capitals.
func Named(name string) string { return strings.ToLower(name) }

// Info is what can be shown of an operator.
type Info struct {
	Name       string              `json:"name"`
	Role       string              `json:"role" enum:"read support admin"`
	LastFour   wire.Opt[string]    `json:"last_four" doc:"of the token; null without one"`
	Status     string              `json:"status" enum:"active revoked"`
	CreatedAt  wire.Time           `json:"created_at"`
	RevokedAt  wire.Opt[wire.Time] `json:"revoked_at"`
	LastUsedAt wire.Opt[wire.Time] `json:"last_used_at" doc:"exact to a minute"`
}

func infoOf(row *ent.Operator) Info {
	out := Info{
		Name: row.Name, Role: row.Role, LastFour: wire.Opt[string]{V: row.LastFour, Set: row.LastFour != ""}, Status: "active",
		CreatedAt: wire.Time(row.CreatedAt), RevokedAt: wire.MaybeTime(row.RevokedAt), LastUsedAt: wire.MaybeTime(row.LastUsedAt),
	}
	if out.RevokedAt.Set {
		out.Status = "revoked"
	}
	return out
}

// New is an operator to make.
type New struct {
	ID    int64
	Name  string
	Role  Role
	Token *apikey.New // nil for an operator who comes by a proxy
}

// Create stores a new operator.
func Create(ctx context.Context, tx *ent.Client, in New, now wire.Time) (Info, error) {
	create := tx.Operator.Create().SetID(in.ID).SetName(in.Name).SetRole(in.Role.String()).SetLastFour("").SetCreatedAt(int64(now))
	if in.Token != nil {
		create.SetTokenSha256(in.Token.Hash[:]).SetLastFour(in.Token.Text[len(in.Token.Text)-4:])
	}
	row, err := create.Save(ctx)
	if ent.IsConstraintError(err) {
		return Info{}, ErrExists
	}
	if err != nil {
		return Info{}, fmt.Errorf("create operator: %w", err)
	}
	return infoOf(row), nil
}

// List lists all operators, the newest first, with those who are revoked.
func List(ctx context.Context, client *ent.Client) ([]Info, error) {
	found, err := client.Operator.Query().Order(ent.Desc(entoperator.FieldCreatedAt, entoperator.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("list operators: %w", err)
	}
	return each.Of(found, infoOf), nil
}

// Revoke ends an operator at once.
func Revoke(ctx context.Context, tx *ent.Client, name string, now wire.Time) (before, after Info, err error) {
	row, err := ByName(ctx, tx, name)
	if err != nil {
		return before, after, err
	}
	if row == nil {
		return before, after, ErrNone
	}
	ended, err := tx.Operator.UpdateOne(row).SetRevokedAt(int64(now)).Save(ctx)
	if err != nil {
		return before, after, fmt.Errorf("revoke operator: %w", err)
	}
	return infoOf(row), infoOf(ended), nil
}

// ByToken finds the operator who has a token and is not revoked; nil if there is none.
func ByToken(ctx context.Context, client *ent.Client, token apikey.Parsed) (*ent.Operator, error) {
	return only(ctx, client.Operator.Query().Where(entoperator.TokenSha256(token.Hash[:]), entoperator.RevokedAtIsNil()))
}

// ByName finds the operator of a name who is not revoked; nil if there is none.
func ByName(ctx context.Context, client *ent.Client, name string) (*ent.Operator, error) {
	return only(ctx, client.Operator.Query().Where(entoperator.Name(Named(name)), entoperator.RevokedAtIsNil()))
}

func only(ctx context.Context, query *ent.OperatorQuery) (*ent.Operator, error) {
	row, err := query.Only(ctx)
	if ent.IsNotFound(err) {
		return nil, nil
	}
	return row, wrap.Err(err, "find operator")
}

// Touch stores when an operator was last there.
func Touch(ctx context.Context, tx *ent.Client, name string, at wire.Time) error {
	return tx.Operator.Update().Where(entoperator.Name(name), entoperator.RevokedAtIsNil()).SetLastUsedAt(int64(at)).Exec(ctx)
}
