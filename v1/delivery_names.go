package v1

import "sellerd/v1/delivery"

// Names of package delivery that are part of this package's public face.

// Backlog is how the outbox stands, for the metrics.
type Backlog = delivery.Backlog

const (
	FormatStandard  = delivery.FormatStandard
	WebhookActive   = delivery.WebhookActive
	WebhookPaused   = delivery.WebhookPaused
	WebhookDisabled = delivery.WebhookDisabled
)

// The states of webhook deliveries. Each is one attempt to send one event to one receiver.
const (
	DeliveryScheduled   = delivery.Scheduled
	DeliverySending     = delivery.Sending
	DeliverySucceeded   = delivery.Succeeded
	DeliveryFailed      = delivery.Failed
	DeliveryInterrupted = delivery.Interrupted
	DeliveryCancelled   = delivery.Cancelled
)
