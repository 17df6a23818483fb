package reference

import (
	"encoding/json"
	"slices"
	"strings"
)

// Templates are the shipping models that new accounts start with, so that a seller can list before having
// set up anything. Sellers of a country get its carriers and currency; the last template is for all other sellers.
type Templates struct {
	texts     map[string]map[string]string // key → language → name of a model or zone
	templates []shippingTemplate
}

// shippingTemplate is what the sellers of some countries start with.
type shippingTemplate struct {
	Countries []string `json:"countries"` // empty: all that no other template names
	Currency  string   `json:"currency"`
	Models    []Model  `json:"models"` // at least one of each type, one of all the default
}

// Model is one model. It encodes to JSON as the API shows a model, as do its zones and rates.
type Model struct {
	Name      string `json:"name"` // in the file a key of texts, from ForAccount a name
	Type      string `json:"type"` // fixed, weight or free
	Currency  string `json:"currency"`
	IsDefault bool   `json:"is_default"`
	Zones     []Zone `json:"zones"`
}

// Zone is a set of destinations with the same rates.
type Zone struct {
	Name      string   `json:"name"`
	Countries []string `json:"countries"` // empty, in the last zone only: everywhere else
	Rates     []Rate   `json:"rates"`
}

// Rate is what one delivery service costs. Weights are grams and null unless the model is by weight:
// from From to below To, or any more if To is null. What weighs exactly To pays the next rate, for the envelope
// weighs something too.
type Rate struct {
	DeliveryServiceID int64  `json:"delivery_service_id,string"`
	From              *int   `json:"from"`
	To                *int   `json:"to"`
	Price             string `json:"price"` // decimal with two digits, in the model's currency; 0.00 if and only if free
}

// Currency is what sellers of a country trade in unless they say otherwise.
func (t *Templates) Currency(country string) string { return t.template(country).Currency }

// ForAccount makes the models of a new account of a country, named in its language or, failing that, in English.
// The models and zones are the caller's; their countries and rates are shared and must not be changed.
func (t *Templates) ForAccount(country, language string) []Model {
	template := t.template(country)
	models := slices.Clone(template.Models)
	for i := range models {
		model := &models[i]
		model.Name = t.text(model.Name, language)
		model.Currency = template.Currency
		model.Zones = slices.Clone(model.Zones)
		for z := range model.Zones {
			model.Zones[z].Name = t.text(model.Zones[z].Name, language)
		}
	}
	return models
}

// template finds what a country starts with.
func (t *Templates) template(country string) *shippingTemplate {
	for i := range t.templates {
		if slices.Contains(t.templates[i].Countries, country) {
			return &t.templates[i]
		}
	}
	return &t.templates[len(t.templates)-1]
}

// text is the name a key stands for.
func (t *Templates) text(key, language string) string {
	if name, ok := t.texts[key][language]; ok {
		return name
	}
	return t.texts[key][Languages[0]]
}

// readShippingTemplates reads the text of shipping_models.json.
func readShippingTemplates(text string) *Templates {
	var file struct {
		Texts map[string]map[string]string `json:"texts"`
		// Regions are sets of countries. Among the countries of a zone, @name stands for those of the region that no other zone of the
		// model names.
		Regions   map[string][]string `json:"regions"`
		Templates []shippingTemplate  `json:"templates"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		panic("shipping_models.json: " + err.Error())
	}
	for _, template := range file.Templates {
		for _, model := range template.Models {
			replaceRegions(model.Zones, file.Regions)
		}
	}
	return &Templates{texts: file.Texts, templates: file.Templates}
}

// replaceRegions replaces the regions among the countries of a model's zones by their countries.
func replaceRegions(zones []Zone, regions map[string][]string) {
	named := map[string]bool{}
	for _, zone := range zones {
		for _, country := range zone.Countries {
			named[country] = true
		}
	}
	for i := range zones {
		countries := []string{}
		for _, country := range zones[i].Countries {
			region, isRegion := strings.CutPrefix(country, "@")
			if !isRegion {
				countries = append(countries, country)
				continue
			}
			for _, member := range regions[region] {
				if !named[member] {
					named[member] = true
					countries = append(countries, member)
				}
			}
		}
		zones[i].Countries = countries
	}
}
