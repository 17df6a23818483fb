// Package reference holds the data that is the same for every seller and changes only with a release: the tree of
// categories, the delivery services, the shipping models that a new account starts with, and the invented buyers of the
// sandbox. Load reads the three files under data, which are part of the program; what it returns never changes
// and answers lookups. data/README.md says how to edit the files.
package reference

import (
	"cmp"
	_ "embed" // the three files under data are part of the program
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

var (
	//go:embed data/categories.tsv
	categoriesTSV string
	//go:embed data/delivery_services.tsv
	deliveryServicesTSV string
	//go:embed data/shipping_models.json
	shippingModelsJSON string
)

// Data is what the three files say. Nothing in it changes after Load, so any number of
// goroutines may read it; none may write to what they get from it.
type Data struct {
	Categories        *Tree
	DeliveryServices  []DeliveryService // by id
	ShippingTemplates *Templates
}

// Load returns the reference data. The first call of a process reads the files, which takes a few milliseconds; all calls return the
// same Data. What a file must be is checked by the tests of this package, which name the line of what does not fit.
func Load() *Data { return load() }

var load = sync.OnceValue(func() *Data {
	return &Data{
		Categories: readCategories(rowsOf(categoriesTSV)), DeliveryServices: readDeliveryServices(rowsOf(deliveryServicesTSV)),
		ShippingTemplates: readShippingTemplates(shippingModelsJSON),
	}
})

// DeliveryService finds a delivery service by its id, retired ones included.
func (d *Data) DeliveryService(id int64) (*DeliveryService, bool) {
	at, found := slices.BinarySearchFunc(d.DeliveryServices, id, func(row DeliveryService, id int64) int {
		return cmp.Compare(row.ID, id)
	})
	if !found {
		return nil, false
	}
	return &d.DeliveryServices[at], true
}

// DeliveryService is one product of a carrier, such as a registered letter of one country's post.
type DeliveryService struct {
	ID      int64
	Name    string // in the carrier's own language, as it stands on the label
	Carrier string
	Country string // ISO 3166-1 alpha-2: where the carrier is at home
	Tracked bool   // false: the next three are empty, as they are of a service that stands for any carrier

	TrackingURLTemplate string // https, with {number} where the tracking number goes
	NumberPattern       string // RE2, anchored at both ends
	sampleNumber        string // a made-up number of the right form, for documentation and tests

	Active  bool // false: retired; old trackings keep it, new ones may not use it
	pattern *regexp.Regexp
}

// AcceptsNumber says whether a tracking number has the form this service gives out. An untracked service gives out
// none and cannot check, so it accepts any. A number of any carrier has visible characters and blanks.
func (s *DeliveryService) AcceptsNumber(number string) bool {
	switch {
	case s.pattern != nil:
		return s.pattern.MatchString(number)
	case s.Tracked:
		return !strings.ContainsFunc(number, func(r rune) bool { return !unicode.IsGraphic(r) })
	default:
		return true
	}
}

// NormalNumber is a tracking number as programs of the service read it, without the blanks, hyphens and dots that labels have for the
// eye, without the line end that a scanner adds, and in capitals. A number stays as it is where nobody knows its form: of an untracked
// service, and of any carrier.
func (s *DeliveryService) NormalNumber(number string) string {
	if s.pattern == nil {
		return number
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Zs, unicode.Pd, unicode.Cf), strings.ContainsRune(numberFillers, r):
			return -1
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		default:
			return r
		}
	}, strings.Trim(number, "\r\n"))
}

// numberFillers are what stands in numbers besides blanks, dashes and characters without width: the tab, signs that look like a dash
// and are none to Unicode, and the dot, which Swiss Post and DHL print between groups of digits.
const numberFillers = "\t" + "\u02d7\u2043\u2212\u2796" + "."

// TrackingURL is the public page that follows one item, or "" for an untracked service.
func (s *DeliveryService) TrackingURL(number string) string {
	return strings.ReplaceAll(s.TrackingURLTemplate, trackingNumberPlace, url.QueryEscape(number))
}

// trackingNumberPlace is what TrackingURL replaces in a template.
const trackingNumberPlace = "{number}"

// readDeliveryServices reads the rows of delivery_services.tsv: id, name, carrier, country, tracked, tracking_url_template, number_pattern,
// sample_number and active, in the order of ids.
func readDeliveryServices(rows [][]string) []DeliveryService {
	services := make([]DeliveryService, len(rows))
	patterns := map[string]*regexp.Regexp{"": nil} // most posts share one of a few patterns
	for i, f := range rows {
		pattern, known := patterns[f[6]]
		if !known {
			pattern = regexp.MustCompile(f[6])
			patterns[f[6]] = pattern
		}
		services[i] = DeliveryService{
			ID: number(f[0]), Name: f[1], Carrier: f[2], Country: f[3], Tracked: f[4] == "1", TrackingURLTemplate: f[5], NumberPattern: f[6],
			sampleNumber: f[7], Active: f[8] == "1", pattern: pattern,
		}
	}
	return services
}

// rowsOf are the fields of the lines of a tab-separated file, without its header.
func rowsOf(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// number reads an id.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("reference data: " + err.Error())
	}
	return n
}
