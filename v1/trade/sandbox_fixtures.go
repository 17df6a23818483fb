package trade

import (
	"sellerd/v1/core"
	"sellerd/v1/reference"
	"sellerd/v1/wire"
)

// SandboxBuyerInput is an invented buyer as input of the marketplace's methods.
func SandboxBuyerInput(b *reference.SandboxBuyer) BuyerInput {
	in := BuyerInput{Nickname: wire.Some(b.Nickname)}
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
		field *wire.Opt[string]
		value string
	}{
		{&in.Email, email},
		{&in.FirstName, model.FirstName},
		{&in.LastName, model.LastName},
		{&in.Language, model.Language},
		{&in.Country, in.Address.V.Country.Or(model.Country)},
	} {
		if !fact.field.Set {
			*fact.field = wire.Some(fact.value)
		}
	}
	if in.Country.V != model.Country { // for a country without invented buyers no data are added
		return
	}
	if !in.Phone.Set {
		in.Phone = core.NotEmpty(model.Phone)
	}
	if !in.Address.Set {
		in.Address = wire.Some(AddressInput{
			Name: wire.Some(in.FirstName.V + " " + in.LastName.V), Line1: wire.Some(model.Line1), PostalCode: wire.Some(model.PostalCode),
			City: wire.Some(model.City), State: core.NotEmpty(model.State), Country: wire.Some(model.Country), Phone: in.Phone,
		})
	}
}
