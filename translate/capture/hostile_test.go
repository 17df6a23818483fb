package capture_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sellerd/translate/capture"
)

// mostBytes is how much a record of 64 KiB may have allocated in the end.
const mostBytes = 64 << 20

// TestAFewBytesMakeNoLargeRecords reads texts that could grow: variables that name each other, and long names of nested members.
func TestAFewBytesMakeNoLargeRecords(t *testing.T) {
	members := make([]string, 3000)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":""`, i)
	}
	for name, text := range map[string]string{
		"variables that name themselves": `{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
 "item":[{"request":{"method":"GET","url":"{{a}}"}}],"variable":[{"key":"a","value":"` + strings.Repeat("{{a}}", 12_000) + `"}]}`,
		"long names of nested members": `{"` + strings.Repeat("n", 30_000) + `":{` + strings.Join(members, ",") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			kind := capture.Sniff([]byte(text))
			_ = capture.Read(kind, strings.NewReader(text), func(capture.Request) {}) // an error is an answer, too
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > mostBytes {
				t.Errorf("%d bytes made %d MiB", len(text), took>>20)
			}
		})
	}
}
