package scan

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Write prints a report in a format: text, json or sarif.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		if err := json.MarshalWrite(w, r, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
		_, err := io.WriteString(w, "\n")
		return err
	case "sarif":
		return r.sarif(w)
	default:
		return r.text(w)
	}
}
