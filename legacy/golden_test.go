package legacy_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
	"sellerd/translate"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden is one exchange with a world in which a seller has a bit of everything; see stage.
type golden struct {
	call, name   string
	method, path string
	form         string
	as           string // "" the seller's token, else a field of the stage: nobody, foreign
}

// goldens are every call's success, and each refusal that it has of its own. Their text is in testdata/exchanges. They run
// in this order, in one world: what one changes, the next ones see.
var goldens = []golden{
	{"login", "ok", "POST", "/rest/seller", "apikey={key}", "nobody"},
	{"login", "wrong key", "POST", "/rest/seller", "apikey=dk_test_wrong", "nobody"},
	{"login", "no key", "POST", "/rest/seller", "", "nobody"},
	{"seller", "ok", "GET", "/rest/seller", "", ""},
	{"seller", "no token", "GET", "/rest/seller", "", "nobody"},
	{"seller", "wrong token", "GET", "/rest/seller", "token=junk", "nobody"},
	{"server-time", "ok", "GET", "/rest/server/time", "", ""},
	{"item-create", "auction", "POST", "/rest/item", "title=Letter+of+1849&id_category={category}&personal_reference=N-1&price_starting=9.5&currency=EUR&duration=7&option_boldtitle=1&subtitle=", ""},
	{"item-create", "fixed price", "POST", "/rest/item", "title=Ten+cards&id_category={category}&personal_reference=N-2&fixed_price=2.50&qty=10", ""},
	{"item-create", "nothing given", "POST", "/rest/item", "", ""},
	{"item-create", "price with a comma", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=1,50", ""},
	{"item-create", "exponent", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=1e3", ""},
	{"item-create", "negative price", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=-1", ""},
	{"item-create", "no number", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=NaN", ""},
	{"item-create", "long reference", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=123456789012345678901&fixed_price=1", ""},
	{"item-create", "a local date that does not exist", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=1&date_end=2027-03-28+02:30:00", ""},
	{"item-create", "a local date that exists twice", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-4&fixed_price=1&date_end={repeated}", ""},
	{"item-create", "unknown category", "POST", "/rest/item", "title=Card&id_category=1&personal_reference=N-3&fixed_price=1", ""},
	{"item-create", "unknown field", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-5&fixed_price=1&colour=blue", ""},
	{"item-create", "two kinds of sale", "POST", "/rest/item", "title=Card&id_category={category}&personal_reference=N-3&fixed_price=1&price_starting=1", ""},
	{"item-bulk", "some good, some bad", "POST", "/rest/items", "items[0][title]=Coin&items[0][id_category]={category}&items[0][personal_reference]=B-0&items[0][fixed_price]=1&items[1][title]=Coin&items[1][id_category]={category}&items[1][personal_reference]=B-1&items[1][fixed_price]=1,5", ""},
	{"item-bulk", "empty", "POST", "/rest/items", "", ""},
	{"item", "auction", "GET", "/rest/item/{auction}", "", ""},
	{"item", "lot", "GET", "/rest/item/{lot}", "", ""},
	{"item", "somebody else's", "GET", "/rest/item/{auction}", "", "foreign"},
	{"item", "no number", "GET", "/rest/item/abc", "", ""},
	{"item-by-reference", "ok", "GET", "/rest/item/reference/F-1", "", ""},
	{"item-by-reference", "nobody's", "GET", "/rest/item/reference/none", "", ""},
	{"item-update", "ok", "PUT", "/rest/item/{plain}", "title=A+better+title&option_highlight=0", ""},
	{"item-update", "nothing to change", "PUT", "/rest/item/{plain}", "", ""},
	{"item-update", "somebody else's", "PUT", "/rest/item/{plain}", "title=Mine", "foreign"},
	{"item-update", "has bids", "PUT", "/rest/item/{auction}", "title=Another", ""},
	{"item-update", "sold", "PUT", "/rest/item/{sold}", "title=Another", ""},
	{"item-close", "ok", "DELETE", "/rest/item/{plain}", "reason=LostOrBrokenItem", ""},
	{"item-close", "unknown reason", "DELETE", "/rest/item/{lot}", "reason=Boredom", ""},
	{"item-close", "has bids", "DELETE", "/rest/item/{auction}", "", ""},
	{"item-close", "sold", "DELETE", "/rest/item/{sold}", "", ""},
	{"item-close", "somebody else's", "DELETE", "/rest/item/{lot}", "", "foreign"},
	{"fixedprice-closed", "ok", "GET", "/rest/item/fixedprice/closed", "", ""},
	{"auction-closed", "ok", "GET", "/rest/item/auction/closed", "", ""},
	{"item-restart", "ok", "POST", "/rest/item/{plain}/restart", "", ""},
	{"item-restart", "sold", "POST", "/rest/item/{sold}/restart", "", ""},
	{"item-restart", "open", "POST", "/rest/item/{lot}/restart", "", ""},
	{"auction-opened", "ok", "GET", "/rest/item/auction/opened", "", ""},
	{"fixedprice-opened", "the second of two, backwards", "GET", "/rest/item/fixedprice/opened", "startingItem=1&numberOfItems=1&order=DESC", ""},
	{"fixedprice-opened", "beyond the end", "GET", "/rest/item/fixedprice/opened", "startingItem=1000000000&numberOfItems=1000", ""},
	{"fixedprice-opened", "negative", "GET", "/rest/item/fixedprice/opened", "startingItem=-1", ""},
	{"fixedprice-opened", "too many", "GET", "/rest/item/fixedprice/opened", "numberOfItems=1001", ""},
	{"auction-sold", "ok", "GET", "/rest/item/auction/sold", "", ""},
	{"fixedprice-sold", "ok", "GET", "/rest/item/fixedprice/sold", "", ""},
	{"item-buyer", "ok", "GET", "/rest/item/{sold}/buyer", "", ""},
	{"item-buyer", "not sold", "GET", "/rest/item/{plain}/buyer", "", ""},
	{"item-feedback", "ok", "POST", "/rest/item/{sold}/feedback", "feedback=90&comment=Perfect", ""},
	{"item-feedback", "again", "POST", "/rest/item/{sold}/feedback", "feedback=100", ""},
	{"item-feedback", "not sold", "POST", "/rest/item/{plain}/feedback", "feedback=100", ""},
	{"item-feedback", "out of range", "POST", "/rest/item/{lot}/feedback", "feedback=101", ""},
	{"close-reasons", "ok", "GET", "/rest/item/closeReasons", "", ""},
	{"fields", "auction", "GET", "/rest/item/fields/auction", "", ""},
	{"fields", "fixed price", "GET", "/rest/item/fields/fixedprice", "", ""},
	{"fields", "unknown", "GET", "/rest/item/fields/barter", "", ""},
	{"categories", "children, in French", "GET", "/rest/category", "language=F&idParent=-3", ""},
	{"categories", "unknown parent", "GET", "/rest/category", "idParent=99", ""},
	{"shipping-models", "ok", "GET", "/rest/shippingModels", "", ""},
	{"notification-types", "ok", "GET", "/rest/notification/types", "", ""},
	{"notification-add", "ok", "POST", "/rest/notification/settings", "notificationType=Curl_Seller_Item_Add&destination=https://shop.example.com/hook?token=t", ""},
	{"notification-add", "again", "POST", "/rest/notification/settings", "notificationType=Curl_Seller_Item_Add&destination=https://shop.example.com/hook?token=t", ""},
	{"notification-add", "unknown type", "POST", "/rest/notification/settings", "notificationType=Curl_Nothing&destination=https://shop.example.com/hook", ""},
	{"notification-add", "bad destination", "POST", "/rest/notification/settings", "notificationType=Curl_Default&destination=ftp://shop.example.com", ""},
	{"email-notification", "refused", "POST", "/rest/notification/settings", "notificationType=Email_Seller_Item_Add&destination=me@example.com", ""},
	{"notification-list", "ok", "GET", "/rest/notification/settings", "", ""},
	{"notification-switch", "off", "PUT", "/rest/notification/{setting}", "", ""},
	{"notification-switch", "unknown", "PUT", "/rest/notification/1", "", ""},
	{"notification-test", "ok", "POST", "/rest/notification/test", "notificationType=Curl_Seller_Item_Add", ""},
	{"notification-test", "none of this type", "POST", "/rest/notification/test", "notificationType=Curl_Seller_Item_Move", ""},
	{"notification-delete", "ok", "DELETE", "/rest/notification/{setting}", "", ""},
	{"notification-delete", "again", "DELETE", "/rest/notification/{setting}", "", ""},
}

// TestEveryCallAnswersAsItsGoldensSay replays the goldens on both databases.
func TestEveryCallAnswersAsItsGoldensSay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newStage(t, w)
		for _, g := range goldens {
			file := filepath.Join("testdata", "exchanges", g.call, strings.ReplaceAll(g.name, " ", "-")+".txt")
			got := s.exchange(t, g)
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", g.call, g.name, diff)
			}
		}
	})
}

// TestEveryCallHasGoldens sees to it that no call is left out, and that no golden lies about that nobody replays.
func TestEveryCallHasGoldens(t *testing.T) {
	has := map[string]bool{}
	files := map[string]bool{}
	for _, g := range goldens {
		has[g.call] = true
		files[filepath.Join("testdata", "exchanges", g.call, strings.ReplaceAll(g.name, " ", "-")+".txt")] = true
	}
	for _, call := range translate.Calls {
		if !has[call.ID] {
			t.Errorf("no golden of %s", call.ID)
		}
	}
	found, err := filepath.Glob(filepath.Join("testdata", "exchanges", "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if !files[file] {
			t.Errorf("nobody replays %s", file)
		}
	}
}

// stage is a world with a seller who has an auction with a bid, a lot of which a part is sold, a sold auction, one that
// ended without a bid, and a plain item.
type stage struct {
	w      *servertest.World
	names  map[string]string
	tokens map[string]string
}

func newStage(t *testing.T, w *servertest.World) *stage {
	t.Helper()
	s := &stage{w: w, tokens: map[string]string{}}
	reference := func(name string) map[string]any { return map[string]any{"personal_reference": name} }
	unsold := w.List(t, servertest.Auction(reference("A-0")))
	sold := w.List(t, servertest.Auction(reference("A-1")))
	auction := w.List(t, servertest.Auction(reference("A-2")))
	lot := w.List(t, servertest.FixedPrice(reference("F-1"), map[string]any{"quantity": 10, "description": "<b>Mint</b> & \"fine\""}))
	plain := w.List(t, servertest.FixedPrice(reference("F-2")))
	bid := map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}
	for _, step := range []servertest.Request{
		{Path: "/v1/test/items/" + unsold + "/end", Body: map[string]any{}},
		{Path: "/v1/test/items/" + sold + "/bids", Body: bid},
		{Path: "/v1/test/items/" + sold + "/end", Body: map[string]any{}},
		{Path: "/v1/test/items/" + auction + "/bids", Body: bid},
		{Path: "/v1/test/items/" + lot + "/purchase", Body: map[string]any{"quantity": 3}},
	} {
		if r := w.Do(t, step); r.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", step.Path, r.Status, r.Body)
		}
	}
	_, foreign, _ := w.Seller(t, "bert")
	s.names = map[string]string{
		"key": w.Key, "category": servertest.Category, "auction": auction, "lot": lot, "sold": sold, "plain": plain,
		// Inside 90 days of the world's beginning if the change back to winter time is; else the answer says date.
		"repeated": "2027-10-31+02:30:00",
	}
	s.tokens[""], s.tokens["foreign"] = s.login(t, w.Key), s.login(t, foreign)
	return s
}

func (s *stage) login(t *testing.T, key string) string {
	t.Helper()
	answer := s.send("POST", "/rest/seller", "apikey="+key)
	root, err := readXML(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root.text("Notification_Data/body/token")
}

func (s *stage) send(method, path, form string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(""))
	if form != "" && method == "GET" {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		request = httptest.NewRequest(method, path+separator+form, nil)
	} else if form != "" {
		request = httptest.NewRequest(method, path, strings.NewReader(form))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	recorder := httptest.NewRecorder()
	s.w.Server.Public.ServeHTTP(recorder, request)
	return recorder
}

// What differs from world to world by its nature: tokens, and ids made of the clock.
var (
	maskedToken   = regexp.MustCompile(`<token>[^<]+</token>`)
	maskedSetting = regexp.MustCompile(`<id_notification>(\d+)</id_notification>`)
	maskedRequest = regexp.MustCompile(`(?m)^X-Request-Id: .*\n`)
)

// exchange makes a golden's request and prints it with its answer.
func (s *stage) exchange(t *testing.T, g golden) string {
	t.Helper()
	fill := func(text string) string {
		for name, value := range s.names {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	path := fill(g.path)
	if token := s.tokens[g.as]; token != "" {
		path += "?token=" + token
	}
	answer := s.send(g.method, path, fill(g.form))
	body := answer.Body.String()
	if found := maskedSetting.FindStringSubmatch(body); found != nil {
		s.names["setting"] = found[1]
	}
	body = maskedSetting.ReplaceAllString(maskedToken.ReplaceAllString(body, "<token>…</token>"), "<id_notification>…</id_notification>")

	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n%s\n\nHTTP %d\n", g.method, g.path, g.form, answer.Code)
	for _, name := range []string{"Content-Type", "Deprecation", "Sunset", "Link", "Cache-Control", "Retry-After", "Www-Authenticate", "Allow"} {
		for _, value := range answer.Header()[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	return maskedRequest.ReplaceAllString(b.String(), "") + "\n" + indentXML(t, body)
}

// indentXML puts each element on a line of its own, for reading; texts stay as they are.
func indentXML(t *testing.T, text string) string {
	t.Helper()
	if _, err := readXML(strings.NewReader(text)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var b strings.Builder
	depth := 0
	for _, part := range strings.SplitAfter(strings.TrimSpace(text), ">") {
		switch {
		case part == "":
		case strings.HasPrefix(part, "</"):
			depth--
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), part)
		case strings.HasPrefix(part, "<?"), strings.HasSuffix(part, "/>"):
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), strings.TrimSpace(part))
		case strings.HasPrefix(strings.TrimSpace(part), "<"):
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), strings.TrimSpace(part))
			depth++
		default: // a text and its end
			depth--
			line := b.String()
			b.Reset()
			fmt.Fprintf(&b, "%s%s\n", strings.TrimSuffix(line, "\n"), part)
		}
	}
	return b.String()
}
