package v1_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestPathsAndMethods(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := "/v1/items/" + w.List(t, servertest.FixedPrice())
	tests := []struct {
		name, method, path string
		status             int
		codes              []string
		allow              string
	}{
		{"an unknown path is not found", "GET", "/v1/nothing", 404, []string{"route_not_found"}, ""},
		{"a trailing slash is not found", "GET", "/v1/items/", 404, []string{"route_not_found"}, ""},
		{"a doubled slash is not found", "GET", "//v1/items", 404, []string{"route_not_found"}, ""},
		{"a doubled slash inside is not found", "POST", "/v1//items", 404, []string{"route_not_found"}, ""},
		{"a path that climbs is not found", "GET", "/v1/account/../items", 404, []string{"route_not_found"}, ""},
		{"another case is not found", "GET", "/v1/Items", 404, []string{"route_not_found"}, ""},
		{"a wrong method is answered with the right ones", "DELETE", "/v1/items", 405, []string{"method_not_allowed"}, "GET, HEAD, OPTIONS, POST"},
		{"an item takes no POST", "POST", item, 405, []string{"method_not_allowed"}, "GET, HEAD, OPTIONS, PATCH"},
		{"an action takes no GET", "GET", item + "/close", 405, []string{"method_not_allowed"}, "OPTIONS, POST"},
		{"an action takes no HEAD", "HEAD", item + "/close", 405, nil, "OPTIONS, POST"},
		{"an unknown method is wrong as well", "BREW", "/v1/items", 405, []string{"method_not_allowed"}, "GET, HEAD, OPTIONS, POST"},
		{"an unknown method is wrong beside an escaped slash", "BREW", "/v1/items/1%2F2", 405, []string{"method_not_allowed"}, "GET, HEAD, OPTIONS, PATCH"},
		{"an unknown method does not make a path", "BREW", "/v1/nothing", 404, []string{"route_not_found"}, ""},
		{"OPTIONS says what is allowed", "OPTIONS", "/v1/items", 200, nil, "GET, HEAD, OPTIONS, POST"},
		{"OPTIONS of nothing is not found", "OPTIONS", "/v1/nothing", 404, []string{"route_not_found"}, ""},
		{"an id that is none is a missing item", "GET", "/v1/items/abc", 404, []string{"item_not_found"}, ""},
		{"an id beyond all numbers is a missing item", "GET", "/v1/items/9223372036854775808", 404, []string{"item_not_found"}, ""},
		{"a submission's id has its prefix", "GET", "/v1/item-submissions/1000001", 404, []string{"submission_not_found"}, ""},
		{"an unknown query parameter is refused", "GET", item + "?verbose=1", 422, []string{"unknown_parameter verbose"}, ""},
		{"a query that is not well-formed is refused", "GET", "/v1/items?status=%zz", 422, []string{"invalid_parameter"}, ""},
		{"all parameters are checked at once", "GET", "/v1/items?limit=0&status=lost&colour=red&has_bids=1&sort=&id=x&created_from=today&q=%00", 422, []string{
			"unknown_parameter colour", "invalid_parameter created_from", "invalid_parameter has_bids", "invalid_parameter id", "invalid_parameter q",
			"invalid_parameter sort", "invalid_parameter limit", "invalid_parameter status",
		}, ""},
		{"a single parameter is given once", "GET", "/v1/items?limit=5&limit=6", 422, []string{"invalid_parameter limit"}, ""},
		{"a page has a largest size", "GET", "/v1/items?limit=201", 422, []string{"invalid_parameter limit"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := w.Do(t, servertest.Request{Method: test.method, Path: test.path})
			if got.Status != test.status || got.Header.Get("Allow") != test.allow {
				t.Errorf("%d, Allow %q instead of %d, %q: %s", got.Status, got.Header.Get("Allow"), test.status, test.allow, got.Body)
			}
			if test.codes != nil {
				if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
			}
			for _, e := range got.Errors {
				if want := w.Config.BaseURL + "/errors/" + e.Code; e.DocsURL != want || e.Message == "" {
					t.Errorf("%s is documented at %q: %q", e.Code, e.DocsURL, e.Message)
				}
			}
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Request-Id") == "" {
				t.Errorf("headers: %v", got.Header)
			}
		})
	}
}

func TestHEADIsGETWithoutItsBody(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := "/v1/items/" + w.List(t, servertest.FixedPrice())
	for _, path := range []string{"/v1/items", item, "/v1/account/limits", "/v1/categories", "/v1/items/5"} {
		read := w.Do(t, servertest.Request{Path: path})
		head := w.Do(t, servertest.Request{Method: http.MethodHead, Path: path})
		for _, header := range []http.Header{read.Header, head.Header} {
			header.Del("X-Request-Id")
		}
		if diff := cmp.Diff(read.Header, head.Header); diff != "" || read.Status != head.Status {
			t.Errorf("%s: %d and %d (-GET +HEAD):\n%s", path, read.Status, head.Status, diff)
		}
	}
}

func TestBodiesAreReadStrictly(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := "/v1/items/" + w.List(t, servertest.FixedPrice())
	good := string(mustJSON(t, servertest.FixedPrice()))
	tests := []struct {
		name, path, body string
		status           int
		codes            []string
	}{
		{"no body is malformed", "/v1/items", "", 400, []string{"malformed_json"}},
		{"a blank body is malformed", "/v1/items", " \n\t ", 400, []string{"malformed_json"}},
		{"a body cut short is malformed", "/v1/items", good[:len(good)-1], 400, []string{"malformed_json"}},
		{"two values are malformed", "/v1/items", good + good, 400, []string{"malformed_json"}},
		{"trailing text is malformed", "/v1/items", good + "x", 400, []string{"malformed_json"}},
		{"a byte order mark is malformed", "/v1/items", "\ufeff" + good, 400, []string{"malformed_json"}},
		{"a duplicate member is malformed", "/v1/items", `{"title":"a","title":"b"}`, 400, []string{"malformed_json"}},
		{"a duplicate of an unknown member is malformed", "/v1/items", `{"x":{"y":1,"y":2}}`, 400, []string{"malformed_json"}},
		{"an escaped duplicate is malformed", "/v1/items", `{"title":"a","\u0074itle":"b"}`, 400, []string{"malformed_json"}},
		{"bytes that are not UTF-8 are malformed", "/v1/items", "{\"title\":\"\xff\"}", 400, []string{"malformed_json"}},
		{"a lone surrogate is malformed", "/v1/items", `{"title":"\ud800"}`, 400, []string{"malformed_json"}},
		{"a comment is malformed", "/v1/items", `{/* x */}`, 400, []string{"malformed_json"}},
		{"a single quote is malformed", "/v1/items", `{'title':1}`, 400, []string{"malformed_json"}},
		{"NaN is malformed", "/v1/items", `{"quantity":NaN}`, 400, []string{"malformed_json"}},
		{"33 levels are malformed", "/v1/items", `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, 400, []string{"malformed_json"}},
		{
			"32 levels are not", "/v1/items?validate_only=true", `{"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`, 422,
			[]string{"unknown_field x", "missing_field sale_type", "missing_field title", "missing_field category_id"},
		},
		{"null is no item", "/v1/items", "null", 422, []string{"invalid_type"}},
		{"a list is no item", "/v1/items", "[]", 422, []string{"invalid_type"}},
		{"a string is no item", "/v1/items", `"title"`, 422, []string{"invalid_type"}},
		{
			"an unknown member with NUL is shown without it", "/v1/items?validate_only=true", `{"a\u0000b":1}`, 422,
			[]string{"unknown_field a\ufffdb", "missing_field sale_type", "missing_field title", "missing_field category_id"},
		},
		{"an action may go without a body", item + "/close", "", 200, nil},
		{"an action refuses members it does not know", item + "/close", `{"why":"test"}`, 422, []string{"unknown_field why"}},
		{"an action's body is an object", item + "/close", `null`, 422, []string{"invalid_type"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := w.Do(t, servertest.Request{Path: test.path, Body: test.body})
			if got.Status != test.status {
				t.Errorf("%d instead of %d: %s", got.Status, test.status, got.Body)
			}
			if test.codes != nil {
				if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// mostMemory bounds what one hostile body of at most 2 MiB may allocate in all, in bytes. It stands for the time, which
// follows from it and, unlike it, depends on what else the machine does. Room for 700,000 items would take several times that.
const mostMemory = 128 << 20

func TestHostileBodiesAreCheap(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,"m` + strings.Repeat("x", i%7) + string(mustJSON(t, i)) + `":0`)
		}
		return "{" + b.String()[1:] + "}"
	}
	const batchLimit = 2 << 20
	tests := []struct {
		name, path, body string
		status           int
		first            string
	}{
		{"10,000 levels", "/v1/items", strings.Repeat("[", 10_000), 400, "malformed_json"},
		{"2 MiB of brackets for an item", "/v1/items", strings.Repeat("[", batchLimit), 400, "malformed_json"},
		{"more than 2 MiB for an item", "/v1/items", strings.Repeat("[", batchLimit+1), 413, "payload_too_large"},
		{"2 MiB of brackets for a batch", "/v1/item-batches", strings.Repeat("[", batchLimit), 400, "malformed_json"},
		{"5,000 members", "/v1/items", members(5_000), 422, "unknown_field m0"},
		{"100,000 members", "/v1/item-batches", members(100_000), 422, "unknown_field m0"},
		{"700,000 items", "/v1/item-batches", `{"items":[` + strings.Repeat("{},", batchLimit/3-10) + `{}]}`, 422, "batch_too_large items"},
		{
			"100 items with 1,000 members each", "/v1/item-batches", `{"items":[` + strings.Repeat(members(1_000)+",", 99) + members(1_000) + `]}`, 422,
			"unknown_field items[0].m0",
		},
		{"30,000 images", "/v1/items", `{"images":[` + strings.Repeat("0,", 30_000) + `0]}`, 422, "invalid_type images[0]"},
		{"a title of 60,000 characters", "/v1/items", `{"sale_type":"auction","title":"` + strings.Repeat("a", 60_000) + `"}`, 422, "too_long title"},
		{"a number of 60,000 digits", "/v1/items", `{"quantity":` + strings.Repeat("9", 60_000) + `}`, 422, "out_of_range quantity"},
		{"an amount of 60,000 digits", "/v1/items", `{"price":{"amount":"` + strings.Repeat("9", 60_000) + `"}}`, 422, "out_of_range price.amount"},
	}
	for _, test := range tests {
		for _, key := range []string{"", "k-1"} {
			t.Run(test.name+map[string]string{"": "", "k-1": " under a key"}[key], func(t *testing.T) {
				header := map[string]string{}
				if key != "" {
					header["Idempotency-Key"] = key
				}
				request := servertest.Request{Path: test.path, Body: test.body, Header: header}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := w.Do(t, request)
				runtime.ReadMemStats(&after)
				if got.Status != test.status || got.Codes()[0] != test.first {
					t.Errorf("%d %.200s", got.Status, got.Body)
				}
				if allocated := after.TotalAlloc - before.TotalAlloc; allocated > mostMemory {
					t.Errorf("it allocated %d bytes", allocated)
				}
			})
		}
	}
}

// unsized hides a body's length, as a chunked request does.
type unsized struct{ *strings.Reader }

func TestBodyLimits(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct {
		name, path   string
		size, status int
	}{
		{"an item of 2 MiB is read", "/v1/items?validate_only=true", 2 << 20, 422},
		{"an item of one byte more is not", "/v1/items?validate_only=true", 2<<20 + 1, 413},
		{"a webhook of 64 KiB is read", "/v1/webhooks", 64 << 10, 422},
		{"a webhook of one byte more is not", "/v1/webhooks", 64<<10 + 1, 413},
		{"a batch of 2 MiB is read", "/v1/item-batches", 2 << 20, 422},
		{"a batch of one byte more is not", "/v1/item-batches", 2<<20 + 1, 413},
	} {
		for _, sized := range []bool{true, false} {
			t.Run(test.name+map[bool]string{true: ", with its length", false: ", in chunks"}[sized], func(t *testing.T) {
				r := httptest.NewRequest(http.MethodPost, test.path, unsized{strings.NewReader(padded(test.size))})
				r.ContentLength = -1
				if sized {
					r.ContentLength = int64(test.size)
				}
				r.Header.Set("X-Api-Key", w.Key)
				r.Header.Set("Content-Type", "application/json")
				answer := httptest.NewRecorder()
				w.Server.Public.ServeHTTP(answer, r)
				if answer.Code != test.status {
					t.Errorf("%d instead of %d: %s", answer.Code, test.status, answer.Body)
				}
				if closes := answer.Header().Get("Connection") == "close"; closes != (test.status == 413) {
					t.Errorf("Connection: %q", answer.Header().Get("Connection"))
				}
			})
		}
	}
}

func TestMediaTypes(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := "/v1/items/" + w.List(t, servertest.FixedPrice())
	post, patch := string(mustJSON(t, servertest.FixedPrice())), `{"title":"Other"}`
	for _, test := range []struct {
		name, method, media, encoding string
		status                        int
	}{
		{"JSON is accepted", "POST", "application/json", "", 202},
		{"JSON in UTF-8 is accepted", "POST", `Application/JSON; charset="UTF-8"`, "", 202},
		{"JSON in UTF-8 by its other name is accepted", "POST", "application/json; charset=utf8", "", 202},
		{"JSON in UTF-8 in capitals is accepted", "POST", `application/json;CHARSET="Utf8"`, "", 202},
		{"JSON in ASCII is accepted", "POST", "application/json; charset=us-ascii", "", 202},
		{"JSON in ASCII in capitals is accepted", "POST", `application/json; charset="US-ASCII"`, "", 202},
		{"UTF-16 is refused", "POST", "application/json; charset=utf-16", "", 415},
		{"a merge patch in UTF-8 by its other name changes an item", "PATCH", "application/merge-patch+json; charset=UTF8", "", 200},
		{"JSON that is not encoded is accepted", "POST", "application/json", "identity", 202},
		{"no media type is refused", "POST", "", "", 415},
		{"a form is refused", "POST", "application/x-www-form-urlencoded", "", 415},
		{"plain text is refused", "POST", "text/plain", "", 415},
		{"Latin-1 is refused", "POST", "application/json; charset=latin-1", "", 415},
		{"a garbled media type is refused", "POST", "application/json; charset", "", 415},
		{"gzip is refused", "POST", "application/json", "gzip", 415},
		{"a merge patch is no way to submit", "POST", "application/merge-patch+json", "", 415},
		{"a merge patch changes an item", "PATCH", "application/merge-patch+json", "", 200},
		{"JSON changes an item", "PATCH", "application/json", "", 200},
		{"a JSON Patch is refused", "PATCH", "application/json-patch+json", "", 415},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, body := "/v1/items", post
			if test.method == "PATCH" {
				path, body = item, patch
			}
			got := w.Do(t, servertest.Request{
				Method: test.method, Path: path, Body: body,
				Header: map[string]string{"Content-Type": test.media, "Content-Encoding": test.encoding},
			})
			if got.Status != test.status || test.status == 415 && got.Errors[0].Code != "unsupported_media_type" {
				t.Errorf("%d instead of %d: %s", got.Status, test.status, got.Body)
			}
		})
	}
}

func TestTheRequestIDIsKeptOrMade(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, kept := range map[string]bool{"01HZX-abc_4.5": true, "short": false, "with space inside": false, strings.Repeat("x", 129): false, "": false} {
		got := w.Do(t, servertest.Request{Path: "/v1/account", Header: map[string]string{"X-Request-Id": name}}).Header.Get("X-Request-Id")
		if (got == name) != kept || got == "" {
			t.Errorf("%q became %q", name, got)
		}
	}
}

func TestTheLanguageIsChosenAndTold(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for accept, want := range map[string]string{
		"": "en", "fr": "fr", "de-AT, en;q=0.5": "de", "pl, nl;q=0.3": "nl", "ja": "en", "*": "en", "it-IT;q=0.9,es;q=0.8": "it", ";;;": "en",
		strings.Repeat("fr,", 400): "en", "DE-ch": "de", "es;q=0.8, nl;q=0.9": "nl", "xx, it": "it", "fr;q=0, es;q=0.001": "es", "de ; Q=1.000": "de",
		"*, fr;q=0.9": "en", "fr, *;q=0.5": "fr", "fr;q=0": "en", ",, fr ,": "fr", "fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5": "fr",
		"fr;q=2": "en", "fr;q=0.1234": "en", "fr;q=-1": "en", "fr;q=NaN": "en", "fr;q=1e0": "en", "fr;q=": "en", "fr;w=1": "en", "fr, de;q=a": "en",
	} {
		got := w.Do(t, servertest.Request{Path: "/v1/categories?limit=1", Header: map[string]string{"Accept-Language": accept}})
		if got.Header.Get("Content-Language") != want {
			t.Errorf("Accept-Language %.40q chose %q instead of %q", accept, got.Header.Get("Content-Language"), want)
		}
		if !strings.Contains(got.Header.Get("Vary"), "Accept-Language") {
			t.Errorf("Vary: %q", got.Header.Get("Vary"))
		}
		again := w.Do(t, servertest.Request{
			Path: "/v1/categories?limit=1", Header: map[string]string{"Accept-Language": accept, "If-None-Match": got.Header.Get("ETag")},
		})
		if again.Status != http.StatusNotModified || again.Header.Get("Content-Language") != want {
			t.Errorf("unchanged: %d in %q instead of %q", again.Status, again.Header.Get("Content-Language"), want)
		}
	}
}

// A message is in the caller's language. An answer without any text has the language of the service.
func TestTheLanguageOfAnAnswerIsThatOfItsTexts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		for _, test := range []struct {
			name     string
			request  servertest.Request
			status   int
			language string
			message  string
		}{
			{"an item", servertest.Request{Path: "/v1/items/" + item}, 200, "en", ""},
			{"delivery services", servertest.Request{Path: "/v1/delivery-services?limit=1"}, 200, "en", ""},
			{"a change", servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: map[string]any{"title": "Other"}}, 200, "en", ""},
			{"the methods of a path", servertest.Request{Method: "OPTIONS", Path: "/v1/items"}, 200, "en", ""},
			{"categories", servertest.Request{Path: "/v1/categories?limit=1"}, 200, "fr", ""},
			{"no categories", servertest.Request{Path: "/v1/categories?q=nothing+of+that+name"}, 200, "en", ""},
			{"a missing item", servertest.Request{Path: "/v1/items/1"}, 404, "fr", "Cet objet n'existe pas."},
			{"a wrong filter of categories", servertest.Request{Path: "/v1/categories?parent_id=1"}, 422, "fr", "La catégorie 1 n'existe pas."},
			{"a wrong body", servertest.Request{Method: "POST", Path: "/v1/items", Body: "{"}, 400, "fr", "Le corps n'est pas du JSON valide à l'octet 1, où il se termine : un crochet, une accolade ou un guillemet n'est pas fermé."},
			{"a wrong key", servertest.Request{Path: "/v1/categories", Key: "dk_test_nobody"}, 401, "fr", "La clé d'API n'est pas valable."},
			{"no route", servertest.Request{Path: "/v1/itms"}, 404, "fr", "Il n'y a rien à /v1/itms. Vouliez-vous dire /v1/items ?"},
			{"no method", servertest.Request{Method: "PUT", Path: "/v1/items/" + item}, 405, "fr", "Ce chemin accepte GET, HEAD, OPTIONS, PATCH. Il y a aussi POST /v1/items/{id}/close; POST /v1/items/{id}/restart."},
		} {
			test.request.Header = map[string]string{"Accept-Language": "fr"}
			got := w.Do(t, test.request)
			message := ""
			if len(got.Errors) > 0 {
				message = got.Errors[0].Message
			}
			if diff := cmp.Diff([]any{test.status, []string{test.language}, test.message},
				[]any{got.Status, got.Header.Values("Content-Language"), message}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

func TestCodesOfTheCatalogueAreUniqueAndHaveTheirStatus(t *testing.T) {
	statuses := map[int]string{
		400: "malformed_json invalid_idempotency_key invalid_header",
		401: "missing_api_key invalid_api_key",
		403: "account_suspended test_key_only permission_denied",
		404: "route_not_found item_not_found submission_not_found batch_not_found sale_not_found rating_not_found bill_not_found tracking_not_found " +
			"webhook_not_found delivery_not_found event_not_found drill_not_found",
		405: "method_not_allowed", 413: "payload_too_large", 415: "unsupported_media_type",
		409: "item_has_bids item_partially_sold item_not_open item_not_editable item_not_restartable store_limit_reached drill_limit_reached rating_exists " +
			"rating_window_closed bill_not_paid bill_already_sent bill_cancelled tracking_exists webhook_limit_reached webhook_exists " +
			"idempotency_key_in_progress reference_ambiguous tracking_limit_reached key_already_rotated key_limit_reached",
		410: "legacy_api_retired cursor_expired", 412: "precondition_failed",
		422: "missing_field unknown_field invalid_type invalid_value too_long too_short out_of_range immutable_field conflicting_fields empty_patch " +
			"missing_parameter unknown_parameter invalid_parameter invalid_cursor cursor_mismatch idempotency_key_reused batch_empty batch_too_large " +
			"unknown_category category_not_selectable unknown_shipping_model weight_required unknown_delivery_service invalid_tracking_number " +
			"unsupported_currency currency_mismatch date_in_past too_many_images invalid_image_url html_not_allowed invalid_webhook_url unknown_event unknown_key " +
			"score_not_allowed sale_not_on_bill",
		429: "rate_limited daily_item_limit_reached",
		500: "internal_error", 503: "service_unavailable",
		0: "images_unreachable image_too_large image_format_unsupported publication_timeout image_unreachable",
	}
	want := map[v1.Code]int{}
	for status, codes := range statuses {
		for code := range strings.FieldsSeq(codes) {
			want[v1.Code(code)] = status
		}
	}
	got := map[v1.Code]int{}
	for _, info := range v1.ErrorCatalogue {
		if _, twice := got[info.Code]; twice {
			t.Errorf("%s stands in the catalogue twice", info.Code)
		}
		got[info.Code] = info.Status
		if found, ok := v1.LookupError(info.Code); !ok || found != info {
			t.Errorf("%s is not found", info.Code)
		}
		if info.Meaning == "" || info.Remedy == "" {
			t.Errorf("%s has no meaning or no remedy", info.Code)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("catalogue (-want +got):\n%s", diff)
	}
}
