package v1

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// isMalformed says whether an error is malformed_json alone.
func isMalformed(err error) bool {
	var known refusal.Errors
	return errors.As(err, &known) && len(known) == 1 && known[0].Code == refusal.MalformedJSON
}

// halfAmounts are the parts that amounts of an item lack.
func halfAmounts(item *items.ItemInput) (fields []string) {
	for name, price := range map[string]wire.Opt[wire.Money]{
		"price": item.Price, "starting_price": item.StartingPrice, "bid_increment": item.BidIncrement, "reserve_price": item.ReservePrice,
	} {
		if price.Set && price.V.Amount == 0 {
			fields = append(fields, name+".amount")
		}
		if price.Set && price.V.Currency == "" {
			fields = append(fields, name+".currency")
		}
	}
	return fields
}

// FuzzBindItem compares the reader of bodies with the standard library's: it refuses whatever that refuses, and what it
// accepts has the same values.
func FuzzBindItem(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, `{}`, `[]`, `"x"`, `{"title":"a"}`, `{"title":"a","title":"b"}`, `{"title":"\ud800"}`, "{\"title\":\"\xff\"}", `{"title":"a\u0000"}`,
		`{"sale_type":"auction","starting_price":{"amount":"9.99","currency":"EUR"},"images":["https://a/1",{"url":"https://a/2"}],"options":{"highlight":true}}`,
		`{"quantity":1e2}`, `{"quantity":-0}`, `{"quantity":9223372036854775808}`, `{"ends_at":"2026-12-01T00:00:00+01:00","category_id":"-1","price":null}`,
		`{"x":[[[{}]]]}`, `{"images":[null,5,{"url":5}]}`, `{}{}`, "{\"title\":\"\\ud83d\\ude00\u2028\"}", `{"price":"5"}`,
		`{} x`, `{"title":"a",}`, `{"title":"a" "site":"b"}`, `{"title":"\`, `{"title":"\"}`, `{"t\u0069tle":"x","title":"y"}`, `{"x":{"b":1,"b":2}}`, "\ufeff{}",
		`{"title":["x",{"y":"]}"}],"subtitle":{}}`, `{"images":[1,2,3,4,5,6,"a",{"url":"b","x":1},"c"]}`, `{"options":[],"quantity":"1","renewals":1.5,"weight_grams":1e400}`,
		`{"title":"a\nb","description":"\/\b\f\t\"\\"}`, `{"id":1,"options":{"highlight":true}}`, `{"title":"[[\"]]{{"}`, `{"starting_price":{}}`, `{"price":{"currency":"EUR"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var item items.ItemInput
		err := wire.BindJSON(body, &item)
		if !stdjson.Valid(body) || !utf8.Valid(body) {
			if !isMalformed(err) {
				t.Fatalf("malformed body: %v", err)
			}
			return
		}
		if err != nil {
			return
		}
		if half := halfAmounts(&item); len(half) > 0 { // which the rules reject, and not the reader
			var problems refusal.Problems
			wire.CheckRules(&item, "", &problems)
			var broken refusal.Errors
			errors.As(problems.Err(), &broken)
			for _, field := range half {
				if !slices.ContainsFunc(broken, func(e refusal.Error) bool { return e.Code == refusal.MissingField && e.Field == field }) {
					t.Fatalf("no rule asks for %s: %s", field, body)
				}
			}
			return
		}
		first := wire.EncodeJSON(nil, &item)
		var again items.ItemInput
		if err := wire.BindJSON(first, &again); err != nil {
			t.Fatalf("read back: %v\n%s", err, first)
		}
		if second := wire.EncodeJSON(nil, &again); !bytes.Equal(first, second) {
			t.Fatalf("written again:\n%s\n%s", first, second)
		}
		var want, got map[string]any
		if err := errors.Join(stdjson.Unmarshal(body, &want), stdjson.Unmarshal(first, &got)); err != nil {
			t.Fatalf("an accepted body is no object: %v", err)
		}
		for name, value := range want {
			switch name {
			case "sale_type", "title", "subtitle", "description", "personal_reference", "category_id", "quantity", "duration_days", "site", "weight_grams":
				if diff := cmp.Diff(value, got[name]); diff != "" {
					t.Fatalf("%s (-standard library +ours):\n%s", name, diff)
				}
			default:
				if _, known := got[name]; !known {
					t.Fatalf("member %q was accepted and lost", name)
				}
			}
		}
	})
}

// FuzzCursor looks for texts that pass for a cursor of ours, and for cursors that do not come back.
func FuzzCursor(f *testing.F) {
	f.Add("", uint64(0), int64(0), int64(0))
	f.Add("AQ", uint64(1), int64(-1), int64(1))
	f.Add(strings.Repeat("A", 50), ^uint64(0), int64(1)<<62, int64(-1)<<62)
	f.Fuzz(func(t *testing.T, text string, scope uint64, sortKey, id int64) {
		key := rows.NewKey([]byte("0123456789abcdef0123456789abcdef"))
		refused := func(err error, code refusal.Code) bool {
			var known refusal.Errors
			return errors.As(err, &known) && known[0].Code == code
		}
		if _, err := key.Decode(text, scope); !refused(err, refusal.InvalidCursor) {
			t.Fatalf("%q passes for a cursor: %v", text, err)
		}
		made := rows.Cursor{Scope: scope, Key: sortKey, ID: id}
		good := key.Encode(made)
		if back, err := key.Decode(good, scope); err != nil || back != made {
			t.Fatalf("%+v came back as %+v, %v", made, back, err)
		}
		if _, err := key.Decode(good, scope+1); !refused(err, refusal.CursorMismatch) {
			t.Fatalf("a cursor of another list: %v", err)
		}
		for i := range len(good) {
			damaged := []byte(good)
			if damaged[i] == 'A' {
				damaged[i] = 'B'
			} else {
				damaged[i] = 'A'
			}
			if _, err := key.Decode(string(damaged), scope); !refused(err, refusal.InvalidCursor) {
				t.Fatalf("%s with another byte %d: %v", good, i, err)
			}
		}
		if _, err := rows.NewKey([]byte("another secret")).Decode(good, scope); !refused(err, refusal.InvalidCursor) {
			t.Fatalf("a cursor of another service: %v", err)
		}
	})
}

// FuzzQuery looks for query strings that break the reader or slip a parameter past it.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "limit=5", "limit=05", "limit=201", "status=open,sold&status=closed", "status=,", "id=1,2,x", "q=%00", "q=%ff", "q=a;b", "%zz", "=", "&&&", "colour=red",
		"price_min=1.00&price_max=0.999", "created_from=2026-11-21T12:00:00Z&ends_to=2026-11-21T12:00:00%2B01:00", "has_bids=true&has_bids=true", "after=x",
		"id=" + strings.Repeat("1,", 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var (
			in       items.BrowseItemsInput
			problems refusal.Problems
		)
		if err := wire.BindQuery(raw, &in, &problems); err != nil {
			if _, std := url.ParseQuery(raw); std == nil {
				t.Fatalf("a well-formed query is refused: %v", err)
			}
			return
		}
		wire.CheckParameters(&in, &problems)
		if problems.Err() != nil {
			return
		}
		values, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatalf("a query that is not well-formed is accepted: %v", err)
		}
		for name, given := range values {
			if _, known := wire.InputOf(items.BrowseItems.In).ByName[name]; !known {
				t.Fatalf("parameter %q slipped through", name)
			}
			if name == "limit" && (!in.Limit.Set || in.Limit.V < 1 || in.Limit.V > items.MaxPageSize || len(given) != 1) {
				t.Fatalf("limit %q was read as %+v", given, in.Limit)
			}
		}
		if in.Q.Set && (strings.ContainsRune(in.Q.V, 0) || !utf8.ValidString(in.Q.V)) {
			t.Fatalf("q %q cannot be stored", in.Q.V)
		}
		for _, list := range []int{len(in.Status), len(in.ID), len(in.PersonalReference)} {
			if list > wire.MaxListValues {
				t.Fatalf("a list of %d values", list)
			}
		}
	})
}

// FuzzKeyHeader feeds both headers that hold a key.
func FuzzKeyHeader(f *testing.F) {
	for _, seed := range []string{
		"", `"`, `""`, `"a"`, `"a`, "a b", "é", strings.Repeat("k", 255), strings.Repeat("k", 256), "dk_test_", "dk_live_aaaaaaaaaaaa_" + strings.Repeat("s", 38),
		apikey.Assemble("aaaaaaaaaaaa", "test", strings.Repeat("s", 32)).Text,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if parsed, ok := apikey.Parse(header); ok {
			mode := core.ModeName(parsed.Test)
			if !strings.HasPrefix(header, "dk_"+mode+"_"+parsed.ID+"_") || len(header) != len("dk_live_")+12+1+32+6 {
				t.Fatalf("%q passes for a key: %+v", header, parsed)
			}
		}
		use, err := core.NewIdempotencyKey(header, "POST", "/v1/items", nil)
		if err != nil {
			return
		}
		if use.Key == "" || len(use.Key) > 255 || strings.Trim(use.Key, visibleASCII) != "" {
			t.Fatalf("%q is no Idempotency-Key", use.Key)
		}
		quoted, err := core.NewIdempotencyKey(`"`+use.Key+`"`, "POST", "/v1/items", nil)
		if err != nil || quoted.Key != use.Key {
			t.Fatalf("quoted, %q is %+v, %v", use.Key, quoted, err)
		}
	})
}

var visibleASCII = func() string {
	var b []byte
	for c := byte('!'); c <= '~'; c++ {
		b = append(b, c)
	}
	return string(b)
}()
