package legacy_test

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
)

// TestAnOldPHPProgram runs testdata/php as it is: an old program and the page that receives its notifications, in PHP,
// against a service with production settings. Its buyers, publication and time are the test's.
func TestAnOldPHPProgram(t *testing.T) {
	installed.Require(t, "NO OLD PROGRAM IN PHP WAS TRIED", "php")
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		web, inbox := servertest.NewWeb(t), servePHP(t)
		web.Host(t, "www.mysite.net", inbox.proxy)
		w := servertest.New(t, database(t), web.Production)
		service := httptest.NewServer(w.Server.Public)
		t.Cleanup(service.Close)
		program := func(into any, arguments ...string) {
			t.Helper()
			command := exec.Command("php", append([]string{"testdata/php/program.php", service.URL, w.Key}, arguments...)...)
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
		number := settings.First[0]["id_notification"]
		checkSettingNumber(t, number)
		on := map[string]string{
			"id_notification": number, "id_user": strconv.FormatInt(w.Account, 10), "channel": "Curl", "type": "Default",
			"destination": "http://www.mysite.net/feedback_api.php?token=bob", "active": "1",
		}
		off := maps.Clone(on)
		off["active"] = "0"
		for _, step := range []struct {
			name      string
			want, got []map[string]string
		}{
			{"made", []map[string]string{on}, settings.First}, {"switched off", []map[string]string{off}, settings.Off}, {"set anew", []map[string]string{on}, settings.Anew},
		} {
			if diff := cmp.Diff(step.want, step.got); diff != "" {
				t.Errorf("the setting, %s (-want +got):\n%s", step.name, diff)
			}
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
		w.Publish(t)
		deliverAll(t, w)
		added := inbox.all(t, "Seller_Item_Add")
		if len(added) != 2 || added[0].Token != "bob" || w.Count(t, "items", `images LIKE '%stamp-01.png%ready%stamp-02.png%ready%'`) != 2 {
			t.Fatalf("published: %+v", added)
		}
		numbers := map[string]string{}
		for _, notice := range added {
			numbers[notice.text("personal_reference")] = notice.text("id_item")
		}
		auction, other := numbers["A-1"], numbers["A-2"]
		var item struct{ Sent, Read map[string]string }
		program(&item, "read", auction)
		if diff := cmp.Diff(item.Sent, item.Read); diff != "" {
			t.Errorf("what was sent and what is read (-sent +read):\n%s", diff)
		}

		endSold(t, w, auction, other)
		cancelSale(t, w, other)
		notices := inbox.all(t, "Seller_Item_Close_Sold")
		i := slices.IndexFunc(notices, func(n phpNotice) bool { return n.text("id_item") == auction })
		if i < 0 {
			t.Fatalf("no notice of the sale: %+v", notices)
		}
		var names []string
		for _, pair := range notices[i].Data {
			names = append(names, pair[0])
		}
		checkSoldNotice(t, names, notices[i].text)
		var sold struct {
			Sold  []string
			Buyer string
		}
		program(&sold, "sold", auction)
		if diff := cmp.Diff([]string{auction}, sold.Sold); diff != "" || sold.Buyer == "" {
			t.Errorf("sold, without the cancelled one (-want +got):\n%sbuyer %q", diff, sold.Buyer)
		}
	})
}
