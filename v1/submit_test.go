package v1_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// object is a JSON object that a test writes down.
type object = map[string]any

func money(amount, currency string) object { return object{"amount": amount, "currency": currency} }

func TestAnItemIsSubmittedPublishedAndRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		submitted := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"personal_reference": "A-1"})})
		if submitted.Status != http.StatusAccepted {
			t.Fatalf("submit: %d %s", submitted.Status, submitted.Body)
		}
		pending := servertest.Into[object](t, submitted)
		id, _ := pending["id"].(string)
		want := object{
			"id": id, "status": "pending", "batch_id": nil, "index": nil, "personal_reference": "A-1", "item_id": nil, "item_url": nil,
			"errors": []any{}, "warnings": []any{},
			"created_at": "2026-11-21T12:00:00Z", "publish_deadline": "2026-11-21T12:15:00Z", "completed_at": nil,
		}
		delete(pending, "created_at") // the owner's own clock runs microseconds ahead
		delete(want, "created_at")
		if diff := cmp.Diff(want, pending); diff != "" {
			t.Errorf("pending submission (-want +got):\n%s", diff)
		}
		if want, got := "/v1/item-submissions/"+id, submitted.Header.Get("Location"); want != got || !strings.HasPrefix(id, "sub_") {
			t.Errorf("id %q, Location %q", id, got)
		}

		w.Publish(t)
		done := servertest.Into[object](t, w.Do(t, servertest.Request{Path: submitted.Header.Get("Location")}))
		item := servertest.Into[object](t, w.Do(t, servertest.Request{Path: fmt.Sprintf("/v1/items/%s", done["item_id"])}))
		got := []any{done["status"], item["submission_id"], item["status"], item["mode"], item["quantity"], item["duration_days"], item["site"], item["price"]}
		if diff := cmp.Diff([]any{"published", id, "open", "test", 1.0, 28.0, "net", object{"amount": "45.00", "currency": "EUR"}}, got); diff != "" {
			t.Errorf("published item (-want +got):\n%s", diff)
		}
	})
}

func TestValidateOnlyCreatesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		before := footprint(t, w)
		good := w.Do(t, servertest.Request{
			Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(object{"personal_reference": "A-1"}),
			Header: map[string]string{"Idempotency-Key": "check"},
		})
		got := servertest.Into[object](t, good)
		if good.Status != http.StatusOK || got["status"] != "valid" || got["id"] != nil || got["personal_reference"] != "A-1" || good.Header.Get("Location") != "" {
			t.Errorf("a right item: %d %s", good.Status, good.Body)
		}
		bad := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(object{"title": nil})})
		if diff := cmp.Diff([]string{"missing_field title"}, bad.Codes()); diff != "" {
			t.Errorf("a wrong item (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
			t.Errorf("something was created (-before +after):\n%s", diff)
		}
		// The key is still free for the request that means it.
		real := w.Do(t, servertest.Request{
			Path: "/v1/items", Body: servertest.FixedPrice(object{"personal_reference": "A-1"}),
			Header: map[string]string{"Idempotency-Key": "check"},
		})
		if real.Status != http.StatusAccepted {
			t.Errorf("the real submission: %d %s", real.Status, real.Body)
		}
		again := w.Do(t, servertest.Request{
			Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(object{"personal_reference": "A-1"}),
			Header: map[string]string{"Idempotency-Key": "check"},
		})
		if diff := cmp.Diff([]string{"idempotency_key_reused Idempotency-Key"}, again.Codes()); diff != "" {
			t.Errorf("checking under the key of a submission (-want +got):\n%s", diff)
		}
	})
}

// footprint counts what a submission leaves behind.
func footprint(t *testing.T, w *servertest.World) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range []string{"submissions", "batches", "idempotency_keys", "events", "items"} {
		counts[table] = w.Count(t, table, "1 = 1")
	}
	counts["owners with units"] = w.Count(t, "owners", "open_count <> 0 OR day_count <> 0")
	return counts
}

// repeated is n images under distinct names.
func repeated(n int) []any {
	images := make([]any, n)
	for i := range images {
		images[i] = fmt.Sprintf("https://images.example.com/%d.jpg", i)
	}
	return images
}

func TestEveryRuleOfAnItemHasItsCode(t *testing.T) {
	past, soon := "2026-11-21T11:59:59Z", "2026-12-01T00:00:00Z"
	fixed, auction := servertest.FixedPrice, servertest.Auction
	tests := []struct {
		name string
		item map[string]any
		want []string
	}{
		{"an empty object lacks its required fields", object{}, []string{"missing_field sale_type", "missing_field title", "missing_field category_id"}},
		{"a fixed price item needs a price", fixed(object{"price": nil}), []string{"missing_field price"}},
		{"an auction needs a starting price", auction(object{"starting_price": nil}), []string{"missing_field starting_price"}},
		{"a price needs both members", fixed(object{"price": object{}}), []string{"missing_field price.amount", "missing_field price.currency"}},
		{"an unknown sale type is refused", fixed(object{"sale_type": "swap"}), []string{"invalid_value sale_type"}},

		{"a title may not be empty", fixed(object{"title": ""}), []string{"too_short title"}},
		{"a title may not be blank", fixed(object{"title": " \u00a0 "}), []string{"too_short title"}},
		{"a title of 120 characters is accepted", fixed(object{"title": strings.Repeat("é", 120)}), nil},
		{"a title of 121 characters is too long", fixed(object{"title": strings.Repeat("é", 121)}), []string{"too_long title"}},
		{"a title is plain text", fixed(object{"title": "<b>Ceres</b>"}), []string{"html_not_allowed title"}},
		{"a title may compare", fixed(object{"title": "Perf < 13 & > 11"}), nil},
		{"a title is one line", fixed(object{"title": "one\ntwo"}), []string{"invalid_value title"}},
		{"a subtitle needs its option", fixed(object{"subtitle": "mint"}), []string{"missing_field options.subtitle"}},
		{"a subtitle with its option is accepted", fixed(object{"subtitle": "mint", "options": object{"subtitle": true}}), nil},
		{"a subtitle of 121 characters is too long", fixed(object{"subtitle": strings.Repeat("x", 121), "options": object{"subtitle": true}}), []string{"too_long subtitle"}},
		{"a subtitle is plain text", fixed(object{"subtitle": "<i>", "options": object{"subtitle": true}}), []string{"html_not_allowed subtitle"}},
		{"a description of 10,000 characters is accepted", fixed(object{"description": strings.Repeat("é", 10_000)}), nil},
		{"a description of 10,001 characters is too long", fixed(object{"description": strings.Repeat("é", 10_001)}), []string{"too_long description"}},
		{"a reference of 65 characters is too long", fixed(object{"personal_reference": strings.Repeat("x", 65)}), []string{"too_long personal_reference"}},
		{"a reference may not be empty", fixed(object{"personal_reference": ""}), []string{"too_short personal_reference"}},

		{"an unknown category is refused", fixed(object{"category_id": "999999999"}), []string{"unknown_category category_id"}},
		{"category 0 is unknown and not missing", fixed(object{"category_id": "0"}), []string{"unknown_category category_id"}},
		{"a grouping category is not selectable", fixed(object{"category_id": "-1"}), []string{"category_not_selectable category_id"}},
		{"an id is a decimal number", fixed(object{"category_id": "0x10"}), []string{"invalid_value category_id"}},
		{"an id has no leading zeros", fixed(object{"category_id": "01010101"}), []string{"invalid_value category_id"}},
		{"an id as a number is the wrong type", fixed(object{"category_id": 1010101}), []string{"invalid_type category_id"}},

		{"an amount as a number is the wrong type", fixed(object{"price": object{"amount": 45.0, "currency": "EUR"}}), []string{"invalid_type price.amount"}},
		{"an amount has at most two decimals", fixed(object{"price": money("1.999", "EUR")}), []string{"invalid_value price.amount"}},
		{"an amount has no exponent", fixed(object{"price": money("1e3", "EUR")}), []string{"invalid_value price.amount"}},
		{"an amount has no sign", fixed(object{"price": money("-1.00", "EUR")}), []string{"invalid_value price.amount"}},
		{"an amount is positive", fixed(object{"price": money("0.00", "EUR")}), []string{"out_of_range price.amount"}},
		{"the smallest amount is accepted", fixed(object{"price": money("0.01", "EUR")}), nil},
		{"the largest amount is accepted", fixed(object{"price": money("999999.99", "EUR")}), nil},
		{"an amount has a limit", fixed(object{"price": money("1000000", "EUR")}), []string{"out_of_range price.amount"}},
		{"a currency must be traded in", fixed(object{"price": money("1.00", "JPY")}), []string{"unsupported_currency price.currency"}},
		{
			"an item has one currency", auction(object{"reserve_price": money("20", "USD"), "bid_increment": money("1", "GBP")}),
			[]string{"currency_mismatch bid_increment.currency", "currency_mismatch reserve_price.currency"},
		},
		{"a reserve lies above the start", auction(object{"reserve_price": money("9.98", "EUR")}), []string{"out_of_range reserve_price"}},

		{"an auction has no price", auction(object{"price": money("1", "EUR")}), []string{"conflicting_fields price"}},
		{"an auction sells one piece", auction(object{"quantity": 2}), []string{"conflicting_fields quantity"}},
		{
			"a fixed price item takes no bids", fixed(object{"starting_price": money("1", "EUR"), "bid_increment": money("1", "EUR"), "reserve_price": money("1", "EUR")}),
			[]string{"conflicting_fields starting_price", "conflicting_fields bid_increment", "conflicting_fields reserve_price"},
		},
		{"a quantity is positive", fixed(object{"quantity": 0}), []string{"out_of_range quantity"}},
		{"a quantity has a limit", fixed(object{"quantity": 50_001}), []string{"out_of_range quantity"}},
		{"a quantity as a string is the wrong type", fixed(object{"quantity": "1"}), []string{"invalid_type quantity"}},
		{"a quantity is whole", fixed(object{"quantity": 1.5}), []string{"invalid_type quantity"}},
		{"a huge quantity is out of range", fixed(object{"quantity": 1e18}), []string{"out_of_range quantity"}},

		{"a duration is one of a few", fixed(object{"duration_days": 8}), []string{"invalid_value duration_days"}},
		{"a duration excludes an end", fixed(object{"duration_days": 7, "ends_at": soon}), []string{"conflicting_fields duration_days"}},
		{"a start lies ahead", fixed(object{"starts_at": past}), []string{"date_in_past starts_at"}},
		{"a start lies at most 60 days ahead", fixed(object{"starts_at": "2027-01-20T12:00:01Z"}), []string{"out_of_range starts_at"}},
		{"a start in 2^64 ns and 10 days is too far ahead", fixed(object{"starts_at": "2611-06-30T12:00:00Z"}), []string{"out_of_range starts_at"}},
		{"the last start is too far ahead, and not past", fixed(object{"starts_at": "9999-12-31T00:00:00Z"}), []string{"out_of_range starts_at"}},
		{"a start in 60 days is accepted", fixed(object{"starts_at": "2027-01-20T13:00:00+01:00"}), nil},
		{"an end lies ahead", fixed(object{"ends_at": past}), []string{"date_in_past ends_at"}},
		{"an end comes after the start", fixed(object{"starts_at": soon, "ends_at": soon}), []string{"out_of_range ends_at"}},
		{"an end lies at most 90 days after the start", fixed(object{"ends_at": "2027-02-19T12:00:01Z"}), []string{"out_of_range ends_at"}},
		{"an end lies at most 90 days after the start, far away", fixed(object{"ends_at": "2400-06-01T00:00:00Z"}), []string{"out_of_range ends_at"}},
		{"the last end is too far away", fixed(object{"ends_at": "9999-12-31T00:00:00Z"}), []string{"out_of_range ends_at"}},
		{"a date needs an offset", fixed(object{"ends_at": "2026-12-01T00:00:00"}), []string{"invalid_value ends_at"}},
		{"a date exists", fixed(object{"ends_at": "2027-02-29T00:00:00Z"}), []string{"invalid_value ends_at"}},
		{"a date is spelt in full", fixed(object{"ends_at": "2026-12-01T4:30:00Z"}), []string{"invalid_value ends_at"}},
		{"a date as a number is the wrong type", fixed(object{"ends_at": 1795867200}), []string{"invalid_type ends_at"}},
		{"an end day is a weekday", fixed(object{"preferred_end_day": "someday"}), []string{"invalid_value preferred_end_day"}},
		{"an end time is a time of day", fixed(object{"preferred_end_time": "24:00"}), []string{"invalid_value preferred_end_time"}},
		{"renewals are some of a few", fixed(object{"renewals": 6}), []string{"invalid_value renewals"}},

		{"an unknown shipping model is refused", fixed(object{"shipping_model_id": "1"}), []string{"unknown_shipping_model shipping_model_id"}},
		{"a weight is positive", fixed(object{"weight_grams": 0}), []string{"out_of_range weight_grams"}},
		{"99 images are accepted", fixed(object{"images": repeated(99)}), nil},
		{"100 images are too many", fixed(object{"images": repeated(100)}), []string{"too_many_images images"}},
		{
			"an image's address is https", fixed(object{"images": []any{"https://images.example.com/1.jpg", "ftp://images.example.com/2.jpg"}}),
			[]string{"invalid_image_url images[1].url"},
		},
		{"an image may be an object", fixed(object{"images": []any{object{"url": "javascript:alert(1)"}}}), []string{"invalid_image_url images[0].url"}},
		{"an image needs an address", fixed(object{"images": []any{object{}}}), []string{"invalid_image_url images[0].url"}},
		{"an image is no number", fixed(object{"images": []any{5, nil}}), []string{"invalid_type images[0]", "invalid_type images[1]"}},
		{"images are a list", fixed(object{"images": "https://images.example.com/1.jpg"}), []string{"invalid_type images"}},

		{"options are switches", fixed(object{"options": object{"highlight": "yes"}}), []string{"invalid_type options.highlight"}},
		{"an unknown option is refused", fixed(object{"options": object{"glitter": true}}), []string{"unknown_field options.glitter"}},
		{"a site is one of the sites", fixed(object{"site": "pl"}), []string{"invalid_value site"}},
		{"computed fields cannot be set", fixed(object{"id": "5", "status": "open"}), []string{"unknown_field id", "unknown_field status"}},
		{"a field's name is exact", fixed(object{"Title": "x"}), []string{"unknown_field Title"}},
		{"null means absent", fixed(object{"subtitle": any(nil), "quantity": any(nil)}), nil},
		{"text holds no NUL", fixed(object{"title": "a\x00b"}), []string{"invalid_value title"}},
		{"all problems are reported at once", object{
			"sale_type": "auction", "title": 5, "category_id": "-1", "colour": "red", "price": object{"amount": "x", "currency": "EUR", "vat": 1},
			"renewals": 7, "images": []any{"http://"},
		}, []string{
			"category_not_selectable category_id", "conflicting_fields price", "invalid_image_url images[0].url", "invalid_type title",
			"invalid_value price.amount", "invalid_value renewals", "missing_field starting_price", "unknown_field colour", "unknown_field price.vat",
		}},
	}
	w := servertest.New(t, servertest.SQLite(t))
	before := footprint(t, w)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: test.item})
			if test.want == nil {
				if got.Status != http.StatusOK {
					t.Errorf("expected 200, got %d %s", got.Status, got.Body)
				}
				return
			}
			if got.Status != http.StatusUnprocessableEntity {
				t.Errorf("expected 422, got %d %s", got.Status, got.Body)
			}
			if diff := cmp.Diff(test.want, got.Codes(), sortStrings); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
		t.Errorf("something was created (-before +after):\n%s", diff)
	}
}

func TestAWeighedShippingModelNeedsTheWeight(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		models := servertest.Into[struct {
			Results []struct {
				ID   string `json:"id"`
				Type string `json:"type"`
			} `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/shipping-models"}))
		for _, model := range models.Results {
			want := []string{}
			if model.Type == "weight" {
				want = []string{"weight_required weight_grams"}
			}
			got := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice(object{"shipping_model_id": model.ID})})
			if diff := cmp.Diff(want, got.Codes()); diff != "" {
				t.Errorf("a model of type %s (-want +got):\n%s", model.Type, diff)
			}
			weighed := servertest.FixedPrice(object{"shipping_model_id": model.ID, "weight_grams": 20})
			if got := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: weighed}); got.Status != http.StatusOK {
				t.Errorf("a model of type %s with a weight: %s", model.Type, got.Body)
			}
			if got := w.Do(t, servertest.Request{
				Path: "/v1/items?validate_only=true", Key: w.LiveKey,
				Body: weighed,
			}); got.Codes()[0] != "unknown_shipping_model shipping_model_id" {
				t.Errorf("the other mode's model: %s", got.Body)
			}
		}
	})
}

func TestDescriptionsKeepTheirTextAndLoseWhatCouldRun(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	id := w.List(t, servertest.FixedPrice(object{"description": `<p onclick="steal()">Mint <b>never</b> hinged</p><script>steal()</script><a href="javascript:steal()">x</a>`}))
	item := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id}))
	if diff := cmp.Diff("<p>Mint <b>never</b> hinged</p>x", item["description"]); diff != "" {
		t.Errorf("description (-want +got):\n%s", diff)
	}
}

func TestSubmissionsOfOthersLookLikeMissingOnes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, otherKey, _ := w.Seller(t, "bert")
		submission := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()}).Header.Get("Location")
		batch := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{servertest.FixedPrice()}}}).Header.Get("Location")
		item := "/v1/items/" + w.List(t, servertest.FixedPrice())

		for _, test := range []struct{ path, absent, code string }{
			{submission, "/v1/item-submissions/sub_zzzzzzz", "submission_not_found"},
			{batch, "/v1/item-batches/bat_zzzzzzz", "batch_not_found"},
			{item, "/v1/items/987654321", "item_not_found"},
		} {
			if own := w.Do(t, servertest.Request{Path: test.path}); own.Status != http.StatusOK {
				t.Errorf("the owner reads %s: %d", test.path, own.Status)
			}
			missing := w.Do(t, servertest.Request{Path: test.absent})
			if diff := cmp.Diff([]string{test.code}, missing.Codes()); diff != "" || missing.Status != http.StatusNotFound {
				t.Errorf("%s: %d (-want +got):\n%s", test.absent, missing.Status, diff)
			}
			for caller, key := range map[string]string{"another seller": otherKey, "the other mode": w.LiveKey} {
				got := w.Do(t, servertest.Request{Path: test.path, Key: key})
				if diff := cmp.Diff(missing.Body, got.Body); diff != "" {
					t.Errorf("%s reads %s (-missing +got):\n%s", caller, test.path, diff)
				}
			}
			if garbage := w.Do(t, servertest.Request{Path: test.absent + "%00'--"}); garbage.Body != missing.Body {
				t.Errorf("a garbled id: %s", garbage.Body)
			}
		}
	})
}

func TestTheClockSetsThePublishDeadline(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Advance(90 * time.Minute)
		got := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()}))
		if diff := cmp.Diff("2026-11-21T13:45:00Z", got["publish_deadline"]); diff != "" {
			t.Errorf("deadline (-want +got):\n%s", diff)
		}
	})
}
