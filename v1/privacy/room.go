package privacy

import (
	"time"

	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/trade"
)

// Privacy forgets buyers, and closes accounts; it exports what is stored about both.
type Privacy struct {
	*trade.Market

	hooks *hooks.Webhooks
	pass  pass // of ForgetIdleOnce
}

// New makes the room, and the workers that forget idle buyers and erase closed accounts.
func New(market *trade.Market, hooks *hooks.Webhooks) *Privacy {
	s := &Privacy{Market: market, hooks: hooks}
	s.Register(s, core.Room{Loops: []core.Loop{
		{Name: "closed accounts", Step: s.CloseAccountsOnce, Every: time.Minute, Woken: nil},
		{Name: "buyers' retention", Step: s.ForgetIdleOnce, Every: retentionEvery, Woken: nil},
	}})
	return s
}
