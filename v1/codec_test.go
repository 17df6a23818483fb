package v1

import (
	stdjson "encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// filler makes up values of any type that the codec knows.
type filler struct{ *rand.Rand }

func (f filler) text() string {
	alphabet := []rune("aZ09 \"\\/<>&'\n\t\u0001\u007fé\u2028漢\U0001F600\ufffd")
	out := make([]rune, f.IntN(12))
	for i := range out {
		out[i] = alphabet[f.IntN(len(alphabet))]
	}
	return string(out)
}

var (
	amountType   = reflect.TypeFor[wire.Amount]()
	timeType     = reflect.TypeFor[wire.Time]()
	currencyType = reflect.TypeFor[wire.Currency]()
)

func (f filler) fill(v reflect.Value) {
	switch p := wire.PlanOf(v.Type()); {
	case v.Type() == amountType:
		v.SetInt(int64(wire.MinAmount) + f.Int64N(int64(wire.MaxAmount)))
	case v.Type() == timeType:
		v.SetInt(f.Int64N(int64(wire.TimeOf(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))))
	case v.Type() == currencyType:
		v.SetString(string(wire.Currencies[f.IntN(len(wire.Currencies))]))
	case p.Form == wire.FormRaw:
		held := v.Addr().MethodByName("Value").Type().Out(0)
		value := reflect.New(held)
		f.fill(value.Elem())
		v.Addr().Interface().(wire.RawText).SetJSONText(string(wire.EncodeJSON(nil, value.Interface())))
	case p.Form == wire.FormOpt:
		if f.IntN(3) > 0 {
			v.Field(1).SetBool(true)
			f.fill(v.Field(0))
		}
	case p.Form == wire.FormSlice:
		v.Set(reflect.MakeSlice(v.Type(), f.IntN(4), 4))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case p.Form == wire.FormStruct:
		for i := range p.Fields {
			f.fill(p.Fields[i].Of(v))
		}
	case v.Type() == reflect.TypeFor[map[string]string]():
		v.Set(reflect.ValueOf(map[string]string{"webhook-id": f.text(), "user-agent": f.text()}))
	case p.Form == wire.FormOther:
		v.Set(reflect.ValueOf(map[string]any{"sent_at": f.text(), "count": float64(f.IntN(1000)), "fields": []any{f.text()}}))
	case p.Form == wire.FormBool:
		v.SetBool(f.IntN(2) == 0)
	case p.Form == wire.FormFloat:
		v.SetFloat(f.Float64() * 100)
	case p.Form == wire.FormString:
		v.SetString(f.text())
	case v.Type() == reflect.TypeFor[items.ItemURL]():
		v.Set(reflect.ValueOf(items.ItemURL{Site: "https://www.example.com", ID: f.Int64()}))
	case p.Form == wire.FormInt && v.Kind() == reflect.Int:
		v.SetInt(int64(f.IntN(1 << 31)))
	default: // ids
		v.SetInt(f.Int64())
	}
}

// codecTypes are all that operations answer, and the bodies they take.
func codecTypes() []reflect.Type {
	types := []reflect.Type{
		reflect.TypeFor[items.ItemInput](), reflect.TypeFor[items.BatchInput](), reflect.TypeFor[items.Closing](), reflect.TypeFor[refusal.Error](),
		reflect.TypeFor[core.KeyInfo](), reflect.TypeFor[[]items.Image](),
	}
	for _, o := range Operations {
		types = append(types, o.Out)
	}
	return types
}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	f := filler{rand.New(rand.NewPCG(2026, 11))}
	for _, typ := range codecTypes() {
		t.Run(typ.String(), func(t *testing.T) {
			for range 100 {
				value, back := reflect.New(typ), reflect.New(typ)
				f.fill(value.Elem())
				first := wire.EncodeJSON(nil, value.Interface())
				if !stdjson.Valid(first) {
					t.Fatalf("not JSON: %s", first)
				}
				if err := wire.BindJSON(first, back.Interface()); err != nil {
					t.Fatalf("read back: %v\n%s", err, first)
				}
				if diff := cmp.Diff(string(first), string(wire.EncodeJSON(nil, back.Interface()))); diff != "" {
					t.Fatalf("written again (-first +again):\n%s", diff)
				}
			}
		})
	}
}

func TestZeroValuesShowEveryField(t *testing.T) {
	for _, typ := range codecTypes() {
		text := wire.EncodeJSON(nil, reflect.New(typ).Interface())
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[refusal.Error]() || typ == reflect.TypeFor[wire.Raw[hooks.Event]]() { // which is given as it is stored
			continue
		}
		var members map[string]any
		if err := stdjson.Unmarshal(text, &members); err != nil {
			t.Fatalf("%s: %v\n%s", typ, err, text)
		}
		if want, got := len(wire.PlanOf(typ).Fields), len(members); want != got {
			t.Errorf("%s: %d members instead of %d: %s", typ, got, want, text)
		}
	}
}

func TestTheFormsOfValues(t *testing.T) {
	for _, test := range []struct {
		name string
		in   any
		want string
	}{
		{"a missing value is null", &wire.Opt[int]{}, `null`},
		{"zero is not missing", &wire.Opt[int]{Set: true}, `0`},
		{"no entries are an empty list", new([]items.Image), `[]`},
		{"stored lists that are empty are empty lists", &wire.Raw[[]refusal.Error]{}, `[]`},
		{"an amount has two decimals", new(wire.Amount(5)), `"0.05"`},
		{"a large amount keeps its digits", new(wire.Amount(99_999_999)), `"999999.99"`},
		{"an id is a string", new(wire.ID(-1)), `"-1"`},
		{"a submission's id has its prefix", new(wire.SubmissionID(36)), `"sub_10"`},
		{"a whole second has no decimals", new(wire.Time(1795262400_000000)), `"2026-11-21T12:00:00Z"`},
		{"microseconds have as many as they need", new(wire.Time(1795262400_120000)), `"2026-11-21T12:00:00.12Z"`},
		{"a leap day is known", new(wire.TimeOf(time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC))), `"2028-02-29T23:59:59Z"`},
		{"the epoch is 1970", new(wire.Time(0)), `"1970-01-01T00:00:00Z"`},
		{"before the epoch is before 1970", new(wire.Time(-1)), `"1969-12-31T23:59:59.999999Z"`},
		{"control characters are escaped", new("a\u0000\n\"\\"), `"a\u0000\n\"\\"`},
		{"text that is not UTF-8 is repaired", new("a\xffb"), `"a` + "\ufffd" + `b"`},
		{"a float has no exponent", new(1e21), `1000000000000000000000`},
		{"an error leaves out what it has not", &refusal.Error{Code: refusal.TooLong, Message: "m"}, `{"code":"too_long","message":"m"}`},
		{"an error of a batch's first item has its index", &refusal.Error{Code: refusal.TooLong, Message: "m", Index: refusal.IndexAt(0)}, `{"code":"too_long","message":"m","index":0}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(wire.EncodeJSON(nil, test.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDatesAreThoseOfTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		at := wire.Time(random.Int64N(253_402_300_800_000_000)) // to the end of the year 9999
		if want, got := at.Std().Format("2006-01-02T15:04:05.999999Z07:00"), at.String(); want != got {
			t.Fatalf("%d is %s and not %s", int64(at), want, got)
		}
	}
}

func TestBoundsOfRangesMayLieInAnyYear(t *testing.T) {
	const form = "must be an RFC 3339 date and time such as 2026-11-21T14:30:00Z"
	const lost = form + "; in a query, write the + of an offset as %2B, because + means a blank there"
	for text, want := range map[string]string{
		"0001-01-01T00:00:00Z":        "0001-01-01T00:00:00Z",
		"0001-01-01T00:00:00-01:00":   "0001-01-01T01:00:00Z",
		"1900-01-01t00:00:00.5z":      "1900-01-01T00:00:00.5Z",
		"9999-12-31T23:59:59.999999Z": "9999-12-31T23:59:59.999999Z",
		"9999-12-31T23:59:59-00:01":   form,
		"0000-12-31T00:00:00Z":        form,
		"2026-12-20T10:00:00 02:00":   lost,
		"2026-12-20T10:00:00.5 02:00": lost,
		"2026-12-20T10:00:00 24:00":   form,
		"2026-12-20 10:00:00Z":        form,
		" 2026-12-20T10:00:00Z":       form,
		"2026-12-20":                  form,
	} {
		var at wire.Time
		err := at.UnmarshalQuery([]byte(text))
		got := at.String()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
}

func TestDatesAreReadWithAnyOffset(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-21T12:00:00Z":                "2026-11-21T12:00:00Z",
		"2026-11-21T12:00:00.1234567Z":        "2026-11-21T12:00:00.123456Z",
		"2026-11-21T12:00:00+13:45":           "2026-11-20T22:15:00Z",
		"1970-01-01T00:00:00-00:00":           "1970-01-01T00:00:00Z",
		"9999-12-31T23:59:59-00:01":           "", // the year 10000 in UTC
		"1970-01-01T00:00:00+00:01":           "", // 1969 in UTC
		"2026-11-21T24:00:00Z":                "",
		"2026-11-21T12:00:60Z":                "",
		"2026-11-21 12:00:00Z":                "",
		"2026-11-21T1:00:00Z":                 "",
		"2026-11-21T12:00:00,5Z":              "",
		"2026-11-21":                          "",
		"":                                    "",
		"2026-11-21T12:00:00+99:00":           "",
		"2026-11-21T12:00:00+23:59":           "2026-11-20T12:01:00Z",
		"2026-11-21T12:00:00-23:59":           "2026-11-22T11:59:00Z",
		"2026-11-21T12:00:00.5+24:00":         "",
		"2026-11-21T12:00:00-24:00":           "",
		"2026-11-21T12:00:00+10:60":           "",
		"2026-11-21t12:00:00z":                "2026-11-21T12:00:00Z",
		"2026-11-21t12:00:00.25+01:00":        "2026-11-21T11:00:00.25Z",
		"2026-11-21T12:00:00 01:00":           "",
		"1969-12-31T23:59:59Z":                "",
		"2026-11-21T12:00:00Z\n":              "",
		"+2026-11-21T12:00:00Z":               "",
		strings.Repeat("9", 40) + "-01-01T0Z": "",
	} {
		var got wire.Time
		err := got.UnmarshalText([]byte(text))
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q reads as %s, %v; expected %q", text, got, err, want)
		}
	}
	// What .NET sends for a date that was never set is one, though of no use.
	if err := new(wire.Time).UnmarshalText([]byte("0001-01-01T00:00:00Z")); err == nil || err.Error() != "must be a time from 1970 to 9999" {
		t.Errorf("the year 1: %v", err)
	}
}

func TestAPatchNamesOnlyWhatThereIs(t *testing.T) {
	var patch wire.Patch[items.ItemInput]
	var problems refusal.Problems
	body := `{"titel":"x","options":{"bold":true,"highlight":5},"price":{"amount":5,"vat":1}}`
	if err := wire.BindInto([]byte(body), &patch, &problems); err != nil {
		t.Fatalf("read: %v", err)
	}
	patch.Apply(&items.ItemInput{}) // panics at a name that is none
	if diff := cmp.Diff([]string{"options.highlight", "price.amount"}, patch.Fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	var unknown []string
	for _, problem := range problems.Entries() {
		if problem.Code == refusal.UnknownField {
			unknown = append(unknown, problem.Field)
		}
	}
	if diff := cmp.Diff([]string{"titel", "options.bold", "price.vat"}, unknown); diff != "" {
		t.Errorf("unknown fields (-want +got):\n%s", diff)
	}
}

func TestMergePatches(t *testing.T) {
	for _, test := range []struct {
		name, patch string
		fields      []string
		title       wire.Opt[string]
		price       wire.Opt[wire.Money]
		images      int
	}{
		{"what is absent stays", `{}`, nil, wire.Some("Old"), wire.Some(wire.Money{Amount: 500, Currency: "EUR"}), 2},
		{"null clears", `{"title":null,"price":null,"images":null}`, []string{"title", "price", "images"}, wire.Opt[string]{}, wire.Opt[wire.Money]{}, 0},
		{"objects merge", `{"price":{"amount":"7.5"}}`, []string{"price.amount"}, wire.Some("Old"), wire.Some(wire.Money{Amount: 750, Currency: "EUR"}), 2},
		{"arrays replace", `{"images":["https://a/3"]}`, []string{"images"}, wire.Some("Old"), wire.Some(wire.Money{Amount: 500, Currency: "EUR"}), 1},
		{
			"the order of the body is kept", `{"title":"New","price":{"currency":"USD","amount":"1"}}`,
			[]string{"title", "price.currency", "price.amount"},
			wire.Some("New"), wire.Some(wire.Money{Amount: 100, Currency: "USD"}), 2,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			item := items.ItemInput{Title: wire.Some("Old"), Price: wire.Some(wire.Money{Amount: 500, Currency: "EUR"}), Images: []items.ImageInput{{URL: "https://a/1"}, {URL: "https://a/2"}}}
			var patch wire.Patch[items.ItemInput]
			if err := wire.BindJSON([]byte(test.patch), &patch); err != nil {
				t.Fatalf("read: %v", err)
			}
			patch.Apply(&item)
			got := []any{patch.Fields, item.Title, item.Price, len(item.Images)}
			if diff := cmp.Diff([]any{test.fields, test.title, test.price, test.images}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
