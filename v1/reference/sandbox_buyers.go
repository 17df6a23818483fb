package reference

import "strings"

// SandboxBuyer is an invented person: names are examples, phone numbers come from ranges kept free for fiction (empty where
// a country has none), and mail to the addresses is not delivered.
type SandboxBuyer struct {
	Nickname, FirstName, LastName, Email string
	Language, Country, Phone             string
	Line1, PostalCode, City, State       string
}

// SandboxBuyers are the buyers of the simulation endpoints. Requests that name no buyer use them in turn. The order must
// not change, because scripts rely on it. docs/seller/sandbox-buyers.md shows the table.
var SandboxBuyers = []SandboxBuyer{
	{"test-klara", "Klara", "Muster", "klara.muster@example.com", "de", "DE", "+49 30 23125012", "Musterstraße 12", "10115", "Berlin", ""},
	{"test-hugo", "Hugo", "Lexemple", "hugo.lexemple@example.org", "fr", "FR", "+33 1 99 00 12 34", "8 rue de l'Exemple", "75011", "Paris", ""},
	{"test-giulia", "Giulia", "Esempi", "giulia.esempi@example.com", "it", "IT", "", "Via dell'Esempio 21", "20121", "Milano", "MI"},
	{"test-grace", "Grace", "Sample", "grace.sample@example.org", "en", "US", "+1 212 555 0123", "350 Sample Avenue, Apt 4B", "10001", "New York", "NY"},
	{"test-sofia", "Sofía", "Muestra", "sofia.muestra@example.com", "es", "ES", "", "Calle de la Muestra 5, 2.º B", "28013", "Madrid", ""},
	{"test-oliver", "Oliver", "Specimen", "oliver.specimen@example.org", "en", "GB", "+44 20 7946 0018", "27 Specimen Road", "EC1A 1BB", "London", ""},
	{"test-sanne", "Sanne", "Voorbeeld", "sanne.voorbeeld@example.com", "nl", "NL", "", "Voorbeeldstraat 14", "1012 AB", "Amsterdam", ""},
	{"test-lucas", "Lucas", "Exemplaire", "lucas.exemplaire@example.org", "fr", "BE", "", "Rue du Modèle 33", "1000", "Bruxelles", ""},
	{"test-emily", "Emily", "Mockford", "emily.mockford@example.com", "en", "CA", "+1 613 555 0147", "120 Mock Street", "K1A 0B1", "Ottawa", "ON"},
	{"test-urs", "Urs", "Beispiel", "urs.beispiel@example.org", "de", "CH", "", "Beispielgasse 7", "8001", "Zürich", ""},
	{"test-ruby", "Ruby", "Placeholder", "ruby.placeholder@example.com", "en", "AU", "+61 491 570 156", "9 Placeholder Parade", "2000", "Sydney", "NSW"},
	{"test-haruto", "Haruto", "Mihon", "haruto.mihon@example.org", "en", "JP", "", "1-2-3 Mihoncho", "100-0001", "Tokyo", ""},
	{"test-lena", "Lena", "Vorlage", "lena.vorlage@example.com", "de", "AT", "", "Vorlagengasse 18/6", "1010", "Wien", ""},
	{"test-astrid", "Astrid", "Exempel", "astrid.exempel@example.org", "en", "SE", "+46 8 465 004 27", "Exempelgatan 4", "111 22", "Stockholm", ""},
	{"test-camille", "Camille", "Modèle", "camille.modele@example.com", "fr", "FR", "+33 6 39 98 12 34", "15 place du Modèle", "69002", "Lyon", ""},
	{"test-jonas", "Jonas", "Probe", "jonas.probe@example.org", "de", "DE", "+49 40 66969034", "Probeweg 3", "20095", "Hamburg", ""},
}

// SandboxBuyerNamed finds an invented buyer by nickname, nil if there is none.
func SandboxBuyerNamed(nickname string) *SandboxBuyer {
	for i := range SandboxBuyers {
		if SandboxBuyers[i].Nickname == nickname {
			return &SandboxBuyers[i]
		}
	}
	return nil
}

// SandboxBuyerOf is the first invented buyer of a country or, if the country has none, the one whose turn it is.
func SandboxBuyerOf(country string, turn int64) *SandboxBuyer {
	for i := range SandboxBuyers {
		if SandboxBuyers[i].Country == country {
			return &SandboxBuyers[i]
		}
	}
	return SandboxBuyerAt(turn)
}

// SandboxBuyerAt is the invented buyer whose turn it is. After the last buyer comes the first.
func SandboxBuyerAt(turn int64) *SandboxBuyer {
	return &SandboxBuyers[uint64(turn)%uint64(len(SandboxBuyers))]
}

// MailName is a nickname as the local part of a mail address: in small letters, without characters other than a to z, digits
// and hyphens. It is "buyer" if none is left.
func MailName(nickname string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(nickname))
	if name = strings.Trim(name, "-"); name == "" {
		return "buyer"
	}
	return name
}
