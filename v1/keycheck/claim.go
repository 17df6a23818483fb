package keycheck

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/v1/rows"
)

// ErrChanged says that a remembered row is no longer as it was, so the read has to start again.
var ErrChanged = errors.New("the row of the key has changed")

// Claim is one request's use of a remembered row. A statement of the request has to confirm it. It is for one goroutine.
type Claim struct {
	ID  string
	Row *Row // from a Memory

	found     same
	confirmed bool
}

// Open says whether the claim has yet to be confirmed. A nil claim has not.
func (c *Claim) Open() bool { return c != nil && !c.confirmed }

// column says whether the row is as it was. A $ stands for each of its three arguments.
const column = `(SELECT k.secret_sha256 = $ AND (` + state + `) = $ ` + from + `$ )`

// Column is the column by which a statement confirms the claim, with $ for each of its arguments, and its target. After a row
// is scanned, Confirm has to be called.
func (c *Claim) Column() (text string, args []any, target any) { return column, c.Row.claim, &c.found }

// FirstColumn is Column for the beginning of a statement that is written once: its arguments are $1 to $3.
func FirstColumn() string {
	text := column
	for i := range 3 {
		text = strings.Replace(text, "$ ", "$"+strconv.Itoa(i+1)+" ", 1)
	}
	return text
}

// First adds the claim to a statement that begins with FirstColumn: its arguments and its target before those of the
// statement.
func (c *Claim) First(args, targets []any) (allArgs, allTargets []any) {
	allArgs = append(append(make([]any, 0, len(c.Row.claim)+len(args)), c.Row.claim...), args...)
	return allArgs, append(append(make([]any, 0, 1+len(targets)), &c.found), targets...)
}

// SetColumn is Column for rows of a table: its arguments are the columns secret, state and id of that table.
func SetColumn(table string) string {
	text := column
	for _, name := range []string{"secret", "state", "id"} {
		text = strings.Replace(text, "$ ", table+"."+name+" ", 1)
	}
	return text
}

// Args are the arguments of SetColumn.
func (r *Row) Args() (secret []byte, state, id string) {
	return r.claim[0].([]byte), r.claim[1].(string), r.claim[2].(string)
}

// Holds says whether a row that Copy made is still as it was.
func (r *Row) Holds(ctx context.Context, client *ent.Client) (bool, error) {
	found := same(false)
	err := rows.Query(ctx, client, holds, r.claim, func(answer *sql.Rows) error { return answer.Scan(&found) })
	return bool(found), err
}

var holds = "SELECT " + FirstColumn()

// ConfirmedBy confirms the claim if a statement that the request waited for has found the row as it was.
func (c *Claim) ConfirmedBy(found bool) {
	if c.Open() && found {
		c.confirmed = true
	}
}

// Confirm has to be called after the column is scanned. It returns ErrChanged if the row of the key has changed.
func (c *Claim) Confirm() error {
	if !c.found {
		return ErrChanged
	}
	c.confirmed = true
	return nil
}

// Check confirms the claim by a statement of its own, for a request whose statements have not confirmed it. It returns
// ErrChanged if the row of the key has changed.
func (c *Claim) Check(ctx context.Context, reader rows.Querier) error {
	now := NewRow()
	found, err := now.Read(ctx, reader, c.ID)
	if err != nil {
		return err
	}
	c.found = same(found && now.same(c.Row))
	return c.Confirm()
}

// same scans the column of a claim: a boolean, on SQLite a number, or NULL if there is no such key.
type same bool

// Scan implements sql.Scanner.
func (s *same) Scan(src any) error {
	switch v := src.(type) {
	case bool:
		*s = same(v)
	case int64:
		*s = v == 1
	default:
		*s = false
	}
	return nil
}

type contextKey struct{}

// With puts an open claim into a context, for code that runs a statement and does not know what it is about.
func With(ctx context.Context, c *Claim) context.Context {
	if !c.Open() {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, c)
}

// From is the claim of a context. It is nil if there is none.
func From(ctx context.Context) *Claim {
	c, _ := ctx.Value(contextKey{}).(*Claim)
	return c
}
