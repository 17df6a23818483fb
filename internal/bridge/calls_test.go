package bridge_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
)

// TestACallThatIsOneOperationIsOneRequest calls every such call of the tables once, by its first sample or by what the seller
// has.
func TestACallThatIsOneOperationIsOneRequest(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	item := b.List(t, servertest.Auction())
	token := b.call(t, "POST", "/rest/seller", fields("apikey", b.Key)).Text("body/token")
	b.asked(false)
	for _, call := range translate.Calls {
		o := call.Target.Operation()
		if call.Target.Kind != translate.Direct && call.ID != "notification-list" {
			continue
		}
		path := strings.NewReplacer("{id_item}", item, "{personal_reference}", "A-1").Replace(call.Pattern)
		form := fields()
		switch call.ID {
		case "item-create":
			form = fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR")
		case "item-bulk":
			form = fields("items[0][title]", "Card", "items[0][id_category]", servertest.Category, "items[0][personal_reference]", "A-2", "items[0][fixed_price]", "1")
		case "item-update":
			form = fields("title", "Other")
		case "notification-add":
			form = fields("notificationType", "Curl_Default", "destination", "https://www.example.com/in")
		}
		form.Set("token", token)
		answer := b.call(t, call.Method, path, form)
		if diff := cmp.Diff([]string{o.Method + " " + strings.ReplaceAll(o.Pattern, "{id}", item)}, b.asked(false)); diff != "" {
			t.Errorf("%s, answered %d (-want +asked):\n%s", call.ID, answer.Status, diff)
		}
		b.Publish(t)
	}
}

// TestACallInAnotherLanguageIsRefusedInEnglish asks for categories in French: their names are French, and what is wrong is said in English.
func TestACallInAnotherLanguageIsRefusedInEnglish(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	english := b.call(t, "GET", "/rest/category", fields("idParent", "7"), "X-Api-Key", b.Key)
	b.asked(false)
	french := b.call(t, "GET", "/rest/category", fields("idParent", "7", "language", "F"), "X-Api-Key", b.Key)
	if diff := cmp.Diff(english.Body, french.Body); diff != "" || english.Status != http.StatusUnprocessableEntity {
		t.Errorf("%d, in French %d (-English +French):\n%s", english.Status, french.Status, diff)
	}
	if diff := cmp.Diff([]string{"GET /v1/categories", "GET /v1/categories"}, b.asked(false)); diff != "" {
		t.Errorf("requests (-want +asked):\n%s", diff)
	}
}

// TestAQuantityIsWhatShallBeLeft changes how many are left of a lot that is partly sold, while another piece is bought: the lot is read first,
// and once more because it has changed meanwhile.
func TestAQuantityIsWhatShallBeLeft(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	item := b.List(t, servertest.FixedPrice(map[string]any{"quantity": 10}))
	b.purchase(t, item, 2)
	b.asked(false)
	through := b.newBridge(t, func(c *bridge.Config) {
		bought := false
		c.Transport = transport(func(request *http.Request) (*http.Response, error) {
			if request.Method == http.MethodPatch && !bought {
				bought = true
				b.purchase(t, item, 1)
			}
			return b.RoundTrip(request)
		})
	})
	if got := b.callOf(t, through, "PUT", "/rest/item/"+item, fields("title", "Other", "qty", "4"), "X-Api-Key", b.Key); got.Status != http.StatusOK {
		t.Fatal(got.Body)
	}
	read, change := "GET /v1/items/"+item, "PATCH /v1/items/"+item
	if diff := cmp.Diff([]string{read, change, read, change}, b.asked(false)); diff != "" {
		t.Errorf("requests (-want +asked):\n%s", diff)
	}
	if left := b.call(t, "GET", "/rest/item/"+item, nil, "X-Api-Key", b.Key).Text("body/item/qty"); left != "4" {
		t.Errorf("%s are left, want 4", left)
	}
}

// TestEqualCreatesListOnceADay repeats a create on the service and through the bridge, in any order.
func TestEqualCreatesListOnceADay(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		b := newBridged(t, database(t))
		b.Clock.Advance(-60 * 24 * time.Hour) // so that the service still answers
		form := fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR")
		bulk := fields("items[0][title]", "Card", "items[0][id_category]", servertest.Category, "items[0][personal_reference]", "A-2", "items[0][fixed_price]", "1")
		create := func(through bool) {
			t.Helper()
			for path, form := range map[string]string{"/rest/item": form.Encode(), "/rest/items": bulk.Encode()} {
				answer := servertest.RestAnswer{}
				if through {
					answer = b.call(t, "POST", path, mustParse(t, form), "X-Api-Key", b.Key)
				} else {
					answer = b.Rest(t, "POST", path, form, "X-Api-Key", b.Key, "Content-Type", "application/x-www-form-urlencoded")
				}
				if answer.Status != http.StatusOK {
					t.Fatal(answer.Body)
				}
			}
			b.Publish(t)
		}
		for _, step := range []struct {
			name    string
			through bool
			after   time.Duration
			want    int // items there are
		}{
			{"first by the service", false, 0, 2},
			{"again through the bridge", true, time.Hour, 2},
			{"through the bridge a day later", true, 24 * time.Hour, 4},
			{"and again", true, time.Hour, 4},
			{"a day later", true, 24 * time.Hour, 6},
			{"and again", true, time.Hour, 6},
			{"a week later", true, 7 * 24 * time.Hour, 8},
		} {
			b.Clock.Advance(step.after)
			create(step.through)
			if n := b.Count(t, "items", "1 = 1"); n != step.want {
				t.Errorf("%s: %d items, want %d", step.name, n, step.want)
			}
		}
	})
}

// TestSessionsAreTheBridgesOwn opens a session and uses it later, elsewhere, and after its end.
func TestSessionsAreTheBridgesOwn(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	token := b.call(t, "POST", "/rest/seller", fields("apikey", b.Key)).Text("body/token")
	read := func(through http.Handler, token string) int {
		t.Helper()
		return b.callOf(t, through, "GET", "/rest/seller", fields("token", token)).Status
	}
	restarted := b.newBridge(t, func(*bridge.Config) {})
	changed := "A"
	if strings.HasPrefix(token, changed) {
		changed = "B"
	}
	for name, test := range map[string]struct {
		through http.Handler
		token   string
		want    int
	}{
		"here":                             {b.Bridge, token, 200},
		"after a restart":                  {restarted, token, 200},
		"with another secret":              {b.newBridge(t, func(c *bridge.Config) { c.Secret = []byte(strings.Repeat("o", 32)) }), token, 401},
		"before another service":           {b.newBridge(t, func(c *bridge.Config) { c.To = "https://other.example" }), token, 401},
		"with one character more":          {b.Bridge, token + "A", 401},
		"with a changed one":               {b.Bridge, changed + token[1:], 401},
		"a token that the service made":    {b.Bridge, b.Service.SealToken([]byte("x 1")), 401},
		"none":                             {b.Bridge, "", 401},
		"a key in the place of the token":  {b.Bridge, b.Key, 401},
		"with the end of a line behind it": {b.Bridge, token + "\n", 401},
	} {
		if got := read(test.through, test.token); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
	if strings.Contains(token, strings.Split(b.Key, "_")[3]) || strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("the token is %s", token)
	}
	b.Clock.Advance(30*time.Minute - time.Second)
	if got := read(b.Bridge, token); got != 200 {
		t.Errorf("shortly before its end: %d", got)
	}
	b.Clock.Advance(time.Second)
	if got := read(b.Bridge, token); got != 401 {
		t.Errorf("at its end: %d", got)
	}
}

// TestARevokedKeyEndsItsSessions revokes the key behind a session.
func TestARevokedKeyEndsItsSessions(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	key := b.NewKey(t, b.Account, "test")
	token := b.call(t, "POST", "/rest/seller", fields("apikey", key)).Text("body/token")
	if _, err := b.Service.RevokeKey(t.Context(), strings.Split(key, "_")[2]); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/rest/seller": 401, "/rest/server/time": 401, "/rest/notification/types": 401} {
		if got := b.call(t, "GET", path, fields("token", token)); got.Status != want || got.Text("body/errorCode") != "invalid_api_key" {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

// TestOldKeysStandForKeysOfTheFile logs in with keys of the old interface.
func TestOldKeysStandForKeysOfTheFile(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	old, unknown := strings.Repeat("Ab3", 21)+"z", strings.Repeat("x", 64)
	keys, err := bridge.ReadKeys(strings.NewReader("# old keys\r\n\r\n" + old + "  " + b.Key + "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	with := b.newBridge(t, func(c *bridge.Config) { c.Keys = keys })
	login := b.callOf(t, with, "POST", "/rest/seller", fields("apikey", old))
	token := login.Text("body/token")
	if login.Status != 200 || b.callOf(t, with, "GET", "/rest/seller", fields("token", token)).Text("body/seller/nickname") != "anna" {
		t.Fatalf("login: %d %s", login.Status, login.Body)
	}
	b.asked(false)
	if got := b.callOf(t, with, "POST", "/rest/seller", fields("apikey", unknown)); got.Status != 401 || len(b.asked(false)) != 0 || strings.Contains(got.Body, unknown) {
		t.Errorf("an unknown one: %d %s", got.Status, got.Body)
	}
	without := b.newBridge(t, func(*bridge.Config) {})
	if got := b.callOf(t, without, "GET", "/rest/seller", fields("token", token)); got.Status != 401 {
		t.Errorf("a session whose key is no longer in the file: %d", got.Status)
	}
}

// TestCreatesOfOldKeysAreKnownToTheService creates on the service with an imported key, and again through the bridge.
func TestCreatesOfOldKeysAreKnownToTheService(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	b.Clock.Advance(-60 * 24 * time.Hour)
	old := strings.Repeat("Ab3", 21) + "z"
	imported := b.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountOf(b) + "/legacy-keys", Body: map[string]any{"key": old}})
	if imported.Status != http.StatusCreated {
		t.Fatal(imported.Body)
	}
	keys, err := bridge.ReadKeys(strings.NewReader(old + " " + b.LiveKey))
	if err != nil {
		t.Fatal(err)
	}
	form := fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR")
	token := b.Session(t, old)
	b.Rest(t, "POST", "/rest/item?token="+token, form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	with := b.newBridge(t, func(c *bridge.Config) { c.Keys = keys })
	token = b.callOf(t, with, "POST", "/rest/seller", fields("apikey", old)).Text("body/token")
	again := b.callOf(t, with, "POST", "/rest/item?token="+token, form)
	b.Publish(t)
	if n := b.Count(t, "items", "1 = 1"); again.Status != 200 || n != 1 {
		t.Errorf("%d items, %s", n, again.Body)
	}
}

// TestHTTPAddressesAreSentWithHTTPS lists with addresses that /v1 refuses, before a service that takes them and one that does
// not.
func TestHTTPAddressesAreSentWithHTTPS(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	create := func(image string) servertest.RestAnswer {
		t.Helper()
		b.asked(false)
		return b.call(t, "POST", "/rest/item", fields("title", "Card", "id_category", servertest.Category, "personal_reference", "A-1", "fixed_price", "1", "currency", "EUR",
			"images[]", image), "X-Api-Key", b.Key)
	}
	first := create("http://www.example.com/a.png")
	if warning := first.Text("headers/warning"); first.Status != 200 || !strings.HasPrefix(warning, "narrowed images: ") || len(b.asked(false)) != 2 {
		t.Errorf("the first: %d %s", first.Status, first.Body)
	}
	if next := create("HTTP://www.example.com:80/b.png?x=http://y"); next.Status != 200 || len(b.asked(false)) != 1 {
		t.Errorf("the next: %d %s", next.Status, next.Body)
	}
	if n := b.Count(t, "submissions", `draft LIKE '%"https://www.example.com/b.png?x=http://y"%'`); n != 1 {
		t.Error("the address was not sent as https alone")
	}
	if port := create("http://www.example.com:8080/c.png"); port.Status != 422 || port.Text("body/errorCode") != "invalid_image_url" {
		t.Errorf("an address with a port: %d %s", port.Status, port.Body)
	}
	lines := b.lines(t)
	if diff := cmp.Diff([][]string{{"images"}, {"images"}, {}}, [][]string{lines[0].Lossy, lines[1].Lossy, lines[2].Lossy}); diff != "" {
		t.Errorf("recorded as lossy (-want +got):\n%s", diff)
	}
	free := newBridged(t, servertest.SQLite(t), withPrivateTargets)
	got := free.call(t, "POST", "/rest/notification/settings", fields("notificationType", "Curl_Default", "destination", "http://localhost:3000/in"), "X-Api-Key", free.Key)
	if n := free.Count(t, "webhooks", "url = 'http://localhost:3000/in'"); got.Status != 200 || n != 1 || got.Text("headers/warning") != "" {
		t.Errorf("a service that takes http: %d %s", got.Status, got.Body)
	}
}
