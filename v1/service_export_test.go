package v1

import "net/http"

// WebhookClient is the client that sends events, for a test of its guard.
func (s *Service) WebhookClient() *http.Client { return s.config.Webhooks }
