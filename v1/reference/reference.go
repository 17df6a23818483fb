// Package reference holds the data that is the same for every seller and changes only with a release: the tree of
// categories, the delivery services, the shipping models that a new account starts with, and the invented buyers of the
// sandbox. Load reads and checks the three files under data, which are part of the program; what it returns never changes
// and answers lookups. data/README.md says how to edit the files.
package reference

import (
	"cmp"
	_ "embed" // the three files under data are part of the program
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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

// Load returns the reference data. The first call of a process reads and checks the files, which takes a few milliseconds;
// all calls return the same Data. An error names the file and the line of the first thing that does not fit.
func Load() (*Data, error) { return load() }

var load = sync.OnceValues(func() (*Data, error) {
	categories, err := parseCategories("data/categories.tsv", categoriesTSV)
	if err != nil {
		return nil, err
	}
	services, err := parseDeliveryServices("data/delivery_services.tsv", deliveryServicesTSV)
	if err != nil {
		return nil, err
	}
	data := &Data{Categories: categories, DeliveryServices: services}
	data.ShippingTemplates, err = parseShippingTemplates("data/shipping_models.json", shippingModelsJSON, data.DeliveryService)
	if err != nil {
		return nil, err
	}
	return data, nil
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

// deliveryServiceColumns is the header of delivery_services.tsv.
var deliveryServiceColumns = []string{
	"id", "name", "carrier", "country", "tracked", "tracking_url_template", "number_pattern", "sample_number", "active",
}

// parseDeliveryServices reads the text of a delivery service file, whose rows are in the order of their ids.
func parseDeliveryServices(file, text string) ([]DeliveryService, error) {
	lines, err := readTSV(file, text, deliveryServiceColumns)
	if err != nil {
		return nil, err
	}
	services := make([]DeliveryService, 0, len(lines))
	patterns := make(map[string]*regexp.Regexp) // most posts share one of a few patterns
	for _, line := range lines {
		service, err := parseDeliveryService(line, patterns)
		if err != nil {
			return nil, line.error(err)
		}
		if n := len(services); n > 0 && services[n-1].ID >= service.ID {
			return nil, line.error(fmt.Errorf("id %d follows %d: rows are in the order of their ids", service.ID, services[n-1].ID))
		}
		services = append(services, service)
	}
	return services, nil
}

func parseDeliveryService(line tsvLine, patterns map[string]*regexp.Regexp) (DeliveryService, error) {
	f := line.fields
	service := DeliveryService{
		Name: f[1], Carrier: f[2], Country: f[3], TrackingURLTemplate: f[5], NumberPattern: f[6], sampleNumber: f[7],
	}
	var err error
	if service.ID, err = tsvID(f[0]); err != nil {
		return service, err
	}
	if service.ID < 0 {
		return service, fmt.Errorf("id %d is negative", service.ID)
	}
	if service.Tracked, err = tsvFlag("tracked", f[4]); err != nil {
		return service, err
	}
	if service.Active, err = tsvFlag("active", f[8]); err != nil {
		return service, err
	}
	if service.Name == "" || service.Carrier == "" {
		return service, fmt.Errorf("name and carrier are required")
	}
	if !looksLikeCountry(service.Country) {
		return service, fmt.Errorf("country %q is not two capital letters", service.Country)
	}
	if f[5]+f[6]+f[7] == "" {
		return service, nil // untracked, or of any carrier
	}
	if !service.Tracked {
		return service, fmt.Errorf("an untracked service has no tracking page, pattern or sample")
	}
	if err := checkTrackingTemplate(service.TrackingURLTemplate); err != nil {
		return service, err
	}
	if service.pattern = patterns[service.NumberPattern]; service.pattern == nil {
		if service.pattern, err = compileAnchored(service.NumberPattern); err != nil {
			return service, err
		}
		patterns[service.NumberPattern] = service.pattern
	}
	if !service.AcceptsNumber(service.sampleNumber) {
		return service, fmt.Errorf("sample number %q does not match %s", service.sampleNumber, service.NumberPattern)
	}
	return service, nil
}

// checkTrackingTemplate wants an https address that holds the place of the number.
func checkTrackingTemplate(template string) error {
	page, err := url.Parse(template)
	if err != nil {
		return fmt.Errorf("tracking_url_template: %w", err)
	}
	if page.Scheme != "https" || page.Host == "" {
		return fmt.Errorf("tracking_url_template %q is not an https address", template)
	}
	if !strings.Contains(template, trackingNumberPlace) {
		return fmt.Errorf("tracking_url_template %q lacks %s", template, trackingNumberPlace)
	}
	return nil
}

// compileAnchored compiles a pattern and refuses one that could match a part of a number only. It asks the syntax
// tree and not the text, because ^a|b$ begins with ^ and ends with $ and is anchored in neither branch.
func compileAnchored(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("number_pattern: %w", err)
	}
	parts := tree.Sub
	if tree.Op != syntax.OpConcat || parts[0].Op != syntax.OpBeginText || parts[len(parts)-1].Op != syntax.OpEndText {
		return nil, fmt.Errorf("number_pattern %q is not anchored at both ends", pattern)
	}
	return regexp.Compile(pattern)
}

// tsvLine is one row of a tab-separated file and where it stands.
type tsvLine struct {
	file   string
	number int // 1 is the header
	fields []string
}

// error places err in the file.
func (l tsvLine) error(err error) error { return fmt.Errorf("%s:%d: %w", l.file, l.number, err) }

// readTSV splits a UTF-8 text with a header line into rows of as many fields as there are columns. There is no
// quoting: a field cannot hold a tab or a line end, nor begin or end with a space.
func readTSV(file, text string, columns []string) ([]tsvLine, error) {
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("%s:1: not UTF-8", file)
	}
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("%s:%d: the last line lacks its end", file, strings.Count(text, "\n")+1)
	}
	lines := make([]tsvLine, 0, strings.Count(text, "\n"))
	for row := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line := tsvLine{file: file, number: len(lines) + 1, fields: strings.Split(row, "\t")}
		if len(line.fields) != len(columns) {
			return nil, line.error(fmt.Errorf("%d fields instead of %d", len(line.fields), len(columns)))
		}
		for i, field := range line.fields {
			if field != strings.TrimSpace(field) {
				return nil, line.error(fmt.Errorf("%s %q begins or ends with a space", columns[i], field))
			}
		}
		lines = append(lines, line)
	}
	if !slices.Equal(lines[0].fields, columns) {
		return nil, lines[0].error(fmt.Errorf("columns %v instead of %v", lines[0].fields, columns))
	}
	return lines[1:], nil
}

// tsvID reads a decimal id as the API writes it: no sign but a minus, no leading zero, not zero itself.
func tsvID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id == 0 || strconv.FormatInt(id, 10) != text {
		return 0, fmt.Errorf("%q is not an id", text)
	}
	return id, nil
}

// tsvFlag reads a column that says 0 or 1.
func tsvFlag(column, text string) (bool, error) {
	if text != "0" && text != "1" {
		return false, fmt.Errorf("%s is %q instead of 0 or 1", column, text)
	}
	return text == "1", nil
}

// looksLikeCountry says whether a text has the form of an ISO 3166-1 alpha-2 code.
func looksLikeCountry(text string) bool {
	return len(text) == 2 && 'A' <= text[0] && text[0] <= 'Z' && 'A' <= text[1] && text[1] <= 'Z'
}
