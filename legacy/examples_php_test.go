package legacy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/installed"
	"sellerd/internal/servertest"
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
		number, err := strconv.ParseInt(settings.First[0]["id_notification"], 10, 64)
		if err != nil || number < 1 || number > math.MaxInt32 {
			t.Errorf("the setting's number: %d, %v", number, err)
		}
		on := map[string]string{
			"id_notification": strconv.FormatInt(number, 10), "id_user": strconv.FormatInt(w.Account, 10), "channel": "Curl", "type": "Default",
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

		var accepted []string
		program(&accepted, "list")
		if diff := cmp.Diff([]string{"true", "true"}, accepted); diff != "" {
			t.Error(diff)
		}
		w.Publish(t)
		inbox.deliver(t, w)
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

		w.DoOperator(t, servertest.Request{Path: "/operator/items/" + auction + "/visits", Body: map[string]any{"count": 7}})
		for _, item := range []string{auction, other} {
			w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}})
			w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/end", Method: "POST", Body: map[string]any{}})
		}
		inbox.deliver(t, w)
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
		if diff := cmp.Diff(soldFields, names); diff != "" {
			t.Errorf("the notice of the sale (-record +got):\n%s", diff)
		}
		if got := notices[i].text("visits_counter"); got != "7" {
			t.Errorf("visits_counter is %q", got)
		}
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

// phpInbox is feedback_api.php, served by PHP itself.
type phpInbox struct {
	proxy *httputil.ReverseProxy
	log   string // the file that it writes
}

// phpNotice is a line of its log.
type phpNotice struct {
	Type, Token string
	Data        [][2]string // element and text, in their order
}

func (n phpNotice) text(element string) string {
	for _, pair := range n.Data {
		if pair[0] == element {
			return pair[1]
		}
	}
	return ""
}

// servePHP starts PHP's own server on a free port and ends it with the test.
func servePHP(t *testing.T) *phpInbox {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	inbox := &phpInbox{
		proxy: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address}),
		log:   filepath.Join(t.TempDir(), "notifications.json"),
	}
	server := exec.Command("php", "-S", address, "-t", "testdata/php")
	server.Env = append(os.Environ(), "NOTIFICATIONS="+inbox.log)
	stderr, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	lines := bufio.NewReader(stderr)
	for { // it says when it listens
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("php -S: %v", err)
		}
		if strings.Contains(line, "started") {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // ends with the server
	return inbox
}

// deliver sends what waits, until nothing is due.
func (in *phpInbox) deliver(t *testing.T, w *servertest.World) { (&inbox{}).deliver(t, w) }

// all are the notifications of a type, in the order in which they came.
func (in *phpInbox) all(t *testing.T, kind string) (notices []phpNotice) {
	t.Helper()
	text, err := os.ReadFile(in.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var notice phpNotice
		if err := json.Unmarshal([]byte(line), &notice); err != nil {
			t.Fatal(fmt.Errorf("%w: %s", err, line))
		}
		if notice.Type == kind {
			notices = append(notices, notice)
		}
	}
	return notices
}
