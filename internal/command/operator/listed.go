package operator

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"sellerd/internal/command"
	"sellerd/v1"
)

// The formats of lists. formatJSON is that of those for which nothing else is asked for.
const (
	formatJSON  = "json"
	formatTable = "table"
)

// listed is the flag of the commands that print lists.
type listed struct {
	Format string `default:"json" enum:"json,table,id" placeholder:"FORMAT" help:"json, table, or id: one id on each line (default: ${default})."`
}

// entries hand over the entries of a list, one after the other.
type entries func(entry func(object any) error) error

// entriesOf are the entries of a list that was read.
func entriesOf[T any](all []T) entries {
	return func(entry func(object any) error) error {
		for i := range all {
			if err := entry(&all[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// print prints the entries. A table has some of their members as columns, after their titles if these differ, and is printed when its widths
// are known; everything else is printed as soon as it is read.
func (l listed) print(columns []string, each entries) error {
	if l.Format == formatJSON {
		return printList(each)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	members := []string{"id"}
	if l.Format == formatTable {
		members = slices.Clone(columns)
		for i, column := range columns {
			if title, member, ok := strings.Cut(column, "="); ok {
				columns[i], members[i] = title, member
			}
		}
		fmt.Fprintln(out, strings.ToUpper(strings.Join(columns, "\t")))
	}
	err := each(func(entry any) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(v1.EncodeJSON(nil, entry), &object); err != nil {
			return err
		}
		cells := make([]string, len(members))
		for i, member := range members {
			cells[i] = command.Visible(cell(object[member]))
		}
		_, err := fmt.Fprintln(out, strings.Join(cells, "\t"))
		return err
	})
	return cmp.Or(err, out.Flush())
}

// printList prints the entries as a JSON list. After an error the list has no end.
func printList(each entries) error {
	out := bufio.NewWriter(os.Stdout)
	before := "[\n  "
	err := each(func(object any) error {
		var entry bytes.Buffer
		if err := json.Indent(&entry, v1.EncodeJSON(nil, object), "  ", "  "); err != nil {
			return err
		}
		_, err := out.WriteString(before + entry.String())
		before = ",\n  "
		return err
	})
	switch {
	case err != nil:
	case before == "[\n  ":
		_, err = out.WriteString("[]\n")
	default:
		_, err = out.WriteString("\n]\n")
	}
	return cmp.Or(err, out.Flush())
}

// cell is a JSON value as people read it.
func cell(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		if text == "" {
			return "-"
		}
		return strings.Join(strings.Fields(text), " ") // a tab would begin a column
	}
	return strings.NewReplacer(`"`, "", "[", "", "]", "").Replace(string(value))
}
