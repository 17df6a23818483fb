package privacy

import (
	"sellerd/v1/hooks"
	"sellerd/v1/trade"
)

// Privacy forgets buyers.
type Privacy struct {
	*trade.Market

	hooks *hooks.Webhooks
}

func New(market *trade.Market, hooks *hooks.Webhooks) *Privacy { return &Privacy{market, hooks} }
