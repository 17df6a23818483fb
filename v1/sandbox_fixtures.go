package v1

import (
	"sellerd/v1/reference"
)

// SandboxBuyerInput is an invented buyer as input of the marketplace's methods.
func SandboxBuyerInput(b *SandboxBuyer) BuyerInput {
	in := BuyerInput{Nickname: Some(b.Nickname)}
	in.makeUp(0)
	return in
}

// makeUp adds the missing data of a new buyer: of an invented buyer all data; otherwise the data of an invented buyer of
// the same country or, if no country is given, of the one whose turn it is.
func (in *BuyerInput) makeUp(turn int64) {
	model := reference.SandboxBuyerNamed(in.Nickname.V)
	email := ""
	if model == nil {
		model, email = reference.SandboxBuyerOf(in.Country.Or(in.Address.V.Country.V), turn), reference.MailName(in.Nickname.V)+"@example.com"
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
		in.Address = Some(AddressInput{
			Name: Some(in.FirstName.V + " " + in.LastName.V), Line1: Some(model.Line1), PostalCode: Some(model.PostalCode),
			City: Some(model.City), State: notEmpty(model.State), Country: Some(model.Country), Phone: in.Phone,
		})
	}
}
