package v1

import (
	"context"
	"net/url"
	"strings"

	"sellerd/v1/refusal"
)

// SandboxBuyer is an invented person: names are examples, phone numbers come from ranges kept free for fiction (empty where
// a country has none), and mail to the addresses is not delivered.
type SandboxBuyer struct {
	Nickname, FirstName, LastName, Email string
	Language, Country, Phone             string
	Line1, PostalCode, City, State       string
}

// SandboxBuyers are the buyers of the simulation endpoints. Requests that name no buyer use them in turn. The order must
// not change, because scripts rely on it. docs/sandbox.md shows the table.
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

// madeUpBuyer finds an invented buyer by nickname, nil if there is none.
func madeUpBuyer(nickname string) *SandboxBuyer {
	for i := range SandboxBuyers {
		if SandboxBuyers[i].Nickname == nickname {
			return &SandboxBuyers[i]
		}
	}
	return nil
}

// Input is the buyer as input of the marketplace's methods.
func (b *SandboxBuyer) Input() BuyerInput {
	in := BuyerInput{Nickname: Some(b.Nickname)}
	in.makeUp(0)
	return in
}

// makeUp adds the missing data of a new buyer: of an invented buyer all data; otherwise the data of an invented buyer of
// the same country or, if no country is given, of the one whose turn it is.
func (in *BuyerInput) makeUp(turn int64) {
	model := madeUpBuyer(in.Nickname.V)
	email := ""
	if model == nil {
		model, email = modelFor(in.Country.Or(in.Address.V.Country.V), turn), mailNameOf(in.Nickname.V)+"@example.com"
	} else {
		email = model.Email
	}
	for _, fact := range []struct {
		field *Opt[string]
		value string
	}{
		{&in.Email, email},
		{&in.FirstName, model.FirstName},
		{&in.LastName, model.LastName},
		{&in.Language, model.Language},
		{&in.Country, in.Address.V.Country.Or(model.Country)},
	} {
		if !fact.field.Set {
			*fact.field = Some(fact.value)
		}
	}
	if in.Country.V != model.Country { // for a country without invented buyers no data are added
		return
	}
	if !in.Phone.Set {
		in.Phone = notEmpty(model.Phone)
	}
	if !in.Address.Set {
		in.Address = Some(Address{
			Name: Some(in.FirstName.V + " " + in.LastName.V), Line1: Some(model.Line1), PostalCode: Some(model.PostalCode),
			City: Some(model.City), State: notEmpty(model.State), Country: Some(model.Country), Phone: in.Phone,
		})
	}
}

// modelFor is an invented buyer of a country, or the one whose turn it is.
func modelFor(country string, turn int64) *SandboxBuyer {
	for i := range SandboxBuyers {
		if SandboxBuyers[i].Country == country {
			return &SandboxBuyers[i]
		}
	}
	return &SandboxBuyers[uint64(turn)%uint64(len(SandboxBuyers))]
}

// mailNameOf is a nickname as the local part of a mail address.
func mailNameOf(nickname string) string {
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

// SandboxImageHost is the host of the images with a fixed outcome. The name can never exist (RFC 6761). For test data it is
// not looked up: publication knows the outcome of each image. In live mode it is a host that cannot be reached.
const SandboxImageHost = "outcome.test"

// SandboxImage is an image address that decides how a publication in test mode ends.
type SandboxImage struct {
	URL      string
	Image    FetchedImage // the result of fetching it
	Rejected Code         // the code with which its submission is rejected whatever the other images are, empty for none
}

// SandboxImages are the documented addresses, in the order of docs/sandbox.md. Any other address of the host is
// unreachable.
var SandboxImages = []SandboxImage{
	{"https://outcome.test/ready.jpg", FetchedImage{Width: 1600, Height: 1200, ContentType: "image/jpeg"}, ""},
	{"https://outcome.test/image_unreachable.jpg", FetchedImage{ErrorCode: ImageUnreachable}, ""},
	{"https://outcome.test/image_too_large.jpg", FetchedImage{ErrorCode: ImageTooLarge}, ""},
	{"https://outcome.test/image_format_unsupported.jpg", FetchedImage{ErrorCode: ImageFormatUnsupported}, ""},
	{"https://outcome.test/publication_timeout.jpg", FetchedImage{ErrorCode: ImageUnreachable}, PublicationTimeout},
	{"https://outcome.test/store_limit_reached.jpg", FetchedImage{ErrorCode: ImageUnreachable}, StoreLimitReached},
	{"https://outcome.test/category_not_selectable.jpg", FetchedImage{ErrorCode: ImageUnreachable}, CategoryNotSelectable},
}

// sandboxImage finds the outcome of an owner's image address; it is false for live data and for other hosts. The query is
// ignored, so an item can have several images with the same outcome.
func sandboxImage(owner Owner, address string) (SandboxImage, bool) {
	if !owner.Test() {
		return SandboxImage{}, false
	}
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(strings.TrimSuffix(u.Hostname(), "."), SandboxImageHost) {
		return SandboxImage{}, false
	}
	for _, image := range SandboxImages {
		if image.URL == "https://"+SandboxImageHost+u.Path {
			return image, true
		}
	}
	return SandboxImage{URL: address, Image: FetchedImage{ErrorCode: ImageUnreachable}}, true
}

// sandboxRejection is the error with which a submission with these images is rejected, nil if the images are treated as
// usual.
func sandboxRejection(owner Owner, images []ImageInput) Errors {
	for _, wanted := range images {
		if image, ok := sandboxImage(owner, wanted.URL); ok && image.Rejected != "" {
			return refusal.New(image.Rejected)
		}
	}
	return nil
}

// fetchImagesOf fetches an owner's images, except those with a fixed outcome.
func (s *Service) fetchImagesOf(ctx context.Context, owner Owner, urls []string) []FetchedImage {
	images := make([]FetchedImage, len(urls))
	var elsewhere []string
	var places []int
	for i, address := range urls {
		if image, ok := sandboxImage(owner, address); ok {
			images[i] = image.Image
			continue
		}
		elsewhere, places = append(elsewhere, address), append(places, i)
	}
	if len(elsewhere) == 0 {
		return images
	}
	for i, image := range s.config.Images.FetchAll(ctx, elsewhere) {
		images[places[i]] = image
	}
	return images
}
