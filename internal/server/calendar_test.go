package server

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestALongLineOfACalendarIsFoldedBetweenCharacters(t *testing.T) {
	for _, value := range []string{strings.Repeat("x", 67), strings.Repeat("x", 68), strings.Repeat("é", 200), strings.Repeat("x", 66) + strings.Repeat("🗓", 60)} {
		var c calendar
		c.line("SUMMARY", value)
		text := c.String()
		for line := range strings.SplitSeq(text, "\r\n") {
			if len(line) > 75 || !utf8.ValidString(line) {
				t.Errorf("this line has %d octets, or half a character: %q", len(line), line)
			}
		}
		if got := strings.ReplaceAll(text, "\r\n ", ""); got != "SUMMARY:"+value+"\r\n" {
			t.Errorf("unfolded it is %q", got)
		}
	}
	var c calendar
	c.text("SUMMARY", "a; b, c\\d\ne")
	if got, want := c.String(), `SUMMARY:a\; b\, c\\d\ne`+"\r\n"; got != want {
		t.Errorf("escaped it is %q, want %q", got, want)
	}
}
