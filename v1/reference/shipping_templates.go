package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
