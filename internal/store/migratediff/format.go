package main

import (
	"fmt"
	"slices"
	"strings"

	"ariga.io/atlas/sql/migrate"
)

// formatter writes a plan as a goose migration named after the next free number, such as 0002_add_item_colour.sql.
// There is no Down section: a release goes back by running the old program on the new schema, which every migration must
// allow until the release after it.
type formatter struct{ dir migrate.Dir }

// The statements by which ent's SQLite planner brackets the rebuild of a table.
const (
	foreignKeysOff = "PRAGMA foreign_keys = off"
	foreignKeysOn  = "PRAGMA foreign_keys = on"
)

// Format implements migrate.Formatter.
func (f formatter) Format(plan *migrate.Plan) ([]migrate.File, error) {
	files, err := f.dir.Files()
	if err != nil {
		return nil, err
	}
	number := 1
	if len(files) > 0 {
		last := files[len(files)-1].Name()
		if _, err := fmt.Sscanf(last, "%04d_", &number); err != nil {
			return nil, fmt.Errorf("the name %q does not begin with a number: %w", last, err)
		}
		number++
	}
	name := fmt.Sprintf("%04d_%s.sql", number, plan.Name)
	return []migrate.File{migrate.NewLocalFile(name, []byte(text(plan.Changes)))}, nil
}

// text writes statements for goose.
//
// A rebuild of a table on SQLite copies it, drops it and renames the copy, and to drop it deletes its rows, with all that
// refers to them, unless foreign keys are off. Switching them off does nothing inside of a transaction, without an error.
// So a migration with a rebuild runs outside of goose's transaction, in one of its own, which begins after foreign keys
// are off and cannot commit if a reference was broken.
func text(changes []*migrate.Change) string {
	var b strings.Builder
	statement := func(comment, command string) {
		if comment != "" {
			fmt.Fprintf(&b, "-- %s\n", comment)
		}
		fmt.Fprintf(&b, "%s;\n", command)
	}
	is := func(command string) func(*migrate.Change) bool {
		return func(c *migrate.Change) bool { return strings.EqualFold(c.Cmd, command) }
	}
	rebuild := slices.ContainsFunc(changes, is(foreignKeysOff))
	if rebuild {
		b.WriteString("-- +goose NO TRANSACTION\n")
	}
	b.WriteString("-- +goose Up\n")
	if rebuild {
		statement("", foreignKeysOff)
		statement("", "BEGIN IMMEDIATE")
	}
	for _, c := range changes {
		if is(foreignKeysOff)(c) || is(foreignKeysOn)(c) {
			continue
		}
		statement(c.Comment, c.Cmd)
	}
	if rebuild {
		statement("refuse to commit broken references", "CREATE TEMP TABLE broken_references (count integer CHECK (count = 0))")
		statement("", "INSERT INTO broken_references SELECT count(*) FROM pragma_foreign_key_check")
		statement("", "DROP TABLE broken_references")
		statement("", "COMMIT")
		statement("", foreignKeysOn)
	}
	return b.String()
}
