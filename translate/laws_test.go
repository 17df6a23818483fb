package translate

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sellerd/v1"
	"sellerd/v1/markup"
)

// texts are what a converter is tried with: legacy texts that it reads, and the /v1 texts that its fields can have.
type texts struct{ legacy, v1 *rapid.Generator[string] }

func formatted[T any](of *rapid.Generator[T], format string) *rapid.Generator[string] {
	return rapid.Map(of, func(v T) string { return fmt.Sprintf(format, v) })
}

// zonedInstants are instants that v1.Time can have, to the microsecond and often where the clocks change. In the last
// hours of 9999 a local date has a year of five digits, which is none.
var zonedInstants = rapid.Custom(func(t *rapid.T) string {
	seconds := rapid.OneOf(
		rapid.Int64Range(0, 253402300799-7200), rapid.Int64Range(1774742400, 1774753200), rapid.Int64Range(1792886400, 1792897200),
	).Draw(t, "seconds")
	micros := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 999_999)).Draw(t, "micros")
	return v1.Time(seconds*1e6 + micros).String()
})

// tried are the texts of the converters that are no enumerations.
var tried = map[*Converter]texts{
	Money: {
		rapid.StringMatching(`0{0,3}[0-9]{1,6}(\.[0-9]{1,17})?`),
		rapid.Map(rapid.Int64Range(0, 1e15-1), func(n int64) string { return v1.Amount(n).String() }),
	},
	Integer: {rapid.StringMatching(`0{0,3}[0-9]{1,15}`), formatted(rapid.Int64Range(0, 1e18-1), "%d")},
	Identifier: {
		rapid.StringMatching(`-?0{0,3}[0-9]{1,15}`), formatted(rapid.Int64(), "%d"),
	},
	Boolean:   {rapid.SampledFrom([]string{"1", "0", "true", "false", "TRUE", "False", ""}), rapid.SampledFrom([]string{"true", "false"})},
	LocalTime: {rapid.Map(zonedInstants, func(text string) string { return string(appendLocal(nil, []byte(text))) }), zonedInstants},
	Hour: {
		rapid.OneOf(formatted(rapid.IntRange(0, 23), "%d"), formatted(rapid.IntRange(0, 23), "%02d"), rapid.StringMatching(`([01][0-9]|2[0-3]):[0-5][0-9]`)),
		rapid.StringMatching(`([01][0-9]|2[0-3]):[0-5][0-9]`),
	},
	Markup:    {rapid.String(), rapid.Map(rapid.String(), markup.Sanitize)},
	Reference: {rapid.StringN(0, 20, -1), rapid.StringN(0, 20, -1)},
	Score:     {formatted(rapid.IntRange(0, 100), "%d"), formatted(rapid.SampledFrom(scores), "%d")},
}

func pairTexts(c *Converter) texts {
	var legacy, words []string
	for _, pair := range c.Pairs {
		legacy, words = append(legacy, pair[0]), append(words, pair[1])
	}
	return texts{rapid.SampledFrom(legacy), rapid.SampledFrom(words)}
}

func TestConvertersKeepTheirLaws(t *testing.T) {
	for _, c := range Converters {
		t.Run(c.Name, func(t *testing.T) {
			if c.Law == OneWay {
				if got := string(c.AppendLegacy(nil, []byte(c.Example[1]))); c.ToV1 != nil || got != c.Example[0] {
					t.Errorf("%q becomes %q, not %q", c.Example[1], got, c.Example[0])
				}
				return
			}
			try, ok := tried[c]
			if len(c.Pairs) > 0 {
				try, ok = pairTexts(c), true
			}
			if !ok {
				t.Fatal("has no texts to be tried with")
			}
			if got, err := c.ToV1(c.Example[0]); err != nil || got != c.Example[1] {
				t.Errorf("%q becomes %q (%v), not %q", c.Example[0], got, err, c.Example[1])
			}
			rapid.Check(t, func(t *rapid.T) {
				keepsLaw(t, c, try.legacy.Draw(t, "legacy"), try.v1.Draw(t, "v1"))
			})
		})
	}
}

// keepsLaw checks one text of each side.
func keepsLaw(t *rapid.T, c *Converter, legacy, word string) {
	there, err := c.ToV1(legacy)
	if err != nil {
		t.Fatalf("%q: %v", legacy, err)
	}
	back := string(c.AppendLegacy(nil, []byte(there)))
	if again, err := c.ToV1(back); err != nil || again != there {
		t.Fatalf("%q became %q, %q, and then %q (%v)", legacy, there, back, again, err)
	}
	if c.Law == Isomorphic && back != legacy {
		t.Fatalf("%q became %q and then %q", legacy, there, back)
	}
	shown := string(c.AppendLegacy(nil, []byte(word)))
	returned, err := c.ToV1(shown)
	if err != nil {
		t.Fatalf("%q became %q: %v", word, shown, err)
	}
	if c.Law != Narrowing && returned != word {
		t.Fatalf("%q became %q and then %q", word, shown, returned)
	}
	if twice := string(c.AppendLegacy(nil, []byte(returned))); twice != shown {
		t.Fatalf("%q became %q, %q and then %q", word, shown, returned, twice)
	}
}

func TestConvertersReadAndWriteTheFormsThatTheDocumentDescribes(t *testing.T) {
	for _, c := range Converters {
		t.Run(c.Name, func(t *testing.T) {
			read := append([]string{c.Example[0]}, c.Reads.Words...)
			if c.Reads.Whole {
				read = append(read, "0")
			}
			if c.Reads.Max > 0 {
				read = append(read, strconv.Itoa(c.Reads.Max))
			}
			for _, text := range read {
				if c.ToV1 == nil {
					break
				}
				if _, err := c.ToV1(text); err != nil {
					t.Errorf("%q is described, but it %v", text, err)
				}
			}
			if pattern := c.Reads.Pattern; pattern != "" && !regexp.MustCompile("^("+pattern+")$").MatchString(c.Example[0]) {
				t.Errorf("it reads %q, which is not described", c.Example[0])
			}
			if c.Writes == "" {
				return
			}
			described := regexp.MustCompile("^(" + c.Writes + ")$")
			words := rapid.Just(c.Example[1])
			if try, ok := tried[c]; ok {
				words = try.v1
			}
			rapid.Check(t, func(t *rapid.T) {
				if written := c.AppendLegacy(nil, []byte(words.Draw(t, "v1"))); !described.Match(written) {
					t.Fatalf("it writes %q, which is not described", written)
				}
			})
		})
	}
}

func TestEveryConverterOfARowIsRegistered(t *testing.T) {
	names := map[string]int{}
	for _, c := range Converters {
		names[c.Name]++
	}
	check := func(where string, rows []Row) {
		for _, row := range rows {
			if row.Convert != nil && !slices.Contains(Converters, row.Convert) {
				t.Errorf("%s, row %s: converter %s is not registered", where, row.Legacy, row.Convert.Name)
			}
		}
	}
	for _, call := range Calls {
		check(call.ID, call.In)
		check(call.ID, call.Out)
	}
	for _, kind := range NotificationTypes {
		check(kind.Type, kind.Rows)
	}
}

func TestLocalTimesAroundTheChangesOfTheClocks(t *testing.T) {
	for legacy, want := range map[string]string{
		"2026-03-29 01:59:59":   "2026-03-29T00:59:59Z",
		"2026-03-29 02:00:00":   "does not exist in Europe/Brussels: the clocks went forward over it",
		"2026-03-29 02:30:00":   "does not exist in Europe/Brussels: the clocks went forward over it",
		"2026-03-29 03:00:00":   "2026-03-29T01:00:00Z",
		"2026-10-25 01:59:59":   "2026-10-24T23:59:59Z",
		"2026-10-25 02:00:00":   "2026-10-25T00:00:00Z",
		"2026-10-25 02:30:00":   "2026-10-25T00:30:00Z", // and not 01:30, when the clocks show it again
		"2026-10-25 03:00:00":   "2026-10-25T02:00:00Z",
		"2028-02-29 12:00:00":   "2028-02-29T11:00:00Z",
		"2027-02-29 12:00:00":   "must be a date such as 2026-11-20 14:23:23",
		"2026-11-20 4:23:23":    "must be a date such as 2026-11-20 14:23:23",
		"2026-11-20 14:23:23.5": "must be a date such as 2026-11-20 14:23:23",
		"2026-11-20T14:23:23":   "must be a date such as 2026-11-20 14:23:23",
		"2026-11-20":            "must be a date such as 2026-11-20 14:23:23",
		"0000-00-00 00:00:00":   "must be a date such as 2026-11-20 14:23:23",
		"1970-01-01 00:30:00":   "must be after 1970",
	} {
		got, err := LocalTime.ToV1(legacy)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s becomes %s, not %s", legacy, got, want)
		}
	}
}

// Each instant of ten years, a quarter of an hour apart and just before and after the clocks change: what the clocks
// show is what the standard library has, and means the same instant again, unless they had shown it an hour before.
func TestEveryInstantOfTenYearsSurvives(t *testing.T) {
	from, to := time.Date(2022, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2032, 1, 1, 0, 0, 0, 0, time.UTC)
	again := 0
	for quarter := from; quarter.Before(to); quarter = quarter.Add(15 * time.Minute) {
		for _, instant := range []time.Time{quarter.Add(-time.Second), quarter} {
			local := string(appendLocal(nil, []byte(instant.Format(time.RFC3339))))
			if want := instant.In(brussels).Format(localForm); local != want {
				t.Fatalf("%s is shown as %s, not %s", instant, local, want)
			}
			text, err := localToUTC(local)
			switch {
			case err != nil:
				t.Fatal(err)
			case text == instant.Format(time.RFC3339):
			case text == instant.Add(-time.Hour).Format(time.RFC3339):
				again++
			default:
				t.Fatalf("%s was shown as %s and became %s", instant, local, text)
			}
		}
	}
	if want := 10 * 8; again != want { // in each year one hour, of which eight instants were tried
		t.Errorf("%d instants were shown twice, not %d", again, want)
	}
}

func TestTheClocksOfACenturyAreAsTheStandardLibraryHasThem(t *testing.T) {
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2110; at = at.Add(time.Hour) {
		for _, instant := range []time.Time{at, at.Add(59*time.Minute + 59*time.Second)} {
			if got, want := string(appendLocal(nil, []byte(instant.Format(time.RFC3339)))), instant.In(brussels).Format(localForm); got != want {
				t.Fatalf("%s is shown as %s, not %s", instant, got, want)
			}
		}
	}
}

// TestTheClocksOfAnyYearAreAsTheStandardLibraryHasThem draws instants of the years 0 to 9999, to the microsecond. The zone's offset was
// no whole number of minutes at first, and the last local hour is of the year 10000.
func TestTheClocksOfAnyYearAreAsTheStandardLibraryHasThem(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, at int64) {
		got, want := string(appendLocalTime([]byte("x"), v1.Time(at))), "x"+time.UnixMicro(at).In(brussels).Format(localForm)
		if got != want {
			t.Errorf("%d is shown as %s, not %s", at, got, want)
		}
	}
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC).UnixMicro()
	for _, at := range []int64{first, first - 1, last, last + 1, 0, -1, 1, 999_999} {
		check(t, at)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Int64Range(first, last).Draw(t, "instant")) })
	var b [32]byte
	if allocations := testing.AllocsPerRun(100, func() { appendLocalTime(b[:0], v1.Time(last/2)) }); allocations != 0 {
		t.Errorf("a date costs %v allocations", allocations)
	}
}

func TestAmountsAreRoundedHalfUpAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"12.500": "12.50", "12.345": "12.35", "1.005": "1.01", "1.0049999999999999999999": "1.00", "3.3333333333333": "3.33", "19.989999999999998": "19.99",
		"0.995": "1.00", "9.999": "10.00", "0.004": "0.00", "7": "7.00", "007.5": "7.50", "999999999999999.995": "1000000000000000.00",
		"0.125": "0.13", "2.675": "2.68", "1e1": "", "1.": "", ".5": "", "1,005": "", "1.0x5": "", "+1.005": "", "1.005.1": "", "1234567890123456": "", "": "",
	} {
		got, err := Money.ToV1(text)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s becomes %q (%v), not %q", text, got, err, want)
		}
		cents, valid := new(big.Rat).SetString(text)
		if changed := valid && want != "" && !new(big.Rat).Mul(cents, big.NewRat(100, 1)).IsInt(); Money.Narrow(text) != changed && want != "" {
			t.Errorf("%s: it is said to change: %v", text, !changed)
		}
	}
}

func TestZerosThatMeanNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "0.00": true, "0,00": true, "00": true, ".0": true, "0.": true, "0000-00-00": true, "0000-00-00 00:00:00": true, "0000-00-00T00:00:00": true,
		"false": true, "FALSE": true, "null": true,
		"": false, "0.01": false, "0.004": false, "-0": false, "0 EUR": false, "00:00": false, "2026-00-00": false, ".": false, ",": false, "no": false, "0x0": false,
	} {
		if got := IsZero(text); got != want {
			t.Errorf("%q is a zero: %v", text, got)
		}
	}
}

func TestScoresGoToTheNearestStep(t *testing.T) {
	for n := range 101 {
		got, err := Score.ToV1(strconv.Itoa(n))
		if err != nil {
			t.Fatal(err)
		}
		step, _ := strconv.Atoi(got)
		if abs(step-n) > 12 || Score.Narrow(strconv.Itoa(n)) != (step != n) {
			t.Errorf("%d becomes %d", n, step)
		}
	}
	for _, text := range []string{"101", "-1", "", "1.5", "100%", strings.Repeat("9", 30)} {
		if got, err := Score.ToV1(text); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
