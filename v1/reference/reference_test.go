package reference

import (
	"errors"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/language"
)

// TestTheFilesAreFit reads the files strictly, and compares that with what the program reads.
func TestTheFilesAreFit(t *testing.T) {
	var strict Data
	var err1, err2, err3 error
	strict.Categories, err1 = parseCategories("data/categories.tsv", categoriesTSV)
	strict.DeliveryServices, err2 = parseDeliveryServices("data/delivery_services.tsv", deliveryServicesTSV)
	strict.ShippingTemplates, err3 = parseShippingTemplates("data/shipping_models.json", shippingModelsJSON, strict.DeliveryService)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	samePattern := cmp.Comparer(func(a, b *regexp.Regexp) bool { return a == b || a != nil && b != nil && a.String() == b.String() })
	if diff := cmp.Diff(&strict, Load(), samePattern, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("what the program reads (-strict +program):\n%s", diff)
	}
}

func BenchmarkReadReferenceData(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readCategories(rowsOf(categoriesTSV))
		readDeliveryServices(rowsOf(deliveryServicesTSV))
		readShippingTemplates(shippingModelsJSON)
	}
}

func TestDeliveryServicesOfTheWorld(t *testing.T) {
	data := Load()

	t.Run("each is found by its id", func(t *testing.T) {
		for i := range data.DeliveryServices {
			want := &data.DeliveryServices[i]
			if got, ok := data.DeliveryService(want.ID); !ok || got != want {
				t.Errorf("%d finds %+v, %t", want.ID, got, ok)
			}
		}
		for _, id := range []int64{0, -1, 100, 1_000_000_000_000} {
			if got, ok := data.DeliveryService(id); ok {
				t.Errorf("%d finds %+v", id, got)
			}
		}
	})

	t.Run("the posts of Europe, America and Australia can all track", func(t *testing.T) {
		tracked := map[string]bool{}
		for _, service := range data.DeliveryServices {
			if service.Tracked && service.Active {
				tracked[service.Country] = true
			}
		}
		for country := range strings.FieldsSeq("FR BE NL DE GB IE IT ES PT CH AT LU SE DK NO FI IS EE LV LT PL CZ SK HU SI HR BG RO " +
			"GR CY MT US CA MX BR AR CL CO AU") {
			if !tracked[country] {
				t.Errorf("nothing tracked from %s", country)
			}
		}
	})

	t.Run("there are untracked letters and retired services too", func(t *testing.T) {
		untracked, retired := 0, 0
		for _, service := range data.DeliveryServices {
			if !service.Tracked {
				untracked++
			}
			if !service.Active {
				retired++
			}
		}
		if untracked < 20 || retired < 3 {
			t.Errorf("%d untracked, %d retired", untracked, retired)
		}
	})

	t.Run("countries exist", func(t *testing.T) {
		for _, service := range data.DeliveryServices {
			if !isCountry(service.Country) {
				t.Errorf("%d is from %q", service.ID, service.Country)
			}
		}
	})

	t.Run("a sample of each fits its pattern as a whole and gives a link", func(t *testing.T) {
		for _, service := range data.DeliveryServices {
			sample := service.sampleNumber
			if service.NumberPattern == "" {
				if link := service.TrackingURL("RR123456785FR"); link != "" || !service.AcceptsNumber("anything") {
					t.Errorf("%d links to %q or refuses numbers", service.ID, link)
				}
				continue
			}
			if sample == "" || len(sample) > 64 || !service.AcceptsNumber(sample) {
				t.Errorf("%d does not accept its sample %q", service.ID, sample)
			}
			for _, wrong := range []string{"", " " + sample, sample + "\n", sample + " " + sample, strings.ToLower("A" + sample)} {
				if service.AcceptsNumber(wrong) {
					t.Errorf("%d accepts %q", service.ID, wrong)
				}
			}
			link, err := url.Parse(service.TrackingURL(sample))
			if err != nil || link.Scheme != "https" || !strings.Contains(link.String(), sample) || strings.Contains(link.String(), "{") {
				t.Errorf("%d links to %v, %v", service.ID, link, err)
			}
		}
	})

	t.Run("numbers in all forms that carriers name are accepted", func(t *testing.T) {
		for id, numbers := range map[int64][]string{
			142: {"010541288500452621221234567890", "323200000012345678901234", "RA123456789BE"},
			143: {"329998745632147852365873", "323256984521032569", "EE123456789BE", "JJBEA2356412012365478896541"},
			144: {"323256984521032569", "CD123456785BE", "JJBEA2356412012365478896541"},
			263: {"PK6Q1D0712345678901234H", "2K0ZZZ0712345670128013H", "CX123456785ES"},
			185: {"340434161094042557", "00340434161094042557", "222234567890", "JJD000390007882823475", "JD014600003828392838"},
			211: {"AB1234567", "PBAB1234567001", "QWER1234567890", "123456789012", "EE123456785GB", "CP123456785JP"},
			362: {"370724761234567891", "00370724761234567891", "UI123456785SE", "12345678901234"},
			372: {"370724761234567891", "RR123456785DK"},
			402: {"643007890000000001", "00643007890000000001", "JJFI12345678901234567"},
			452: {"590077340000000001", "00590077340000000001", "RR123456785PL"},
			603: {"9205500000000000000001", "EA123456785US", "420900019205500000000000000001"},
			604: {"9208800000000000000001", "RE123456785US"},
			801: {"1234567890", "JJD0099999999", "JJD0199999999", "JVGL9999999999", "JD014600003828392838", "0001234567890", "000123456789012345678901"},
			811: {"1Z9999999999999999", "T9999999999", "999999999", "999999999999"},
			831: {"1000713716066U", "0000001389487Q", "250095804610596705", "05132012345678", "05132012345678K", "AB132012345678", "1234567890", "008182709980000020033350276C"},
		} {
			service, _ := data.DeliveryService(id)
			for _, number := range numbers {
				if !service.AcceptsNumber(number) {
					t.Errorf("%d refuses %s", id, number)
				}
			}
		}
		for id, numbers := range map[int64][]string{
			142: {"020541288500452621221234567890", "01054128850045262122123456789"},
			143: {"JJBEA235641201236547889654", "JJBEB2356412012365478896541"},
			263: {"PK6Q1D0712345678901234", "PK6Q1D0712345678901234HH"},
			362: {"0370724761234567891", "37072476123456789"},
			801: {"JD01460000", "123456789", "ABCD0146000038"},
			811: {"1Z99999999999999", "99999999", "T999999999"},
			831: {"25009580461059670", "100071371606U", "1000713716065UU"},
		} {
			service, _ := data.DeliveryService(id)
			for _, number := range numbers {
				if service.AcceptsNumber(number) {
					t.Errorf("%d accepts %s", id, number)
				}
			}
		}
	})

	t.Run("a number is what a label has without its blanks, hyphens and dots", func(t *testing.T) {
		tracked, _ := data.DeliveryService(104)
		untracked, _ := data.DeliveryService(106)
		another, _ := data.DeliveryService(904)
		for number, want := range map[string]string{
			"":                    "",
			"6A01234567891":       "6A01234567891",
			" 6a 0123-4567 891\t": "6A01234567891",
			"6a\u00a0012\u202f3\u20074\u2011567\u2010891\ufeff\u2060\u00ad": "6A01234567891",
			"6a\u2009012\u2003345\u3000678\u200b91\r\n":                     "6A01234567891",
			"\n6a.01234.56\u20137891\t\r\n":                                 "6A01234567891",
			"6a\u20140123\u20154\u2212567\ufe63891":                         "6A01234567891",
			"6a\uff0d0123\u20434\u02d7567\u2e3a8\u279691":                   "6A01234567891",
			"\u202a6a01234567891\u202c\u200e":                               "6A01234567891",
			"6a\u180e0123\u205f4567891":                                     "6A01234567891",
			"6\nA":                                                          "6\nA",
			"6A/1":                                                          "6A/1",
			"６A０１２３４５６７８９１":                                                 "６A０１２３４５６７８９１",
			"é":                                                             "é",
		} {
			if got := tracked.NormalNumber(number); got != want {
				t.Errorf("%q becomes %q, want %q", number, got, want)
			}
			if got := untracked.NormalNumber(number); got != number {
				t.Errorf("%q of an untracked service becomes %q", number, got)
			}
			if got := another.NormalNumber(number); got != number {
				t.Errorf("%q of another carrier becomes %q", number, got)
			}
		}
	})

	t.Run("a number of another carrier has visible characters", func(t *testing.T) {
		another, _ := data.DeliveryService(904)
		if !another.Tracked || another.TrackingURL("1") != "" {
			t.Errorf("it is %+v", another)
		}
		for number, want := range map[string]bool{
			"ab-12 34.5": true, "№ 7/2026": true, "運單 123": true, "a\u00a0b": true,
			"a\tb": false, "a\u200bb": false, "\u202a1\u202c": false, "1\u2028": false, "\x7f": false,
		} {
			if got := another.AcceptsNumber(number); got != want {
				t.Errorf("%q: %t, want %t", number, got, want)
			}
		}
	})

	t.Run("samples in the form of UPU S10 have its check digit", func(t *testing.T) {
		s10 := regexp.MustCompile(`^[A-Z]{2}\d{9}[A-Z]{2}$`)
		checked := 0
		for _, service := range data.DeliveryServices {
			if !s10.MatchString(service.sampleNumber) {
				continue
			}
			checked++
			if want := s10CheckDigit(service.sampleNumber[2:10]); service.sampleNumber[10] != want {
				t.Errorf("%d: %s ends in %c instead of %c", service.ID, service.sampleNumber, service.sampleNumber[10], want)
			}
		}
		if checked < 40 {
			t.Errorf("only %d samples have the form", checked)
		}
	})

	t.Run("a number cannot change where a link leads", func(t *testing.T) {
		service, _ := data.DeliveryService(102)
		want := "https://www.laposte.fr/outils/suivre-vos-envois?code=1%2F2%3Fx%3D%23y%26z+%7Bnumber%7D"
		if got := service.TrackingURL("1/2?x=#y&z {number}"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// s10CheckDigit computes the ninth digit of a UPU S10 identifier from its first eight (UPU standard S10, section 4.3).
func s10CheckDigit(serial string) byte {
	sum := 0
	for i, weight := range [...]int{8, 6, 4, 2, 3, 5, 9, 7} {
		sum += weight * int(serial[i]-'0')
	}
	return "05987654321"[sum%11]
}

func isCountry(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && region.IsCountry() && region.String() == code
}

func TestParseDeliveryServicesNamesTheLineOfWhatIsWrong(t *testing.T) {
	const good = "1|Lettre|La Poste|FR|0||||1"
	const page = "https://post.example/{number}"
	for _, try := range []struct {
		name, row, want string
	}{
		{"an id below zero", "-5|L|P|FR|0||||1", "bad.tsv:3: id -5 is negative"},
		{"an id that is no number", "x|L|P|FR|0||||1", `bad.tsv:3: "x" is not an id`},
		{"an id that is taken", good, "bad.tsv:3: id 1 follows 1: rows are in the order of their ids"},
		{"no carrier", "5|L||FR|0||||1", "bad.tsv:3: name and carrier are required"},
		{"a country in small letters", "5|L|P|fr|0||||1", `bad.tsv:3: country "fr" is not two capital letters`},
		{"a flag that is neither 0 nor 1", "5|L|P|FR|0||||", `bad.tsv:3: active is "" instead of 0 or 1`},
		{"tracking of what is not tracked", "5|L|P|FR|0||^A$||1", "bad.tsv:3: an untracked service has no tracking page, pattern or sample"},
		{
			"a page that is not https", "5|L|P|FR|1|http://post.example/{number}|^A$|A|1",
			`bad.tsv:3: tracking_url_template "http://post.example/{number}" is not an https address`,
		},
		{"a page without the number", "5|L|P|FR|1|https://post.example/|^A$|A|1", `bad.tsv:3: tracking_url_template "https://post.example/" lacks {number}`},
		{"a pattern that does not compile", "5|L|P|FR|1|" + page + "|^($|A|1", "bad.tsv:3: number_pattern: error parsing regexp: missing closing ): `^($`"},
		{"a pattern without an end", "5|L|P|FR|1|" + page + "|^A|A|1", `bad.tsv:3: number_pattern "^A" is not anchored at both ends`},
		{"no pattern at all", "5|L|P|FR|1|" + page + "||A|1", `bad.tsv:3: number_pattern "" is not anchored at both ends`},
		{"a sample that does not match", "5|L|P|FR|1|" + page + "|^A$|B|1", `bad.tsv:3: sample number "B" does not match ^A$`},
		{"a field too few", "5|L|P|FR|0|||1", "bad.tsv:3: 8 fields instead of 9"},
		{"an empty line", "", "bad.tsv:3: 1 fields instead of 9"},
	} {
		t.Run(try.name, func(t *testing.T) {
			text := strings.Join(deliveryServiceColumns, "\t") + "\n" + strings.ReplaceAll(good+"\n"+try.row+"\n", "|", "\t")
			if _, err := parseDeliveryServices("bad.tsv", text); err == nil || err.Error() != try.want {
				t.Errorf("got  %v\nwant %s", err, try.want)
			}
		})
	}

	t.Run("an alternative outside parentheses is anchored on one side only", func(t *testing.T) {
		if _, err := compileAnchored("^A|B$"); err == nil {
			t.Error("accepted")
		}
		if _, err := compileAnchored("^(A|B)$"); err != nil {
			t.Error(err)
		}
	})
}

func TestReadTSVNamesTheLineOfWhatIsWrong(t *testing.T) {
	for _, try := range []struct {
		name, text, want string
	}{
		{"another header", "a\tc\n", "bad.tsv:1: columns [a c] instead of [a b]"},
		{"no header", "\n", "bad.tsv:1: 1 fields instead of 2"},
		{"nothing", "", "bad.tsv:1: the last line lacks its end"},
		{"a last line without end", "a\tb\n1\t2", "bad.tsv:2: the last line lacks its end"},
		{"line ends of another system", "a\tb\r\n", `bad.tsv:1: b "b\r" begins or ends with a space`},
		{"another encoding", "a\tb\n\xe9\t2\n", "bad.tsv:1: not UTF-8"},
	} {
		t.Run(try.name, func(t *testing.T) {
			if _, err := readTSV("bad.tsv", try.text, []string{"a", "b"}); err == nil || err.Error() != try.want {
				t.Errorf("got  %v\nwant %s", err, try.want)
			}
		})
	}
}
