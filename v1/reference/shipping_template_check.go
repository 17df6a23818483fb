package reference

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sellerd/v1/wire"
)

// This file holds what a file of shipping templates must be; shipping_templates.go reads it.

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
