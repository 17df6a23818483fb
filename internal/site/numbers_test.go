package site

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnsOfNumbers(t *testing.T) {
	const page = "| Case | Requests/s | p99 | Note |\n|---|---|---|---|\n| 1 | 24,434 | 4.8 ms | 3 |\n| 2 | | ≤0.5ms | none |\n"
	var b bytes.Buffer
	if err := markdown.Convert([]byte(page), &b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "<t") && (strings.HasPrefix(line, "<td") || strings.HasPrefix(line, "<th") && !strings.HasPrefix(line, "<thead")) {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"<th>Case</th>", `<th class="number">Requests/s</th>`, `<th class="number">p99</th>`, "<th>Note</th>",
		"<td>1</td>", `<td class="number">24,434</td>`, `<td class="number">4.8 ms</td>`, "<td>3</td>",
		"<td>2</td>", `<td class="number"></td>`, `<td class="number">≤0.5ms</td>`, "<td>none</td>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
