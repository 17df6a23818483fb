package v1

import (
	"context"

	"sellerd/v1/delivery"
)

// newDeliverer makes the engine that delivers events to webhooks, out of what the service has.
func (s *Service) newDeliverer() (*delivery.Engine, error) {
	return delivery.New(delivery.Config{
		Store:      s.store,
		Retrier:    &s.retrier,
		Clock:      s.Clock,
		Uptime:     s.Uptime,
		TrustClock: s.trustClock,
		Random:     s.Random,
		PrepareIDs: s.ids.prepare,
		NextID:     s.ids.ordered,
		Unseal:     s.unsealSecret,
		Render: func(ctx context.Context, format, url, event string, owner int64) (contentType, body string, err error) {
			rendered, err := s.renderEvent(ctx, s.store.Reader(), format, url, event, Owner(owner))
			return rendered.contentType, rendered.body, err
		},
		IsTest: func(owner int64) bool { return Owner(owner).Test() },
		Client: s.Webhooks,
		Logger: s.Logger,
		Stored: func(delivered, failed, stale int64) {
			s.counters.Delivered.Add(delivered)
			s.counters.DeliveryFailures.Add(failed)
			s.counters.StaleLeases.Add(stale)
		},
	})
}

// DeliverOnce delivers the events that are due to webhooks, and says how many attempts that took.
func (s *Service) DeliverOnce(ctx context.Context) (int, error) { return s.deliverer.Once(ctx) }
