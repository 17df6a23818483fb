package v1

import "sellerd/v1/permission"

// Operations are the endpoints of webhooks, deliveries and events, in the order of the documents.
var hooksOperations = []*Operation{
	CreateWebhook.Operation, BrowseWebhooks.Operation, GetWebhook.Operation, UpdateWebhook.Operation, DeleteWebhook.Operation,
	TestWebhook.Operation, RecoverEvents.Operation, BrowseDeliveries.Operation, GetDelivery.Operation, Redeliver.Operation,
	BrowseEvents.Operation, GetEvent.Operation,
}

// The endpoints of webhooks and their deliveries.
var (
	CreateWebhook = op("CreateWebhook", "POST", "/v1/webhooks", 201, (*Webhooks).createWebhook, needs(permission.WebhooksWrite), answersSecret, locates, answersETag,
		doc("Subscribes a URL to events. The answer shows the secret that signs them, and no other answer does."),
		refuses(InvalidWebhookURL, UnknownEvent, WebhookLimitReached, WebhookExists))
	BrowseWebhooks = op("BrowseWebhooks", "GET", "/v1/webhooks", 200, (*Webhooks).browseWebhooks, needs(permission.WebhooksRead),
		doc("Lists your webhooks."))
	GetWebhook = op("GetWebhook", "GET", "/v1/webhooks/{id}", 200, (*Webhooks).getWebhook, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads a webhook. Its secret is not shown."))
	UpdateWebhook = op("UpdateWebhook", "PATCH", "/v1/webhooks/{id}", 200, (*Webhooks).updateWebhook, needs(permission.WebhooksWrite), answersETag,
		doc("Changes a webhook, pauses or resumes it, or gives it a new secret."),
		refuses(MissingField, EmptyPatch, InvalidWebhookURL, UnknownEvent, WebhookExists, PreconditionFailed))
	DeleteWebhook = op("DeleteWebhook", "DELETE", "/v1/webhooks/{id}", 200, (*Webhooks).deleteWebhook, needs(permission.WebhooksWrite),
		doc("Deletes a webhook. What it still had to send is cancelled."),
		refuses(PreconditionFailed))
	TestWebhook = op("TestWebhook", "POST", "/v1/webhooks/{id}/test", 202, (*Webhooks).testWebhook, needs(permission.WebhooksWrite), since("1.2.0"), locates,
		doc("Sends an invented event of a type to a webhook, once, whatever it subscribes to."),
		refuses(UnknownEvent, PreconditionFailed))
	BrowseDeliveries = op("BrowseDeliveries", "GET", "/v1/webhook-deliveries", 200, (*Webhooks).browseDeliveries, needs(permission.WebhooksRead),
		doc("Lists the attempts of the last 30 days to send your events, newest first."))
	GetDelivery = op("GetDelivery", "GET", "/v1/webhook-deliveries/{id}", 200, (*Webhooks).getDelivery, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads an attempt to send an event."))
	BrowseEvents = op("BrowseEvents", "GET", "/v1/events", 200, (*Webhooks).browseEvents, needs(permission.WebhooksRead), claims, waits, since("1.3.0"),
		doc("Lists your events of the last 30 days in the order in which their changes became visible. With wait it holds the answer until there is an event. next_cursor is never null: go on from it."),
		refuses(CursorExpired))
	GetEvent = op("GetEvent", "GET", "/v1/events/{id}", 200, (*Webhooks).getEvent, needs(permission.WebhooksRead), tagged, since("1.3.0"),
		doc("Reads an event of the last 30 days."))
	RecoverEvents = op("RecoverEvents", "POST", "/v1/webhooks/{id}/recover", 202, (*Webhooks).recoverEvents, needs(permission.WebhooksWrite), since("1.3.0"),
		doc("Sends to a webhook every event of a time of at most 30 days that it subscribes to and has not accepted. What still waits for it is not sent twice."),
		refuses(OutOfRange, PreconditionFailed))
	Redeliver = op("Redeliver", "POST", "/v1/webhook-deliveries/{id}/redeliver", 202, (*Webhooks).redeliver, needs(permission.WebhooksWrite), since("1.2.0"), locates,
		doc("Sends an event again, once and at once, under the same webhook-id."),
		refuses(WebhookNotFound))
)
