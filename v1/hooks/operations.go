package hooks

import (
	"sellerd/v1/core"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
)

// Operations are the endpoints of webhooks, deliveries and events, in the order of the documents.
var Operations = []*core.Operation{
	CreateWebhook.Operation, BrowseWebhooks.Operation, GetWebhook.Operation, UpdateWebhook.Operation, DeleteWebhook.Operation,
	TestWebhook.Operation, RecoverEvents.Operation, BrowseDeliveries.Operation, GetDelivery.Operation, Redeliver.Operation,
	BrowseEvents.Operation, GetEvent.Operation,
}

// The endpoints of webhooks and their deliveries.
var (
	CreateWebhook = core.NewOp("CreateWebhook", "POST", "/v1/webhooks", 201, (*Webhooks).createWebhook, core.Needs(permission.WebhooksWrite),
		core.AnswersSecret, core.Locates, core.AnswersETag,
		core.Doc("Subscribes a URL to events. The answer shows the secret that signs them, and no other answer does."),
		core.Refuses(refusal.InvalidWebhookURL, refusal.UnknownEvent, refusal.UnknownKey, refusal.WebhookLimitReached, refusal.WebhookExists))
	BrowseWebhooks = core.NewOp("BrowseWebhooks", "GET", "/v1/webhooks", 200, (*Webhooks).browseWebhooks, core.Needs(permission.WebhooksRead),
		core.Doc("Lists your webhooks."))
	GetWebhook = core.NewOp("GetWebhook", "GET", "/v1/webhooks/{id}", 200, (*Webhooks).getWebhook, core.Needs(permission.WebhooksRead),
		core.Tagged, core.Since("1.3.0"),
		core.Doc("Reads a webhook. Its secret is not shown."))
	UpdateWebhook = core.NewOp("UpdateWebhook", "PATCH", "/v1/webhooks/{id}", 200, (*Webhooks).updateWebhook,
		core.Needs(permission.WebhooksWrite), core.AnswersETag,
		core.Doc("Changes a webhook, pauses or resumes it, or gives it a new secret."),
		core.Refuses(refusal.MissingField, refusal.EmptyPatch, refusal.InvalidWebhookURL, refusal.UnknownEvent, refusal.UnknownKey,
			refusal.WebhookExists, refusal.PreconditionFailed))
	DeleteWebhook = core.NewOp("DeleteWebhook", "DELETE", "/v1/webhooks/{id}", 200, (*Webhooks).deleteWebhook,
		core.Needs(permission.WebhooksWrite),
		core.Doc("Deletes a webhook. What it still had to send is cancelled."),
		core.Refuses(refusal.PreconditionFailed))
	TestWebhook = core.NewOp("TestWebhook", "POST", "/v1/webhooks/{id}/test", 202, (*Webhooks).testWebhook,
		core.Needs(permission.WebhooksWrite), core.Since("1.2.0"), core.Locates,
		core.Doc("Sends an invented event of a type to a webhook, once, whatever it subscribes to."),
		core.Refuses(refusal.UnknownEvent, refusal.PreconditionFailed))
	BrowseDeliveries = core.NewOp("BrowseDeliveries", "GET", "/v1/webhook-deliveries", 200, (*Webhooks).browseDeliveries,
		core.Needs(permission.WebhooksRead),
		core.Doc("Lists the attempts of the last 30 days to send your events, newest first."))
	GetDelivery = core.NewOp("GetDelivery", "GET", "/v1/webhook-deliveries/{id}", 200, (*Webhooks).getDelivery,
		core.Needs(permission.WebhooksRead), core.Tagged, core.Since("1.3.0"),
		core.Doc("Reads an attempt to send an event."))
	BrowseEvents = core.NewOp("BrowseEvents", "GET", "/v1/events", 200, (*Webhooks).browseEvents, core.Needs(permission.WebhooksRead),
		core.Claims, core.Waits, core.Since("1.3.0"),
		core.Doc("Lists your events of the last 30 days in the order in which their changes became visible. With wait it holds the answer until there is an event. next_cursor is never null: go on from it."),
		core.Refuses(refusal.CursorExpired, refusal.UnknownField))
	GetEvent = core.NewOp("GetEvent", "GET", "/v1/events/{id}", 200, (*Webhooks).getEvent, core.Needs(permission.WebhooksRead), core.Tagged,
		core.Since("1.3.0"),
		core.Doc("Reads an event of the last 30 days."))
	RecoverEvents = core.NewOp("RecoverEvents", "POST", "/v1/webhooks/{id}/recover", 202, (*Webhooks).recoverEvents,
		core.Needs(permission.WebhooksWrite), core.Since("1.3.0"),
		core.Doc("Sends to a webhook every event of a time of at most 30 days that it subscribes to and has not accepted. What still waits for it is not sent twice."),
		core.Refuses(refusal.OutOfRange, refusal.PreconditionFailed))
	Redeliver = core.NewOp("Redeliver", "POST", "/v1/webhook-deliveries/{id}/redeliver", 202, (*Webhooks).redeliver,
		core.Needs(permission.WebhooksWrite), core.Since("1.2.0"), core.Locates,
		core.Doc("Sends an event again, once and at once, under the same webhook-id."),
		core.Refuses(refusal.WebhookNotFound))
)
