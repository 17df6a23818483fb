package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sellerd/v1/wire"
)

// This file holds what the files of reference data must be. It reads them strictly, and names the line of the first thing that does not
// fit. TestTheFilesAreFit compares what it reads with what the program reads.

// rootCategories is how many roots there are. Their ids are fixed: -1 stamps, -2 postcards, -3 coins and banknotes,
// -4 books, -5 other collections, -6 phonecards, -7 badges, -8 old paper.
const rootCategories = 8

// categoryColumns is the header of categories.tsv.
var categoryColumns = append([]string{"id", "parent_id", "selectable"}, Languages[:]...)

// parseCategories reads the text of a category file. Its rows must stand in tree order, so a parent is always known
// and a cycle cannot be written.
func parseCategories(file, text string) (*Tree, error) {
	lines, err := readTSV(file, text, categoryColumns)
	if err != nil {
		return nil, err
	}
	b := categoryTreeBuilder{tree: &Tree{
		Rows: make([]Category, 0, len(lines)), ids: make([]int64, 0, len(lines)), at: make(map[int64]int, len(lines)),
	}}
	for i := range b.tree.Folded {
		b.tree.Folded[i] = make([]string, 0, len(lines))
	}
	for _, line := range lines {
		if err := b.add(line.fields); err != nil {
			return nil, line.error(err)
		}
	}
	b.close(0)
	if len(b.roots) != rootCategories {
		return nil, fmt.Errorf("%s:%d: %d roots instead of %d", file, len(lines)+1, len(b.roots), rootCategories)
	}
	for i, row := range b.tree.Rows {
		if row.end == i+1 && !row.Selectable {
			return nil, lines[i].error(fmt.Errorf("category %d has no children and is not selectable", row.ID))
		}
	}
	return b.tree, nil
}

// categoryTreeBuilder adds rows to a tree and knows the branch that the last one stands on.
type categoryTreeBuilder struct {
	tree  *Tree
	roots []int          // places of the roots so far
	open  []openCategory // the last row and what it is below, the root first
}

// openCategory is a category that may still get children.
type openCategory struct {
	row      int
	children []int // places of the children so far
}

// add appends one row of the file.
func (b *categoryTreeBuilder) add(fields []string) error {
	row := Category{Names: [len(Languages)]string(fields[3:])}
	var err error
	if row.ID, err = tsvID(fields[0]); err != nil {
		return err
	}
	if row.Selectable, err = tsvFlag("selectable", fields[2]); err != nil {
		return err
	}
	if _, taken := b.tree.at[row.ID]; taken {
		return fmt.Errorf("id %d is taken", row.ID)
	}
	siblings := &b.roots
	if fields[1] == "" {
		err = b.placeRoot(row)
	} else {
		siblings, err = b.placeBelow(&row, fields[1])
	}
	if err != nil {
		return err
	}
	if n := len(*siblings); n > 0 && magnitude(b.tree.ids[(*siblings)[n-1]]) >= magnitude(row.ID) {
		return fmt.Errorf("id %d follows its sibling %d: siblings are in the order of their ids", row.ID, b.tree.ids[(*siblings)[n-1]])
	}
	if err := b.name(&row, *siblings); err != nil {
		return err
	}
	at := len(b.tree.Rows)
	*siblings = append(*siblings, at)
	b.tree.at[row.ID] = at
	b.tree.ids = append(b.tree.ids, row.ID)
	b.tree.Rows = append(b.tree.Rows, row)
	b.open = append(b.open, openCategory{row: at})
	return nil
}

// placeRoot checks a row without parent and closes everything before it.
func (b *categoryTreeBuilder) placeRoot(row Category) error {
	if want := -int64(len(b.roots) + 1); row.ID != want {
		return fmt.Errorf("root %d stands where %d belongs", row.ID, want)
	}
	if row.Selectable {
		return fmt.Errorf("root %d is selectable", row.ID)
	}
	b.close(0)
	return nil
}

// placeBelow finds a row's parent on the open branch, closes what is below it, and returns its children so far.
func (b *categoryTreeBuilder) placeBelow(row *Category, parent string) (*[]int, error) {
	if row.ID < 0 {
		return nil, fmt.Errorf("category %d has a parent and a root's id", row.ID)
	}
	var err error
	if row.ParentID, err = tsvID(parent); err != nil {
		return nil, fmt.Errorf("parent_id: %w", err)
	}
	level := slices.IndexFunc(b.open, func(o openCategory) bool { return b.tree.ids[o.row] == row.ParentID })
	if level < 0 {
		return nil, fmt.Errorf("parent %d of category %d is not above it: rows are in tree order", row.ParentID, row.ID)
	}
	row.Level = level + 1
	b.close(row.Level)
	return &b.open[level].children, nil
}

// name checks the names of a row against those of its siblings, as search would compare them, and keeps them.
func (b *categoryTreeBuilder) name(row *Category, siblings []int) error {
	for language, name := range row.Names {
		folded := Fold(name)
		if folded == "" {
			return fmt.Errorf("category %d has no name in %s", row.ID, Languages[language])
		}
		for _, sibling := range siblings {
			if b.tree.Folded[language][sibling] == folded {
				return fmt.Errorf("category %d has the name %q of its sibling %d in %s", row.ID, name, b.tree.ids[sibling], Languages[language])
			}
		}
		b.tree.Folded[language] = append(b.tree.Folded[language], folded)
	}
	return nil
}

// close ends the open categories from a level on: the next row is not below them.
func (b *categoryTreeBuilder) close(level int) {
	for _, o := range b.open[level:] {
		b.tree.Rows[o.row].end = len(b.tree.Rows)
	}
	b.open = b.open[:level]
}

// magnitude is an id without its sign, which orders roots and all others alike.
func magnitude(id int64) int64 { return max(id, -id) }

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

// shippingTemplateFile is the form of shipping_models.json. The templates stay undecoded until their line is known.
type shippingTemplateFile struct {
	Texts map[string]map[string]string `json:"texts"`
	// Regions are sets of countries. Among the countries of a zone, @name stands for those of the region that no
	// other zone of the model names.
	Regions   map[string][]string `json:"regions"`
	Templates []json.RawMessage   `json:"templates"`
}

// parseShippingTemplates reads the text of a file of shipping templates, whose rates may use the active services that
// lookup finds. An error in a template names the line where that template begins.
func parseShippingTemplates(file, text string, lookup func(int64) (*DeliveryService, bool)) (*Templates, error) {
	var content shippingTemplateFile
	if err := decodeStrictly(text, &content); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, jsonErrorLine(text, err), err)
	}
	templates := &Templates{texts: content.Texts}
	if err := checkTexts(content.Texts); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, lineOf(text, strings.Index(text, `"texts"`)), err)
	}
	if err := checkRegions(content.Regions); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, lineOf(text, strings.Index(text, `"regions"`)), err)
	}
	check := shippingTemplateCheck{texts: content.Texts, regions: content.Regions, lookup: lookup, named: map[string]bool{}}
	searched := 0
	for i, raw := range content.Templates {
		begin := searched + strings.Index(text[searched:], string(raw))
		searched = begin + len(raw)
		var template shippingTemplate
		if err := decodeStrictly(string(raw), &template); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, lineOf(text, begin)+jsonErrorLine(string(raw), err)-1, err)
		}
		if err := check.template(&template, i == len(content.Templates)-1); err != nil {
			return nil, fmt.Errorf("%s:%d: template %v: %w", file, lineOf(text, begin), template.Countries, err)
		}
		templates.templates = append(templates.templates, template)
	}
	if len(templates.templates) == 0 {
		return nil, fmt.Errorf("%s:1: no templates", file)
	}
	return templates, nil
}

// decodeStrictly decodes a text of one JSON value and refuses members that into does not have.
func decodeStrictly(text string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is something after the value")
	}
	return nil
}

// jsonErrorLine is the line of a text that a decoding error speaks of, or its first if the error does not say.
func jsonErrorLine(text string, err error) int {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return lineOf(text, int(syntax.Offset))
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return lineOf(text, int(wrong.Offset))
	}
	return 1
}

// lineOf is the number of the line that holds a byte of the text; the first is 1.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:max(0, min(offset, len(text)))], "\n")
}

// checkTexts wants every text in every language.
func checkTexts(texts map[string]map[string]string) error {
	for key, names := range texts {
		for _, language := range Languages {
			if names[language] == "" {
				return fmt.Errorf("text %q is missing in %s", key, language)
			}
		}
		if len(names) != len(Languages) {
			return fmt.Errorf("text %q has languages beyond %v", key, Languages)
		}
	}
	return nil
}

// checkRegions wants country codes, each once a region.
func checkRegions(regions map[string][]string) error {
	for name, countries := range regions {
		for i, country := range countries {
			if !looksLikeCountry(country) || slices.Contains(countries[:i], country) {
				return fmt.Errorf("region %q: country %q is not a new code of two capital letters", name, country)
			}
		}
	}
	return nil
}

// shippingTemplateCheck is what a template is checked against.
type shippingTemplateCheck struct {
	texts   map[string]map[string]string
	regions map[string][]string
	lookup  func(int64) (*DeliveryService, bool)
	named   map[string]bool // the countries of the templates so far
}

// shippingRateRules are the types of a model and what the rates of one service in one zone must be.
var shippingRateRules = map[string]func([]Rate) error{
	"fixed": func(rates []Rate) error {
		if len(rates) != 1 || rates[0].From != nil || rates[0].To != nil || rates[0].Price == "0.00" {
			return errors.New("a fixed rate is one price without weights")
		}
		return nil
	},
	"free": func(rates []Rate) error {
		if len(rates) != 1 || rates[0].From != nil || rates[0].To != nil || rates[0].Price != "0.00" {
			return errors.New("a free rate is 0.00 without weights")
		}
		return nil
	},
	"weight": func(rates []Rate) error {
		next := 0
		for i, rate := range rates {
			if rate.From == nil || *rate.From != next || rate.Price == "0.00" {
				return fmt.Errorf("rate %d does not begin at %d grams or costs nothing", i+1, next)
			}
			if rate.To == nil && i < len(rates)-1 || rate.To != nil && *rate.To <= next {
				return fmt.Errorf("rate %d ends before the next can begin", i+1)
			}
			if rate.To != nil {
				next = *rate.To
			}
		}
		return nil
	},
}

// shippingPrice is the form of a price: at most 999999.99, no superfluous zeros.
var shippingPrice = regexp.MustCompile(`^(0|[1-9]\d{0,5})\.\d{2}$`)

// template checks a template and replaces the regions of its zones by their countries.
func (c *shippingTemplateCheck) template(t *shippingTemplate, last bool) error {
	if last != (len(t.Countries) == 0) {
		return errors.New("the last template and no other is for the countries not named")
	}
	for _, country := range t.Countries {
		if !looksLikeCountry(country) || c.named[country] {
			return fmt.Errorf("country %q is not a new code of two capital letters", country)
		}
		c.named[country] = true
	}
	if !slices.Contains(wire.Currencies, wire.Currency(t.Currency)) {
		return fmt.Errorf("currency %q is not supported", t.Currency)
	}
	defaults := 0
	types, names := map[string]bool{}, map[string]bool{}
	for i := range t.Models {
		model := &t.Models[i]
		if err := c.model(model); err != nil {
			return fmt.Errorf("model %q: %w", model.Name, err)
		}
		if names[model.Name] {
			return fmt.Errorf("two models are called %q", model.Name)
		}
		types[model.Type], names[model.Name] = true, true
		if model.IsDefault {
			defaults++
		}
	}
	if defaults != 1 || len(types) != len(shippingRateRules) {
		return fmt.Errorf("%d default models and %d types instead of 1 and %d", defaults, len(types), len(shippingRateRules))
	}
	return nil
}

func (c *shippingTemplateCheck) model(m *Model) error {
	rule, known := shippingRateRules[m.Type]
	if !known {
		return fmt.Errorf("type %q is unknown", m.Type)
	}
	if c.texts[m.Name] == nil {
		return errors.New("its name is not among the texts")
	}
	if m.Currency != "" {
		return errors.New("its currency is the template's")
	}
	if len(m.Zones) == 0 {
		return errors.New("it has no zones")
	}
	if err := c.countries(m.Zones); err != nil {
		return err
	}
	for _, zone := range m.Zones {
		if c.texts[zone.Name] == nil {
			return fmt.Errorf("the name of zone %q is not among the texts", zone.Name)
		}
		if err := c.rates(zone.Rates, rule); err != nil {
			return fmt.Errorf("zone %q: %w", zone.Name, err)
		}
	}
	return nil
}

// countries replaces regions by countries and refuses a country that two zones name.
func (c *shippingTemplateCheck) countries(zones []Zone) error {
	zoneOf := map[string]string{}
	for i, zone := range zones {
		if len(zone.Countries) == 0 && i < len(zones)-1 {
			return fmt.Errorf("zone %q names no country and is not the last", zone.Name)
		}
		for _, country := range zone.Countries {
			if strings.HasPrefix(country, "@") {
				continue
			}
			if !looksLikeCountry(country) {
				return fmt.Errorf("zone %q: country %q is not two capital letters", zone.Name, country)
			}
			if other, taken := zoneOf[country]; taken {
				return fmt.Errorf("zone %q: country %s is in zone %q", zone.Name, country, other)
			}
			zoneOf[country] = zone.Name
		}
	}
	for i := range zones {
		zone := &zones[i]
		countries := []string{}
		for _, country := range zone.Countries {
			region, isRegion := strings.CutPrefix(country, "@")
			if !isRegion {
				countries = append(countries, country)
				continue
			}
			members, known := c.regions[region]
			if !known {
				return fmt.Errorf("zone %q: region %q is unknown", zone.Name, region)
			}
			for _, member := range members {
				if _, taken := zoneOf[member]; !taken {
					zoneOf[member] = zone.Name
					countries = append(countries, member)
				}
			}
		}
		zone.Countries = countries
	}
	return nil
}

// rates checks the rates of a zone, which stand in groups of one delivery service.
func (c *shippingTemplateCheck) rates(rates []Rate, rule func([]Rate) error) error {
	if len(rates) == 0 {
		return errors.New("it has no rates")
	}
	seen := map[int64]bool{}
	for len(rates) > 0 {
		id := rates[0].DeliveryServiceID
		n := slices.IndexFunc(rates, func(r Rate) bool { return r.DeliveryServiceID != id })
		if n < 0 {
			n = len(rates)
		}
		if service, known := c.lookup(id); !known || !service.Active || seen[id] {
			return fmt.Errorf("delivery service %d is unknown, retired or in two places", id)
		}
		seen[id] = true
		for _, rate := range rates[:n] {
			if !shippingPrice.MatchString(rate.Price) {
				return fmt.Errorf("delivery service %d: price %q is not a decimal with two digits", id, rate.Price)
			}
		}
		if err := rule(rates[:n]); err != nil {
			return fmt.Errorf("delivery service %d: %w", id, err)
		}
		rates = rates[n:]
	}
	return nil
}
