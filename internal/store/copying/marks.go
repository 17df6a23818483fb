package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"sellerd/internal/base/each"
	"sellerd/internal/store"
)

// mark is how far a table is copied. It is stored in the target, in store.CopyTable, by the transaction that stores the rows.
type mark struct {
	key  []any  // of the last row, nil before the first
	sum  digest // of all rows so far
	kept string // as it is stored, "" if it is not
}

// keptMark is a mark as it is stored. The numbers are texts, which keep all their digits.
type keptMark struct {
	Key  []string `json:"key"`
	Rows int64    `json:"rows"`
	Sum  string   `json:"sum"`
}

// sourceMark is the name under which the name of the source is stored.
const sourceMark = ""

// begun stores the first mark in a target that has no rows. The table of marks may be there already.
func begun(ctx context.Context, target database, source string) error {
	if _, err := target.run(ctx, "CREATE TABLE IF NOT EXISTS "+store.CopyTable+" (name text PRIMARY KEY, state text NOT NULL)"); err != nil {
		return err
	}
	if _, err := target.run(ctx, "INSERT INTO "+store.CopyTable+" (name, state) VALUES ($1, $2)", sourceMark, source); err != nil {
		return err
	}
	return target.postpone(ctx)
}

// readMarks reads the marks of an unfinished copy, and the name of its source. If no copy has begun, known is false.
func (c *copier) readMarks(ctx context.Context) (found map[string]mark, source string, known bool, err error) {
	if unfinished, err := c.target.Unfinished(ctx); err != nil || !unfinished {
		return nil, "", false, err
	}
	lines, err := c.to.ask(ctx, "SELECT name, state FROM "+store.CopyTable)
	if err != nil {
		return nil, "", false, err
	}
	states := each.Keyed(lines, func(line []string) (name, state string) { return line[0], line[1] })
	found = map[string]mark{}
	for _, t := range c.read {
		if state := states[t.name]; state != "" {
			if found[t.name], err = readMark(t, state); err != nil {
				return nil, "", false, fmt.Errorf("read how far %s is copied: %w", t.name, err)
			}
		}
	}
	source, known = states[sourceMark]
	return found, source, known, nil
}

func readMark(t *table, state string) (mark, error) {
	m, kept := mark{kept: state}, keptMark{}
	if err := json.Unmarshal([]byte(state), &kept); err != nil {
		return m, err
	}
	if len(kept.Key) != len(t.key) {
		return m, errors.New("the key has another number of columns")
	}
	for i, value := range kept.Key {
		switch t.columns[t.key[i]].kind {
		case integer:
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return m, err
			}
			m.key = append(m.key, n)
		default:
			m.key = append(m.key, value)
		}
	}
	var err error
	m.sum, err = readDigest(kept.Rows, kept.Sum)
	return m, err
}

// set stores the next mark of a table. If the stored one is not that of this copy, it is ErrTaken.
func (m mark) set(ctx context.Context, target database, t *table) (mark, error) {
	kept := keptMark{Rows: m.sum.rows, Sum: m.sum.text()}
	for _, value := range m.key {
		kept.Key = append(kept.Key, fmt.Sprint(value))
	}
	state, err := json.Marshal(kept)
	if err != nil {
		return m, err
	}
	statement, args := "INSERT INTO "+store.CopyTable+" (state, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", []any{string(state), t.name}
	if m.kept != "" {
		statement, args = "UPDATE "+store.CopyTable+" SET state = $1 WHERE name = $2 AND state = $3", append(args, m.kept)
	}
	n, err := target.run(ctx, statement, args...)
	if err == nil && n != 1 {
		err = ErrTaken
	}
	m.kept = string(state)
	return m, err
}
