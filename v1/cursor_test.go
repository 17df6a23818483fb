package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// The decoder of base64 leaves line ends out, and a text with U+0000 is no text; neither may make another cursor of a cursor.
func TestACursorIsTakenOnlyAsItWasGiven(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 2 {
			w.List(t, servertest.FixedPrice())
		}
		for _, list := range []string{"/v1/items", "/v1/categories", "/v1/delivery-services", "/v1/events"} {
			cursor := servertest.Into[struct {
				Next string `json:"next_cursor"`
			}](t, w.Do(t, servertest.Request{Path: list + "?limit=1"})).Next
			for after, want := range map[string][]string{
				cursor:                          {},
				cursor + "%0A":                  {"invalid_cursor after"},
				"%0D%0A" + cursor:               {"invalid_cursor after"},
				cursor[:9] + "%0A" + cursor[9:]: {"invalid_cursor after"},
				cursor[:9] + "%0D" + cursor[9:]: {"invalid_cursor after"},
				cursor + "%20":                  {"invalid_cursor after"},
				cursor + "%09":                  {"invalid_cursor after"},
				cursor + "%00":                  {"invalid_cursor after"},
				cursor + "%FF":                  {"invalid_cursor after"},
				cursor + "%3D":                  {"invalid_cursor after"},
				cursor + cursor:                 {"invalid_cursor after"},
				"%0A":                           {"invalid_cursor after"},
				"%00":                           {"invalid_cursor after"},
				"%C0%80":                        {"invalid_cursor after"},
				"%E2%80%AE":                     {"invalid_cursor after"},
			} {
				got := w.Do(t, servertest.Request{Path: list + "?limit=1&after=" + after})
				if diff := cmp.Diff(want, got.Codes()); diff != "" {
					t.Errorf("%s after %s (-want +got):\n%s%s", list, after, diff, got.Body)
				}
			}
		}
	})
}
