package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// This file is about what the operator sets on a seller's account: name, address, type and rating.

func TestTheOperatorTellsWhoASellerIs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w)
		read := func() servertest.Response { return w.Do(t, servertest.Request{Path: "/v1/account"}) }
		before := read()
		want := servertest.Into[object](t, before)
		delete(want, "key")
		for _, step := range []struct {
			name  string
			patch object
			want  object // what is new of the account
		}{
			{
				"everything at once",
				object{
					"nickname": "anna.b", "email": "anna.b@example.org", "type": "professional", "language": "fr", "currency": "CHF", "time_zone": "Europe/Zurich",
					"rating": object{"count": 12, "percentage": 98.75},
				},
				object{
					"nickname": "anna.b", "email": "anna.b@example.org", "type": "professional", "language": "fr", "currency": "CHF", "time_zone": "Europe/Zurich",
					"rating": object{"count": 12.0, "percentage": 98.75},
				},
			},
			{"one thing leaves the others alone", object{"email": "anna@example.org"}, object{"email": "anna@example.org"}},
			{"one rating more", object{"rating": object{"count": 13}}, object{"rating": object{"count": 13.0, "percentage": 98.75}}},
			{"the same nickname", object{"nickname": "anna.b"}, object{}},
			{"no ratings any more", object{"rating": nil}, object{"rating": object{"count": 0.0, "percentage": nil}}},
			{"no ratings, said member by member", object{"rating": object{"count": 0, "percentage": nil}}, object{}},
			{"the first rating", object{"rating": object{"count": 1, "percentage": 0}}, object{"rating": object{"count": 1.0, "percentage": 0.0}}},
		} {
			t.Run(step.name, func(t *testing.T) {
				changed := patchAccount(t, w, path, step.patch)
				got := servertest.Into[object](t, read())
				delete(got, "key")
				for member, value := range step.want {
					want[member] = value
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("GET /v1/account (-want +got):\n%s", diff)
				}
				for _, own := range []string{"limits", "closed_at", "erase_at"} { // which sellers do not see
					delete(changed, own)
				}
				changed["mode"], changed["sandbox"] = want["mode"], want["sandbox"] // the operator sees the account beside any mode
				if diff := cmp.Diff(want, changed); diff != "" {
					t.Errorf("the operator's answer (-want +got):\n%s", diff)
				}
			})
		}
		if after := read(); after.Header.Get("ETag") == before.Header.Get("ETag") {
			t.Error("the account has the tag it had before")
		}
	})
}

func TestWhatIsToldOfASellerIsChecked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Seller(t, "bruno")
		path := "/operator/accounts/" + accountID(w)
		before := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account"}))
		for _, test := range []struct {
			name  string
			patch any
			codes []string
		}{
			{
				"nothing can be cleared but the rating",
				object{"nickname": nil, "email": nil, "type": nil, "language": nil, "currency": nil, "time_zone": nil, "rating": object{"count": nil}},
				[]string{
					"missing_field nickname", "missing_field email", "missing_field type", "missing_field language", "missing_field currency",
					"missing_field time_zone", "missing_field rating.count",
				},
			},
			{
				"everything wrong",
				object{
					"nickname": "a b c", "email": "nowhere", "type": "public", "language": "pt", "currency": "JPY", "time_zone": "Local",
					"rating": object{"count": -1, "percentage": 100.5, "mean": 5},
				},
				[]string{
					"invalid_value nickname", "invalid_value email", "invalid_value type", "invalid_value language", "unsupported_currency currency",
					"invalid_value time_zone", "out_of_range rating.count", "out_of_range rating.percentage", "unknown_field rating.mean",
				},
			},
			{
				"everything of a wrong type",
				object{
					"nickname": 1, "email": 2, "type": 3, "language": true, "currency": object{}, "time_zone": []any{},
					"rating": object{"count": 1.5, "percentage": "98"},
				},
				[]string{
					"invalid_type nickname", "invalid_type email", "invalid_type type", "invalid_type language", "invalid_type currency",
					"invalid_type time_zone", "invalid_type rating.count", "invalid_type rating.percentage",
				},
			},
			{"a nickname too short", object{"nickname": "ab"}, []string{"too_short nickname"}},
			{"a nickname too long", object{"nickname": strings.Repeat("a", 41)}, []string{"too_long nickname"}},
			{"a nickname that is taken", object{"nickname": "bruno"}, []string{"invalid_value nickname"}},
			{"a nickname that is taken in small letters", object{"nickname": "BRUNO"}, []string{"invalid_value nickname"}},
			{"an empty time zone", object{"time_zone": ""}, []string{"invalid_value time_zone"}},
			{"ratings without their mean", object{"rating": object{"count": 5}}, []string{"missing_field rating.percentage"}},
			{"a mean without ratings", object{"rating": object{"percentage": 98}}, []string{"conflicting_fields rating.percentage"}},
			{"a mean with three decimals", object{"rating": object{"count": 3, "percentage": 66.667}}, []string{"invalid_value rating.percentage"}},
			{"a rating that names nothing", object{"rating": object{}}, []string{"empty_patch"}},
		} {
			t.Run(test.name+" is refused", func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Method: http.MethodPatch, Path: path, Body: test.patch})
				if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != 422 {
					t.Errorf("%d, codes (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		if diff := cmp.Diff(before, servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account"}))); diff != "" {
			t.Errorf("the account after the refusals (-want +got):\n%s", diff)
		}
	})
}

func TestANewTimeZoneDecidesWhenItemsEnd(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		evening := object{"preferred_end_time": "20:30"}
		ends := func() string { return readItem(t, w, w.List(t, servertest.Auction(evening))).EndsAt.Format("15:04") }
		if got := ends(); got != "19:30" {
			t.Fatalf("in Brussels an item ends at %s UTC", got)
		}
		patchAccount(t, w, "/operator/accounts/"+accountID(w), object{"time_zone": "America/New_York"})
		if got := ends(); got != "01:30" {
			t.Errorf("in New York an item ends at %s UTC", got)
		}
	})
}
