package delivery

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTheScheduleIsDocumented compares the table of attempts in docs/seller/webhook-retries.md with the engine's.
func TestTheScheduleIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/seller/webhook-retries.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 | at once | 0 s"}
	total := time.Duration(0)
	for i, wait := range schedule {
		total += wait
		want = append(want, fmt.Sprintf("%d | %s | %s", i+2, spelledOut(wait), spelledOut(total)))
	}
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+ \| .* \| .*) \|$`).FindAllStringSubmatch(string(page), -1) {
		got = append(got, row[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if most := fmt.Sprintf("In test mode there are only the first %d attempts.", testAttempts); !strings.Contains(string(page), most) {
		t.Errorf("the page does not say: %s", most)
	}
}

// spelledOut is a duration as people write it: 2 h 35 min 5 s.
func spelledOut(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}
