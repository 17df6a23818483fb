package v1

import (
	"fmt"
	"net/http"

	"sellerd/v1/accounts"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/privacy"
	"sellerd/v1/trade"
)

// Config is what a Service is made of.
type Config struct {
	core.Config
	RestConfig

	// LegacyNotifications renders events for webhooks of format legacy_xml. Without it such webhooks cannot be created, and
	// existing ones get no events.
	LegacyNotifications hooks.LegacyNotifications
}

// Service is the seller API: all rooms together. Their methods are the operations; it is safe for concurrent use.
type Service struct {
	*core.Core
	*items.Items
	*trade.Market
	*hooks.Webhooks
	*accounts.Accounts
	*privacy.Privacy
	*Rest
}

// New checks the configuration and makes a service.
func New(c Config) (*Service, error) {
	core, err := core.New(c.Config)
	if err != nil {
		return nil, err
	}
	s := &Service{Core: core}
	if s.Items, err = items.New(core); err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	s.Market = trade.New(s.Items)
	if s.Webhooks, err = hooks.New(s.Items, c.LegacyNotifications); err != nil {
		return nil, fmt.Errorf("v1: %w", err)
	}
	s.Accounts = accounts.New(s.Market, s.WebhookBacklog)
	s.Privacy = privacy.New(s.Market, s.Webhooks)
	s, err = withRest(s, c.RestConfig)
	return s, err
}

// Handler serves the operations of sellers, under /v1.
func (s *Service) Handler() http.Handler { return s.Serve(Operations) }

// OperatorHandler serves the marketplace's own operations, under /operator, to operators. It belongs on a listener that the internet cannot
// reach.
func (s *Service) OperatorHandler(door OperatorDoor) http.Handler {
	return s.ServeOperator(OperatorOperations, door)
}
