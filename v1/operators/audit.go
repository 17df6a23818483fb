package operators

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/ent"
	"sellerd/ent/operatoraudit"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Change is a row of the audit log: a change by an operator, or of a key.
type Change struct {
	ID        int64
	At        wire.Time
	By        string // the operator's name, command:USER, key:PREFIX, or system
	Action    string // the operation, or the command
	Account   int64  // 0 without one
	Target    string // the id of what was changed
	Before    string // JSON; empty for what was not there
	After     string // JSON; empty for what is not there any more
	RequestID string // empty for a command
}

// Note stores a change in its transaction. Of two objects it keeps the members in which they differ.
func Note(ctx context.Context, tx *ent.Client, c Change) error {
	before, after, err := difference(c.Before, c.After)
	if err != nil {
		return fmt.Errorf("compare what is audited: %w", err)
	}
	create := tx.OperatorAudit.Create().SetID(c.ID).SetAt(int64(c.At)).SetOperator(c.By).SetAction(c.Action).SetTarget(c.Target).
		SetNillableBefore(before).SetNillableAfter(after).SetRequestID(c.RequestID)
	if c.Account != 0 {
		create.SetAccountID(c.Account)
	}
	return wrap.Err(create.Exec(ctx), "store a row of the audit log")
}

// difference are the members of two JSON objects in which they differ; nil for an empty text.
func difference(before, after string) (was, is *string, err error) {
	if before == "" || after == "" {
		return textOrNil(before), textOrNil(after), nil
	}
	var old, now map[string]jsontext.Value
	if err := json.Unmarshal([]byte(before), &old); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal([]byte(after), &now); err != nil {
		return nil, nil, err
	}
	for name, value := range now {
		if same, there := old[name]; there && bytes.Equal(same, value) {
			delete(old, name)
			delete(now, name)
		}
	}
	for _, side := range []struct {
		members map[string]jsontext.Value
		text    **string
	}{{old, &was}, {now, &is}} {
		text, err := json.Marshal(side.members, json.Deterministic(true))
		if err != nil {
			return nil, nil, err
		}
		*side.text = textOrNil(string(text))
	}
	return was, is, nil
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Filter selects changes. Empty fields select all.
type Filter struct {
	Account  int64
	Operator string
	Action   string
}

// Changes are the newest changes that a filter selects, at most limit, which come after the change at a place in that order.
func Changes(ctx context.Context, client *ent.Client, f Filter, after rows.Cursor, limit int) ([]Change, error) {
	query := client.OperatorAudit.Query()
	if f.Account != 0 {
		query.Where(operatoraudit.AccountID(f.Account))
	}
	if f.Operator != "" {
		query.Where(operatoraudit.Operator(f.Operator))
	}
	if f.Action != "" {
		query.Where(operatoraudit.Action(f.Action))
	}
	if after.ID != 0 {
		query.Where(operatoraudit.AtLTE(after.Key), operatoraudit.Or(
			operatoraudit.AtLT(after.Key), operatoraudit.And(operatoraudit.At(after.Key), operatoraudit.IDLT(after.ID))))
	}
	found, err := query.Order(ent.Desc(operatoraudit.FieldAt, operatoraudit.FieldID)).Limit(limit).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	out := make([]Change, len(found))
	for i, row := range found {
		out[i] = Change{
			ID: row.ID, At: wire.Time(row.At), By: row.Operator, Action: row.Action, Target: row.Target, RequestID: row.RequestID,
			Account: wire.Maybe(row.AccountID).V, Before: wire.Maybe(row.Before).V, After: wire.Maybe(row.After).V,
		}
	}
	return out, nil
}

// Kept is how long a change stays in the audit log.
const Kept = 365 * 24 * time.Hour

// expired finds the oldest changes that are not kept any longer.
func expired(atMost int) string {
	return "SELECT id FROM operator_audit WHERE at <= $1 ORDER BY at LIMIT " + strconv.Itoa(atMost)
}

// Sweep deletes changes that are not kept any longer, at most as many as said, and returns how many. skipLocked makes a query pass over rows
// that another process deletes.
func Sweep(ctx context.Context, tx *ent.Client, now wire.Time, atMost int, skipLocked func(string) string) (int, error) {
	var old []int64
	err := rows.Query(ctx, tx, skipLocked(expired(atMost)), []any{int64(now.Add(-Kept))}, func(r *sql.Rows) error {
		old = append(old, 0)
		return r.Scan(&old[len(old)-1])
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	return tx.OperatorAudit.Delete().Where(operatoraudit.IDIn(old...)).Exec(ctx)
}
