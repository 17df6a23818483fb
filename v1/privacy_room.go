package v1

// Privacy forgets buyers.
type Privacy struct {
	*Market

	hooks *Webhooks
}

func newPrivacy(market *Market, hooks *Webhooks) *Privacy { return &Privacy{market, hooks} }
