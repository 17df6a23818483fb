package legacy_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
)

// sampleOf is the path and the form of a call's first sample.
func sampleOf(call *translate.Call) (path, form string) {
	path = call.Pattern
	if len(call.Samples) > 0 {
		form = call.Samples[0].Form
		for name, value := range call.Samples[0].Path {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		}
	}
	return concrete(path), form
}

// withToken is a form with the token of a session.
func withToken(form, token string) string { return strings.TrimPrefix(form+"&token="+token, "&") }

// without is every permission but some, and but those to write what they read.
func without(some v1.Permissions) v1.Permissions {
	return v1.AllPermissions &^ some &^ (some & v1.ReadPermissions << 1)
}

func TestEveryCallRefusesASessionWithoutItsPermissions(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, v1.AllPermissions)
		token := w.Session(t, key)
		refused := 0
		for _, call := range translate.Calls {
			if call.TakesKey { // see TestALoginWorksWithEveryKey
				continue
			}
			t.Run(call.ID, func(t *testing.T) {
				path, form := sampleOf(call)
				needed := call.Target.Needs()
				for _, name := range needed.Names() {
					one, err := v1.ParsePermissions([]string{name})
					if err != nil {
						t.Fatal(err)
					}
					w.Permit(t, key, without(one))
					got := w.Rest(t, call.Method, path, withToken(form, token))
					if diff := cmp.Diff([]string{"permission_denied"}, got.Texts("body/errorCode")); diff != "" || got.Status != http.StatusForbidden {
						t.Errorf("without %s: %d %s", name, got.Status, got.Body)
					}
					if text := got.Text("body/errorMsg"); !strings.Contains(text, name) {
						t.Errorf("the refusal without %s says %q", name, text)
					}
					refused++
				}
				// Its permissions are enough: what it asks for may not be there, but nothing that it does is forbidden. A subscription
				// needs to read what its events carry besides.
				also := v1.Permissions(0)
				if call.ID == "notification-add" {
					also = v1.AllPermissions &^ (v1.ReadPermissions << 1)
				}
				w.Permit(t, key, needed|also)
				if got := w.Rest(t, call.Method, path, withToken(form, token)); slices.Contains(got.Texts("body/errorCode"), "permission_denied") || got.Status == http.StatusUnauthorized {
					t.Errorf("with %s: %d %s", needed|also, got.Status, got.Body)
				}
			})
		}
		if refused < len(translate.Calls)/2 {
			t.Errorf("%d refusals of %d calls", refused, len(translate.Calls))
		}
	})
}

func TestALoginWorksWithEveryKey(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for _, name := range v1.AllPermissions.Names() {
			one, err := v1.ParsePermissions([]string{name})
			if err != nil {
				t.Fatal(err)
			}
			key := w.LesserKey(t, one)
			if token := w.Session(t, key); token == "" {
				t.Errorf("a key with %s gets no session", name)
			}
			if _, err := w.Service.RevokeKey(t.Context(), keyID(key)); err != nil { // an account has at most ten keys
				t.Fatal(err)
			}
		}
	})
}

func TestAnImportedKeyPermitsEverything(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		key := strings.Repeat("0123456789abcdef", 4)
		made := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + strconv.FormatInt(w.Account, 10) + "/legacy-keys", Body: map[string]any{"key": key}})
		if made.Status != http.StatusCreated {
			t.Fatalf("%d %s", made.Status, made.Body)
		}
		if got := w.Rest(t, "GET", "/rest/item/fixedprice/opened", "token="+w.Session(t, key)); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}

func TestASessionThatOnlyReadsChangesNoRow(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 3}))
		if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/items/" + item + "/purchase"}); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		full := w.Session(t, w.Key)
		w.Rest(t, "POST", "/rest/notification/settings", "token="+full+"&notificationType=Curl_Seller_Item_Close_Sold&destination=https%3A%2F%2Fhooks.example.com%2F")
		token := w.Session(t, w.LesserKey(t, v1.ReadPermissions))
		before := w.Dump(t, nil, "api_keys.last_used_at")
		for _, call := range translate.Calls {
			if call.TakesKey {
				continue
			}
			path, form := sampleOf(call)
			got := w.Rest(t, call.Method, strings.ReplaceAll(path, "/1/", "/"+item+"/"), withToken(form, token))
			writes := call.Target.Needs()&^v1.ReadPermissions != 0
			if denied := got.Status == http.StatusForbidden; denied != writes {
				t.Errorf("%s: %d %s", call.ID, got.Status, got.Body)
			}
		}
		if diff := cmp.Diff(before, w.Dump(t, nil, "api_keys.last_used_at")); diff != "" {
			t.Errorf("the database (-before +after):\n%s", diff)
		}

		number := w.Rest(t, "GET", "/rest/notification/settings", "token="+token).Text("body/notification_settings/id_notification")
		if got := w.Rest(t, "DELETE", "/rest/notification/"+number, "token="+full); got.Status != http.StatusOK {
			t.Errorf("the setting is listed as %s, which does not name it: %d %s", number, got.Status, got.Body)
		}
	})
}

func TestASessionSubscribesOnlyToWhatItsKeyMayRead(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, v1.AllPermissions)
		token := w.Session(t, key)
		add := func() servertest.RestAnswer {
			return w.Rest(t, "POST", "/rest/notification/settings", "token="+token+"&notificationType=Curl_Seller_Item_Close_Sold&destination=https%3A%2F%2Fhooks.example.com%2F")
		}
		writes, err := v1.ParsePermissions([]string{"webhooks:write", "items:read"})
		if err != nil {
			t.Fatal(err)
		}
		w.Permit(t, key, writes)
		if got := add(); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "sales:read") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		w.Permit(t, key, writes|v1.ReadPermissions)
		if got := add(); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "buyers:read") {
			t.Errorf("without buyers: %d %s", got.Status, got.Body)
		}
		w.Permit(t, key, v1.AllPermissions)
		if got := add(); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}

// TestASessionWithoutBuyersGetsEmptyElements asks for a sale and its buyer with two keys. The nickname, the language and the rating stay.
func TestASessionWithoutBuyersGetsEmptyElements(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		buyer := map[string]any{
			"nickname": "carl", "email": "carl@example.org", "first_name": "Carl", "last_name": "Claes", "phone": "+32 2 555 01 23", "language": "nl", "country": "BE",
			"address": map[string]any{"name": "Carl Claes", "line1": "Kade 1", "postal_code": "1000", "city": "Brussel", "state": "Brabant", "country": "BE"},
		}
		item := w.List(t, servertest.FixedPrice())
		if got := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"buyer": buyer}}); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		buyers, err := v1.ParsePermissions([]string{"buyers:read"})
		if err != nil {
			t.Fatal(err)
		}
		full, lesser := w.Session(t, w.Key), w.Session(t, w.LesserKey(t, v1.AllPermissions&^buyers))
		about := func(element *servertest.Element) map[string]string {
			found := map[string]string{}
			for _, child := range element.Children() {
				if strings.HasPrefix(child[0], "buyer_") && child[0] != "buyer_id" {
					found[child[0]] = child[1]
				}
			}
			return found
		}
		whole := map[string]string{
			"buyer_nickname": "carl", "buyer_email": "carl@example.org", "buyer_language": "Dutch", "buyer_firstname": "Carl", "buyer_surname": "Claes",
			"buyer_address": "Kade 1", "buyer_zipcode": "1000", "buyer_city": "Brussel", "buyer_state": "Brabant", "buyer_country": "BE",
			"buyer_phone": "+32 2 555 01 23", "buyer_rating_nbr": "0", "buyer_rating_percentage": "",
		}
		seen := map[string]string{
			"buyer_nickname": "carl", "buyer_email": "", "buyer_language": "Dutch", "buyer_firstname": "", "buyer_surname": "",
			"buyer_address": "", "buyer_zipcode": "", "buyer_city": "", "buyer_state": "", "buyer_country": "",
			"buyer_phone": "", "buyer_rating_nbr": "0", "buyer_rating_percentage": "",
		}
		for path, element := range map[string]string{"/rest/item/fixedprice/sold": "item", "/rest/item/" + item + "/buyer": "buyer"} {
			for token, want := range map[string]map[string]string{full: whole, lesser: seen} {
				got := w.Rest(t, "GET", path, "token="+token)
				found := got.Elements("Notification_Data/body/" + element)
				if len(found) != 1 {
					t.Fatalf("%s: %d %s", path, got.Status, got.Body)
				}
				if element == "buyer" {
					want = maps.Clone(want)
					want["buyer_spoken_languages"] = "Dutch"
				}
				if diff := cmp.Diff(want, about(found[0])); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		}
	})
}
