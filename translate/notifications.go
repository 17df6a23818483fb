package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file has the types of notifications, what notifications contain, and the calls that subscribe to them.

// SettingField is the number of a setting in paths and lists.
const SettingField = "id_notification"

// TypeDefault is the notification type that stands for all types, and EveryEvent is the event that it subscribes to.
const (
	TypeDefault = "Curl_Default"
	EveryEvent  = "*"
)

// Setting is a webhook as a notification setting.
type Setting struct {
	Webhook   v1.Webhook `json:"webhook"`
	AccountID v1.ID      `json:"account_id"`
	Type      string     `json:"type"`
	Number    int64      `json:"setting_number"` // fits into 32 bits
}

// Notification is a type of notification, and the event that it is sent for.
type Notification struct {
	Type  string
	Event string
	When  v1.Code // only for submissions that were rejected with this code
	Rows  []Row
	Doc   string
}

// Notice is the data in which the rows of notifications are resolved: an event's data, and what the delivery adds.
type Notice struct {
	Item       v1.Opt[v1.Item]           `json:"item"`
	Sale       v1.Opt[v1.SaleWithRating] `json:"sale"`
	Submission v1.Opt[v1.Submission]     `json:"submission"`
	Previous   v1.Opt[v1.Item]           `json:"previous"`
	Address    v1.Opt[v1.Address]        `json:"shipping_address"`
	Seller     string                    `json:"seller_nickname"`
}

var itemNotice = []Row{
	{Legacy: "id_item", V1: "item.id", Dir: Out, Convert: Identifier},
	{Legacy: "personal_reference", V1: "item.personal_reference", Dir: Out},
}

// NotificationTypes are all types but Curl_Default and the types of e-mails.
var NotificationTypes = []*Notification{
	{Type: "Curl_Seller_Item_Add", Event: "item.published", Rows: itemNotice, Doc: "an item is on sale. The rest of a lot keeps the lot's number, so no other " +
		"item begins when some of it is sold, and there is no id_parent"},
	{
		Type: "Curl_Seller_Item_Add_Error_Image", Event: "item.rejected", When: v1.ImagesUnreachable, Doc: "an item was refused because none of its images " +
			"could be fetched",
		Rows: []Row{{Legacy: "personal_reference", V1: "submission.personal_reference", Dir: Out}},
	},
	{Type: "Curl_Seller_Item_Update", Event: "item.updated", Rows: itemNotice, Doc: "an item was changed or renewed"},
	{Type: "Curl_Seller_Item_FirstBid", Event: "item.first_bid", Rows: itemNotice, Doc: "an auction got its first bid"},
	{
		Type: "Curl_Seller_Item_Close_Sold", Event: "item.sold", Doc: "an item, or some of a lot, was sold",
		Rows: slices.Concat([]Row{
			{Legacy: "seller_nickname", V1: "seller_nickname", Dir: Out},
			{Legacy: "id_item", V1: "item.id", Dir: Out, Convert: Identifier},
			{Legacy: "item_title", V1: "item.title", Dir: Out},
			{Legacy: "best_bid", V1: "sale.unit_price.amount", Dir: Out, Convert: Money},
			{Legacy: "best_bid_currency", V1: "sale.unit_price.currency", Dir: Out},
			{Legacy: "qty", V1: "sale.quantity", Dir: Out, Convert: Integer},
			{Legacy: "personal_reference", V1: "item.personal_reference", Dir: Out},
			{Legacy: "url_to_item", V1: "item.url", Dir: Out, Convert: EncodedURL},
			{Legacy: "bids_qty", V1: "item.bid_count", Dir: Out, Convert: Integer},
			{Legacy: "visits_counter", V1: "item.visit_count", Dir: Out, Convert: Integer},
		}, knownBuyerRows, []Row{
			{Legacy: "url_to_rating", V1: "item.url", Dir: Out, Convert: RatingURL, Doc: "where on the item's page its buyer is rated"},
		}),
	},
	{Type: "Curl_Seller_Item_Close_Unsold", Event: "item.unsold", Rows: itemNotice, Doc: "an item ended without a sale"},
	{Type: "Curl_Seller_Item_Close_Manually", Event: "item.closed", Rows: itemNotice, Doc: "the seller took an item off sale"},
	{
		Type: "Curl_Seller_Item_Move", Event: "item.moved", Doc: "the marketplace moved an item to another category",
		Rows: []Row{
			{Legacy: "id_item", V1: "item.id", Dir: Out, Convert: Identifier},
			{Legacy: "id_category_from", V1: "previous.category_id", Dir: Out, Convert: Identifier},
			{Legacy: "id_category_to", V1: "item.category_id", Dir: Out, Convert: Identifier},
		},
	},
}

// TypeEvents are the types of notifications and the events that they subscribe to.
var TypeEvents = func() *Converter {
	pairs := make([][2]string, 0, len(NotificationTypes)+1)
	for _, n := range NotificationTypes {
		pairs = append(pairs, [2]string{n.Type, n.Event})
	}
	return enumeration("notification type", "The event that a notification tells of. "+TypeDefault+" stands for all types. A type may also be sent as the "+
		"list of settings shows it, without "+channel+".", asRead(append(pairs, [2]string{TypeDefault, EveryEvent}))...)
}()

// channel is what types begin with, except in the list of settings, where the channel has an element of its own.
const channel = "Curl_"

// asRead adds each type as the list of settings shows it.
func asRead(pairs [][2]string) [][2]string {
	for _, pair := range slices.Clone(pairs) {
		pairs = append(pairs, [2]string{strings.TrimPrefix(pair[0], channel), pair[1]})
	}
	return pairs
}

// isRead says whether a type is written as the list of settings shows it.
func isRead(pair [2]string) bool { return !strings.HasPrefix(pair[0], channel) }

// SettingEvents are the events of a webhook as settings show them: each event that a notification tells of, once. A family of events
// is all of its own; an event that no notification tells of is not there, because no type stands for it.
func SettingEvents(subscribed []string) (events []string) {
	for _, name := range subscribed {
		if name == EveryEvent {
			return []string{EveryEvent}
		}
		family, isFamily := strings.CutSuffix(name, "*")
		for _, n := range NotificationTypes {
			if (n.Event == name || isFamily && strings.HasPrefix(n.Event, family)) && !slices.Contains(events, n.Event) {
				events = append(events, n.Event)
			}
		}
	}
	return events
}

var notificationCalls = []*Call{
	define(Call{
		ID: "notification-types", Title: "List the types of notifications", Method: "GET", Pattern: "/rest/notification/types",
		Target: local[Word](), Element: "type",
		Out:   []Row{{Legacy: "name", V1: "name", Dir: Out}},
		Guide: Guidance{Phase: PhaseNotifications, Later: 3},
	}),
	define(Call{
		ID: "notification-list", Title: "List your notification settings", Method: "GET", Pattern: "/rest/notification/settings",
		Target: composed[Setting](
			Step{Operation: v1.BrowseWebhooks.Operation, Main: true, Purpose: "list the webhooks; those with format " + v1.FormatLegacyXML + " are the settings"},
		),
		Element: "notification_settings",
		Out: []Row{
			{Legacy: SettingField, V1: "setting_number", Dir: Out, Convert: SettingNumber, Loss: Loss{Synthesised, "A small number that only /rest knows. In " +
				"/v1 the webhook has an id, such as wh_1z."}},
			{Legacy: "id_user", V1: "account_id", Dir: Out, Convert: Identifier},
			{Legacy: "channel", Dir: Out, Const: "Curl", Loss: Loss{Synthesised, "It is the only channel."}},
			{Legacy: "type", V1: "type", Dir: Out, Convert: SettingTypes},
			{Legacy: "destination", V1: "webhook.url", Dir: Out},
			{Legacy: "active", V1: "webhook.status", Dir: Out, Convert: Activity},
		},
		Guide: Guidance{Phase: PhaseNotifications},
	}),
	define(Call{
		ID: "notification-add", Title: "Ask for notifications", Method: "POST", Pattern: "/rest/notification/settings",
		Target: direct(v1.CreateWebhook.Operation).keyed("subscribe-{notificationType}"),
		In: []Row{
			{Legacy: "notificationType", V1: "events", Dir: In, Convert: TypeEvents, Required: true},
			{Legacy: "destination", V1: "url", Dir: In, Caution: httpsOnly, Required: true},
			{V1: "format", Dir: In, Const: v1.FormatLegacyXML, Loss: Loss{Synthesised, "Events arrive as the XML that old programs read. A new program leaves " +
				"format out, gets JSON, and verifies signatures."}},
		},
		Out:     acknowledgement,
		Handles: []v1.Code{v1.WebhookExists}, // a setting that exists already is renewed
		Never: []Exception{
			{[]v1.Code{v1.TooShort}, "an empty list of types is no field at all"},
			{[]v1.Code{v1.HTMLNotAllowed}, "no row leads to the description"},
		},
		Guide: Guidance{Phase: PhaseNotifications},
	}),
	define(Call{
		ID: "email-notification", Title: "Ask for notifications by e-mail", Method: "POST", Pattern: "/rest/notification/settings",
		Match:  Match{"notificationType", "Email_"},
		Target: Target{Kind: Absent},
		Guide:  Guidance{Phase: PhaseNotifications, Later: 4},
	}),
	define(Call{
		ID: "notification-switch", Title: "Switch a setting off and on", Method: "PUT", Pattern: "/rest/notification/{id_notification}",
		Target: composed[v1.Webhook](
			Step{Operation: v1.BrowseWebhooks.Operation, Purpose: "find the webhook by its url and events, and see whether it is active"},
			Step{
				Operation: v1.UpdateWebhook.Operation, Main: true, Path: map[string]string{"id": "webhook_id"},
				Purpose: "give it the other status: paused or active", Body: `{"status":"{other_status}"}`,
			},
		),
		Out:   acknowledgement,
		Never: []Exception{{[]v1.Code{v1.WebhookExists}, "a status alone makes no second webhook of the same kind"}},
		Guide: Guidance{Phase: PhaseNotifications, Later: 2},
	}),
	define(Call{
		ID: "notification-delete", Title: "Delete a setting", Method: "DELETE", Pattern: "/rest/notification/{id_notification}",
		Target: composed[v1.Deleted[v1.WebhookID]](
			Step{Operation: v1.BrowseWebhooks.Operation, Purpose: "find the webhook by its url and events; its format is " + v1.FormatLegacyXML},
			Step{Operation: v1.DeleteWebhook.Operation, Main: true, Path: map[string]string{"id": "webhook_id"}, Purpose: "delete it"},
		),
		Out:   acknowledgement,
		Guide: Guidance{Phase: PhaseNotifications, Later: 2},
	}),
	define(Call{
		ID: "notification-test", Title: "Try a notification", Method: "POST", Pattern: "/rest/notification/test",
		Target: composed[v1.Delivery](
			Step{Operation: v1.BrowseWebhooks.Operation, Purpose: "find the webhooks of this type"},
			Step{Operation: v1.TestWebhook.Operation, Main: true, Path: map[string]string{"id": "webhook_id"}, Act: "test-{id}", Purpose: "send each of them a sample"},
		),
		In:    []Row{{Legacy: "notificationType", V1: "event", Dir: In, Convert: TypeSamples, Required: true}},
		Out:   acknowledgement,
		Guide: Guidance{Phase: PhaseNotifications, Later: 1},
	}),
}

// SettingNumber is the number of a setting.
var SettingNumber = verbatim(Converter{
	Name: "setting number", Law: OneWay, Example: [2]string{"1001", "1001"},
	Doc:    "A small number, which fits 32 bits. Only /rest has it.",
	Anchor: "value-setting", Becomes: "number: `1001`", Writes: `[0-9]+`,
})

// Activity says whether a setting is switched on. A webhook that /v1 disabled is off.
var Activity = &Converter{
	Name: "activity", Law: OneWay, Example: [2]string{"1", v1.WebhookActive}, Doc: "1 for active, 0 for paused and disabled.",
	Anchor: "value-activity", Becomes: "`1` → `active`; `0` → `paused` or `disabled`", Writes: switchPattern,
	AppendLegacy: func(b, status []byte) []byte {
		if string(status) == v1.WebhookActive {
			return append(b, '1')
		}
		return append(b, '0')
	},
}

// SettingTypes are the types as lists of settings show them.
var SettingTypes = enumeration("type of a setting", "The type of a notification without "+channel+", which is the channel.",
	slices.DeleteFunc(slices.Clone(TypeEvents.Pairs), func(pair [2]string) bool { return !isRead(pair) })...)

// TypeSamples are the types of notifications and the event of which a sample is sent.
var TypeSamples = func() *Converter {
	pairs := slices.Clone(TypeEvents.Pairs)
	for i := range pairs {
		if pairs[i][1] == EveryEvent {
			pairs[i][1] = NotificationTypes[0].Event
		}
	}
	return enumeration("notification type of a sample",
		"The event that a notification tells of; a sample of "+TypeDefault+" is one of "+NotificationTypes[0].Event+".", pairs...)
}()
