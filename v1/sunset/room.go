package sunset

import (
	"crypto/cipher"
	"time"

	"sellerd/v1/accounts"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/trade"
)

// Rest is what only the deprecated interface needs.
type Rest struct {
	*trade.Market

	tokens cipher.AEAD // of the sessions of /rest
	usage  *Usage
	drills *Drills
}

// New makes the room. calls are the operations that follow the calls of /rest, by the calls' ids.
func New(accounts *accounts.Accounts, hooks *hooks.Webhooks, calls map[string]LegacySuccessor) (*Rest, error) {
	s := &Rest{Market: accounts.Market}
	s.usage, s.drills = NewUsage(s.Config, s.TrustClock, calls), NewDrills(s.Config)
	if s.Config.Secret != nil {
		var err error
		if s.tokens, err = s.Secret.Cipher("sellerd legacy session tokens v1"); err != nil {
			return nil, err
		}
	}
	hooks.Listed = s.numberSettings
	s.Register(s, core.Room{
		Loops:   []core.Loop{{Name: "legacy usage", Step: s.usage.Keep, Every: 5 * time.Second, Woken: nil}},
		Changed: keepPositions, Answered: s.countRequest, Keys: legacyKeys{},
	})
	return s, nil
}
