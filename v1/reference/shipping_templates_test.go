package reference

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShippingTemplatesOfTheMarketplace(t *testing.T) {
	data := Load()
	templates := data.ShippingTemplates

	t.Run("a country's sellers trade in its currency", func(t *testing.T) {
		want := map[string]string{
			"FR": "EUR", "BE": "EUR", "NL": "EUR", "DE": "EUR", "IT": "EUR", "ES": "EUR", "AT": "EUR", "LU": "EUR",
			"GB": "GBP", "US": "USD", "CH": "CHF", "LI": "CHF", "CA": "CAD", "AU": "AUD", "JP": "EUR", "": "EUR",
		}
		got := map[string]string{}
		for country := range want {
			got[country] = templates.Currency(country)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	for _, country := range strings.Fields("FR BE NL DE IT ES GB US CH CA AT LU AU JP") {
		models := templates.ForAccount(country, "en")
		t.Run("a seller in "+country+" starts with a model of each type", func(t *testing.T) {
			var types []string
			defaults := 0
			for _, model := range models {
				types = append(types, model.Type)
				if model.IsDefault {
					defaults++
				}
				if model.Currency != templates.Currency(country) || model.Name == "" {
					t.Errorf("model %q is in %q", model.Name, model.Currency)
				}
				checkZones(t, data, model)
			}
			slices.Sort(types)
			if diff := cmp.Diff([]string{"fixed", "free", "weight"}, types); diff != "" || defaults != 1 {
				t.Errorf("%d defaults, types %s", defaults, diff)
			}
		})
		if country == "JP" {
			continue // its template is the one without countries
		}
		t.Run("a seller in "+country+" sends home with a carrier of the country", func(t *testing.T) {
			for _, model := range models {
				home := model.Zones[0]
				if !slices.Contains(home.Countries, country) {
					t.Errorf("the first zone of %s is %v", model.Name, home.Countries)
				}
				service, _ := data.DeliveryService(home.Rates[0].DeliveryServiceID)
				if service.Country != country {
					t.Errorf("%s sends first with %d from %s", model.Name, service.ID, service.Country)
				}
			}
		})
	}

	t.Run("names are in the seller's language, or in English", func(t *testing.T) {
		got := map[string][]string{}
		for _, language := range append(Languages[:], "pl") {
			model := templates.ForAccount("BE", language)[0]
			got[language] = []string{model.Name, model.Zones[0].Name, model.Zones[2].Name}
		}
		want := map[string][]string{
			"en": {"By weight", "Domestic", "Rest of the world"},
			"fr": {"Au poids", "National", "Reste du monde"},
			"de": {"Nach Gewicht", "Inland", "Rest der Welt"},
			"it": {"In base al peso", "Nazionale", "Resto del mondo"},
			"es": {"Por peso", "Nacional", "Resto del mundo"},
			"nl": {"Op gewicht", "Binnenland", "Rest van de wereld"},
			"pl": {"By weight", "Domestic", "Rest of the world"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a region is what no other zone of the model names", func(t *testing.T) {
		zones := templates.ForAccount("FR", "fr")[0].Zones
		europe := zones[2].Countries
		for _, home := range zones[0].Countries {
			if slices.Contains(europe, home) {
				t.Errorf("%s is in %s and in %s", home, zones[0].Name, zones[2].Name)
			}
		}
		if !slices.Contains(europe, "CH") || !slices.Contains(europe, "GB") || len(europe) < 40 {
			t.Errorf("Europe is %v", europe)
		}
	})

	t.Run("a seller's models are a copy", func(t *testing.T) {
		before := templates.ForAccount("DE", "de")
		changed := templates.ForAccount("DE", "de")
		changed[0].Name, changed[0].Zones[0].Name = "Meins", "Hier"
		changed[0].Zones[0].Rates = nil
		if diff := cmp.Diff(before, templates.ForAccount("DE", "de")); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a model encodes as the API shows it", func(t *testing.T) {
		got, err := json.Marshal(templates.ForAccount("JP", "nl")[2])
		if err != nil {
			t.Fatal(err)
		}
		want := `{"name":"Gratis verzending","type":"free","currency":"EUR","is_default":false,"zones":[{"name":"Alle landen",` +
			`"countries":[],"rates":[{"delivery_service_id":"901","from":null,"to":null,"price":"0.00"}]}]}`
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Error(diff)
		}
	})
}

// checkZones checks what a seller may rely on: countries exist and are in one zone only, the last zone alone is for
// everywhere else, services are in use, and the weights of each service begin at nothing and leave no gap.
func checkZones(t *testing.T, data *Data, model Model) {
	t.Helper()
	zoneOf := map[string]string{}
	for i, zone := range model.Zones {
		if len(zone.Countries) == 0 && i != len(model.Zones)-1 {
			t.Errorf("%s: zone %q is everywhere else and not the last", model.Name, zone.Name)
		}
		for _, country := range zone.Countries {
			if other, taken := zoneOf[country]; taken || !isCountry(country) {
				t.Errorf("%s: %q of zone %q does not exist or is in %q", model.Name, country, zone.Name, other)
			}
			zoneOf[country] = zone.Name
		}
		next := map[int64]int{}
		for _, rate := range zone.Rates {
			if service, ok := data.DeliveryService(rate.DeliveryServiceID); !ok || !service.Active {
				t.Errorf("%s: delivery service %d is unknown or retired", model.Name, rate.DeliveryServiceID)
			}
			if !shippingPrice.MatchString(rate.Price) || (rate.Price == "0.00") != (model.Type == "free") {
				t.Errorf("%s: %q is not a price", model.Name, rate.Price)
			}
			if model.Type != "weight" {
				if rate.From != nil || rate.To != nil {
					t.Errorf("%s: delivery service %d has weights", model.Name, rate.DeliveryServiceID)
				}
				continue
			}
			if rate.From == nil || *rate.From != next[rate.DeliveryServiceID] {
				t.Errorf("%s, zone %q: delivery service %d has a gap before %v", model.Name, zone.Name, rate.DeliveryServiceID, rate.From)
			}
			next[rate.DeliveryServiceID] = -1 // nothing follows a rate without end
			if rate.To != nil {
				next[rate.DeliveryServiceID] = *rate.To
			}
		}
	}
}

// goodTemplates is a file of two templates, the second beginning on line 9. Tests of errors change a part of it.
const goodTemplates = `{
  "texts": {"a": {"en": "A", "fr": "A", "de": "A", "it": "A", "es": "A", "nl": "A"},
            "b": {"en": "B", "fr": "B", "de": "B", "it": "B", "es": "B", "nl": "B"},
            "c": {"en": "C", "fr": "C", "de": "C", "it": "C", "es": "C", "nl": "C"}},
  "regions": {"near": ["DE", "FR"]},
  "templates": [{"countries": ["FR"], "currency": "EUR", "models": [
    {"name": "a", "type": "fixed", "is_default": true, "zones": [{"name": "a", "countries": ["FR"], "rates": [{"delivery_service_id": "1", "from": null, "to": null, "price": "1.00"}]}, {"name": "b", "countries": ["@near"], "rates": [{"delivery_service_id": "1", "from": null, "to": null, "price": "2.00"}]}]},
    {"name": "b", "type": "weight", "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "from": 0, "to": 20, "price": "1.00"}, {"delivery_service_id": "1", "from": 20, "to": null, "price": "3.00"}]}]}, {"name": "c", "type": "free", "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "price": "0.00"}]}]}]},
    {"countries": [], "currency": "USD", "models": [
    {"name": "a", "type": "fixed", "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "price": "4.00"}]}]}, {"name": "b", "type": "free", "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "price": "0.00"}]}]},
    {"name": "c", "type": "weight", "is_default": true, "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "from": 0, "price": "5.00"}]}]}]}]
}
`

func parseTemplateText(text string) (*Templates, error) {
	return parseShippingTemplates("bad.json", text, func(id int64) (*DeliveryService, bool) {
		return &DeliveryService{ID: id, Active: id == 1}, id < 3
	})
}

func TestParseShippingTemplates(t *testing.T) {
	t.Run("what is right is taken", func(t *testing.T) {
		if _, err := parseTemplateText(goodTemplates); err != nil {
			t.Fatal(err)
		}
		templates := readShippingTemplates(goodTemplates)
		if diff := cmp.Diff([]string{"DE"}, templates.ForAccount("FR", "en")[0].Zones[1].Countries); diff != "" {
			t.Errorf("the region without FR: %s", diff)
		}
	})

	for _, try := range []struct {
		name, old, new, want string
	}{
		{"no JSON", `"texts":`, `"texts"`, "bad.json:2: invalid character '{' after object key"},
		{"a value of another type", `"currency": "USD"`, `"currency": 5`, "bad.json:9: json: cannot unmarshal number into Go struct field " +
			"shippingTemplate.currency of type string"},
		{"an unknown member", `"regions"`, `"area"`, `bad.json:1: json: unknown field "area"`},
		{"a second value", "\n}\n", "\n}\n{}", "bad.json:1: there is something after the value"},
		{"a text missing in a language", `, "nl": "C"`, "", `bad.json:2: text "c" is missing in nl`},
		{"a text in one language more", `, "nl": "C"`, `, "nl": "C", "pl": "C"`, `bad.json:2: text "c" has languages beyond [en fr de it es nl]`},
		{"a region that names a country twice", `["DE", "FR"]`, `["FR", "FR"]`, `bad.json:5: region "near": country "FR" is not a new code of two capital letters`},
		{"an unknown region", `"@near"`, `"@far"`, `bad.json:6: template [FR]: model "a": zone "b": region "far" is unknown`},
		{
			"a country of two templates", `"countries": ["FR"], "currency"`, `"countries": ["FR", "FR"], "currency"`,
			`bad.json:6: template [FR FR]: country "FR" is not a new code of two capital letters`,
		},
		{
			"no template for the rest", `"countries": [], "currency"`, `"countries": ["US"], "currency"`,
			"bad.json:9: template [US]: the last template and no other is for the countries not named",
		},
		{"another currency", `"USD"`, `"JPY"`, `bad.json:9: template []: currency "JPY" is not supported`},
		{
			"a currency of a model", `"is_default": true, "zones": [{"name": "a"`, `"is_default": true, "currency": "EUR", "zones": [{"name": "a"`,
			`bad.json:6: template [FR]: model "a": its currency is the template's`,
		},
		{
			"two defaults", `"type": "weight", "zones"`, `"type": "weight", "is_default": true, "zones"`,
			"bad.json:6: template [FR]: 2 default models and 3 types instead of 1 and 3",
		},
		{"two models of a name", `{"name": "c", "type": "free"`, `{"name": "b", "type": "free"`, `bad.json:6: template [FR]: two models are called "b"`},
		{"an unknown type", `"type": "fixed"`, `"type": "volume"`, `bad.json:6: template [FR]: model "a": type "volume" is unknown`},
		{"a model's name that is no text", `{"name": "a", "type"`, `{"name": "z", "type"`, `bad.json:6: template [FR]: model "z": its name is not among the texts`},
		{
			"a zone's name that is no text", `{"name": "a", "countries"`, `{"name": "z", "countries"`,
			`bad.json:6: template [FR]: model "a": the name of zone "z" is not among the texts`,
		},
		{"a country of two zones", `["@near"]`, `["FR"]`, `bad.json:6: template [FR]: model "a": zone "b": country FR is in zone "a"`},
		{
			"a zone after the one for everywhere", `"countries": ["FR"], "rates"`, `"countries": [], "rates"`,
			`bad.json:6: template [FR]: model "a": zone "a" names no country and is not the last`,
		},
		{"a country that is none", `["@near"]`, `["near"]`, `bad.json:6: template [FR]: model "a": zone "b": country "near" is not two capital letters`},
		{
			"no zones", `"type": "free", "zones": [{"name": "c", "rates": [{"delivery_service_id": "1", "price": "0.00"}]}]`, `"type": "free", "zones": []`,
			`bad.json:6: template [FR]: model "c": it has no zones`,
		},
		{"no rates", `"rates": [{"delivery_service_id": "1", "price": "0.00"}]`, `"rates": []`, `bad.json:6: template [FR]: model "c": zone "c": it has no rates`},
		{
			"a retired service", `"delivery_service_id": "1", "from": null`, `"delivery_service_id": "2", "from": null`,
			`bad.json:6: template [FR]: model "a": zone "a": delivery service 2 is unknown, retired or in two places`,
		},
		{"a price of one digit", `"price": "1.00"`, `"price": "1.0"`, `bad.json:6: template [FR]: model "a": zone "a": delivery service 1: price "1.0" is not a decimal with two digits`},
		{"a fixed rate for nothing", `"price": "1.00"`, `"price": "0.00"`, `bad.json:6: template [FR]: model "a": zone "a": delivery service 1: a fixed rate is one price without weights`},
		{"a free rate that costs", `"price": "0.00"`, `"price": "0.01"`, `bad.json:6: template [FR]: model "c": zone "c": delivery service 1: a free rate is 0.00 without weights`},
		{"weights that leave a gap", `"from": 20`, `"from": 21`, `bad.json:6: template [FR]: model "b": zone "c": delivery service 1: rate 2 does not begin at 20 grams or costs nothing`},
		{"weights that end too early", `"to": 20,`, `"to": null,`, `bad.json:6: template [FR]: model "b": zone "c": delivery service 1: rate 1 ends before the next can begin`},
	} {
		t.Run(try.name, func(t *testing.T) {
			text := strings.Replace(goodTemplates, try.old, try.new, 1)
			if text == goodTemplates {
				t.Fatalf("%s is not in the text", try.old)
			}
			if _, err := parseTemplateText(text); err == nil || err.Error() != try.want {
				t.Errorf("got  %v\nwant %s", err, try.want)
			}
		})
	}
}
