package wire

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// everyForm has a member of every type that is written without its plan.
type everyForm struct {
	ID         ID          `json:"id"`
	Time       Time        `json:"time"`
	Amount     Amount      `json:"amount"`
	Money      Money       `json:"money"`
	MaybeText  Opt[string] `json:"maybe_text"`
	MaybeInt   Opt[int]    `json:"maybe_int"`
	MaybeID    Opt[ID]     `json:"maybe_id"`
	MaybeTime  Opt[Time]   `json:"maybe_time"`
	MaybeMoney Opt[Money]  `json:"maybe_money"`
}

func TestTypesWithAnAppenderLookAsTheirPlansSay(t *testing.T) {
	if covered := reflect.TypeFor[everyForm]().NumField(); covered != len(appenders) {
		t.Errorf("%d types have an appender, and %d are tested", len(appenders), covered)
	}
	rapid.Check(t, func(t *rapid.T) {
		id, at, amount := rapid.Int64().Draw(t, "id"), rapid.Int64().Draw(t, "time"), rapid.Int64().Draw(t, "amount")
		text, set := rapid.String().Draw(t, "text"), rapid.Bool().Draw(t, "set")
		money := Money{Amount(amount), rapid.SampledFrom(Currencies).Draw(t, "currency")}
		value := everyForm{
			ID(id), Time(at), Amount(amount), money,
			Opt[string]{text, set},
			Opt[int]{int(id), set},
			Opt[ID]{ID(id), set},
			Opt[Time]{Time(at), set},
			Opt[Money]{money, set},
		}
		v := reflect.ValueOf(&value).Elem()
		for i := range v.NumField() {
			p := PlanOf(v.Field(i).Type())
			if p.append == nil {
				t.Fatalf("%s has no appender", p.Type)
			}
			plain := *p
			if p.Elem != nil {
				elem := *p.Elem
				elem.append = nil
				plain.Elem = &elem
			}
			got, want := string(p.Encode(nil, v.Field(i))), string(plain.encodeForm(nil, v.Field(i)))
			if got != want {
				t.Errorf("%s: %s, expected %s", p.Type, got, want)
			}
		}
	})
}

func TestStringsAreQuotedAsTheLibraryQuotesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[\x00-\x{ff}]{0,8}`)).Draw(t, "text")
		want, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AppendString([]byte("x"), text); string(got) != "x"+string(want) {
			t.Errorf("%s, expected %s", got, want)
		}
	})
}

func TestTimesLookAsTheLibraryWritesThem(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, at int64) {
		got, _ := Time(at).AppendText([]byte("x"))
		if want := "x" + time.UnixMicro(at).UTC().Format(time.RFC3339Nano); string(got) != want {
			t.Errorf("%d: %s, expected %s", at, got, want)
		}
	}
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
	for _, at := range []int64{0, 1, -1, 999_999, 1_000_000, 100_000, 10, first, last, time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC).UnixMicro()} {
		check(t, at)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Int64Range(first, last).Draw(t, "time")) })
	var b [32]byte
	if allocations := testing.AllocsPerRun(100, func() { _, _ = Time(last / 2).AppendText(b[:0]) }); allocations != 0 {
		t.Errorf("an instant costs %v allocations", allocations)
	}
	if _, err := Time(math.MinInt64).AppendText(nil); err != nil { // which no clock tells, but which must not panic
		t.Error(err)
	}
}
