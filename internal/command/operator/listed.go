package operator

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"sellerd/internal/command"
)

// formatJSON is the format of lists if nothing else is asked for.
const formatJSON = "json"

// listed is the flag of the commands that print lists.
type listed struct {
	Format string `default:"json" enum:"json,table,id" placeholder:"FORMAT" help:"json, table, or id: one id on each line (default: ${default})."`
}

// print prints the entries, which are JSON objects, as soon as they are read. A table has some of their members as columns, and is printed
// when its widths are known.
func (l listed) print(columns []string, each func(entry func(text []byte) error) error) error {
	switch l.Format {
	case "id":
		return each(func(text []byte) error {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(text, &object); err != nil {
				return err
			}
			_, err := fmt.Println(cell(object["id"]))
			return err
		})
	case "table":
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, strings.ToUpper(strings.Join(columns, "\t")))
		err := each(func(text []byte) error {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(text, &object); err != nil {
				return err
			}
			cells := make([]string, len(columns))
			for i, column := range columns {
				cells[i] = cell(object[column])
			}
			_, err := fmt.Fprintln(out, strings.Join(cells, "\t"))
			return err
		})
		if err != nil {
			return err
		}
		return out.Flush()
	default:
		return command.PrintEach(each)
	}
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
