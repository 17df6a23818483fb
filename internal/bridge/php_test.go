package bridge_test

import (
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
)

// TestAnOldPHPProgramGoesOn runs the program of legacy/testdata/php as it is, after the sunset, with the bridge as its base
// address. The service takes http addresses, as a developer's does: the program knows no others, and the hosts that stand for
// the internet here have no https.
func TestAnOldPHPProgramGoesOn(t *testing.T) {
	installed.Require(t, "NO OLD PROGRAM IN PHP WAS TRIED", "php")
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		b := newBridged(t, database(t), withPrivateTargets)
		bridge := httptest.NewServer(b.Bridge)
		t.Cleanup(bridge.Close)
		program := func(into any, arguments ...string) {
			t.Helper()
			command := exec.Command("php", append([]string{"../../legacy/testdata/php/program.php", bridge.URL, b.Key}, arguments...)...)
			var stderr strings.Builder
			command.Stderr = &stderr
			out, err := command.Output()
			if err == nil {
				err = json.Unmarshal(out, into)
			}
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("php program.php %v: %v\n%s%s", arguments, err, out, stderr.String())
			}
		}

		var settings struct{ First, Off, Anew []map[string]string }
		program(&settings, "register")
		number, err := strconv.ParseInt(settings.First[0]["id_notification"], 10, 32)
		if err != nil || number < 1<<30 {
			t.Errorf("the setting's number is %d, %v", number, err)
		}
		var active []string
		for _, list := range [][]map[string]string{settings.First, settings.Off, settings.Anew} {
			for _, setting := range list {
				active = append(active, setting["id_notification"]+" "+setting["id_user"]+" "+setting["type"]+" "+setting["active"])
			}
		}
		same := settings.First[0]["id_notification"] + " " + accountOf(b) + " Default "
		if diff := cmp.Diff([]string{same + "1", same + "0", same + "1"}, active); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}

		var walk struct {
			Steps      [][2]any
			Selectable string
		}
		program(&walk, "categories")
		if diff := cmp.Diff([][2]any{{true, "Stamps"}, {true, "Europe"}, {true, "France"}, {true, "Classics 1849-1900"}}, walk.Steps); diff != "" || walk.Selectable != "1" {
			t.Errorf("the way to a leaf (-want +got):\n%sselectable %q", diff, walk.Selectable)
		}

		var accepted []string
		program(&accepted, "list")
		if diff := cmp.Diff([]string{"true", "true"}, accepted); diff != "" {
			t.Error(diff)
		}
		b.Publish(t)
		auction := b.call(t, "GET", "/rest/item/reference/A-1", nil, "X-Api-Key", b.Key).Text("body/item/id_item")
		var item struct{ Sent, Read map[string]string }
		program(&item, "read", auction)
		if diff := cmp.Diff(item.Sent, item.Read); diff != "" || len(item.Sent) == 0 {
			t.Errorf("what was sent and what is read (-sent +read):\n%s", diff)
		}

		b.post(t, "/v1/test/items/"+auction+"/bids", `{"amount":{"amount":"12.00","currency":"EUR"}}`)
		b.post(t, "/v1/test/items/"+auction+"/end", "{}")
		var sold struct {
			Sold  []string
			Buyer string
		}
		program(&sold, "sold", auction)
		if diff := cmp.Diff([]string{auction}, sold.Sold); diff != "" || sold.Buyer == "" {
			t.Errorf("sold (-want +got):\n%sbuyer %q", diff, sold.Buyer)
		}
	})
}
