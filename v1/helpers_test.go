package v1_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// mustJSON is a value as JSON.
func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return text
}

// padded is an empty object blown up with spaces to a size in bytes.
func padded(size int) string { return "{" + strings.Repeat(" ", size-2) + "}" }
