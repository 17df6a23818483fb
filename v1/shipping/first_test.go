package shipping

import (
	"encoding/json"
	"testing"

	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

func TestTheFirstModelsAreWhatTheOperatorCouldWrite(t *testing.T) {
	data := reference.Load()
	for _, country := range []string{"FR", "BE", "NL", "DE", "IT", "ES", "AT", "LU", "GB", "US", "CH", "LI", "CA", "AU", "ZZ"} {
		for _, model := range data.ShippingTemplates.ForAccount(country, "en") {
			zones, err := zonesFrom(&model)
			if err != nil {
				t.Fatal(err)
			}
			var in ModelInput
			written := map[string]any{
				"name": model.Name, "type": model.Type, "currency": model.Currency, "is_default": model.IsDefault,
				"zones": json.RawMessage(wire.RawOf(zones).Text),
			}
			text, err := json.Marshal(written)
			if err != nil {
				t.Fatal(err)
			}
			var problems refusal.Problems
			if err := wire.BindInto(text, &in, &problems); err != nil {
				t.Fatal(err)
			}
			check, err := NewCheck(data, nil, &problems)
			if err != nil {
				t.Fatal(err)
			}
			check.Model(&in, "")
			if err := problems.Err(); err != nil {
				t.Errorf("%s of %s: %v", model.Name, country, err)
			}
		}
	}
}
