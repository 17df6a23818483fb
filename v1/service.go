package v1

import (
	"fmt"
	"net/http"
)

// Config is what a Service is made of.
type Config struct {
	CoreConfig

	// LegacyCalls are the operations that follow the calls of /rest, by the calls' ids; empty for none.
	LegacyCalls map[string]LegacySuccessor
	// LegacyNotifications renders events for webhooks of format legacy_xml. Without it such webhooks cannot be created, and
	// existing ones get no events.
	LegacyNotifications LegacyNotifications
}

// Service is the seller API: all rooms together. Their methods are the operations; it is safe for concurrent use.
type Service struct {
	*Core
	*Items
	*Market
	*Webhooks
	*Accounts
	*Privacy
	*Rest
}

// New checks the configuration and makes a service.
func New(c Config) (*Service, error) {
	core, err := newCore(c.CoreConfig)
	if err != nil {
		return nil, err
	}
	s := &Service{Core: core}
	s.Items = newItems(core)
	s.Market = newMarket(s.Items)
	if s.Webhooks, err = newWebhooks(s.Items, c.LegacyNotifications); err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	s.Accounts = newAccounts(s.Market, s.WebhookBacklog)
	s.Privacy = newPrivacy(s.Market, s.Webhooks)
	if s.Rest, err = newRest(s.Accounts, s.Webhooks, c.LegacyCalls); err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	return s, nil
}

// Handler serves the operations of sellers, under /v1.
func (s *Service) Handler() http.Handler { return s.Serve(Operations) }

// OperatorHandler serves the marketplace's own operations, under /operator, to callers with the token. It belongs on a listener that
// the internet cannot reach.
func (s *Service) OperatorHandler(token string) http.Handler {
	return s.ServeOperator(OperatorOperations, token)
}
