package reference

import (
	"regexp"
	"strings"
	"testing"
)

// postalCodes are the forms of postal codes by country.
var postalCodes = map[string]string{
	"DE": `\d{5}`, "FR": `\d{5}`, "IT": `\d{5}`, "US": `\d{5}`, "ES": `\d{5}`, "GB": `[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}`, "NL": `\d{4} [A-Z]{2}`,
	"BE": `\d{4}`, "CA": `[A-Z]\d[A-Z] \d[A-Z]\d`, "CH": `\d{4}`, "AU": `\d{4}`, "JP": `\d{3}-\d{4}`, "AT": `\d{4}`, "SE": `\d{3} \d{2}`,
}

func TestMadeUpBuyersAreFit(t *testing.T) {
	countries, nicknames := map[string]bool{}, map[string]bool{}
	for _, b := range SandboxBuyers {
		countries[b.Country], nicknames[b.Nickname] = true, true
		if !regexp.MustCompile(`^`+postalCodes[b.Country]+`$`).MatchString(b.PostalCode) || postalCodes[b.Country] == "" {
			t.Errorf("%s: %q is no postal code of %s", b.Nickname, b.PostalCode, b.Country)
		}
		if !strings.HasPrefix(b.Nickname, "test-") || !regexp.MustCompile(`^[a-z.]+@example\.(com|org)$`).MatchString(b.Email) {
			t.Errorf("%s with %s could be a person", b.Nickname, b.Email)
		}
	}
	if len(countries) < 8 || len(nicknames) < 12 || len(nicknames) != len(SandboxBuyers) {
		t.Errorf("%d buyers from %d countries", len(nicknames), len(countries))
	}
}
