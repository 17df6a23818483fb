package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/v1/wire"
)

// This file is about the two forms in which webhooks are told of events: JSON as it was rendered once, and the XML of the
// deprecated interface, which only those get that still read it.

// The formats of webhooks.
const (
	FormatStandard  = "standard"   // Standard Webhooks: the event as JSON, signed
	FormatLegacyXML = "legacy_xml" // a notification of /rest, see Config.LegacyNotifications
)

// contentTypeJSON is the type of events in the standard format.
const contentTypeJSON = "application/json"

// LegacyNotifications write events as the notifications of /rest. The same event, destination and seller must always give
// the same bytes, so that retries are alike.
type LegacyNotifications interface {
	// Wants says whether there is a notification of an event, given its type and its JSON.
	Wants(event string, body []byte) bool
	// Render writes the request's body. The seller is the account's nickname.
	Render(event *Event, destination, seller string) (contentType string, body []byte, err error)
}

// formatKnows says whether a format can tell an event.
func (s *Service) formatKnows(format, event, body string) bool {
	return format != FormatLegacyXML || s.LegacyNotifications != nil && s.LegacyNotifications.Wants(event, []byte(body))
}

// told is an event as a webhook is told it.
type told struct{ contentType, body string }

// tell writes an event in a webhook's format.
func (s *Service) tell(ctx context.Context, client *ent.Client, format, destination, body string, owner Owner) (told, error) {
	if format != FormatLegacyXML {
		return told{contentTypeJSON, body}, nil
	}
	var event Event
	var ignored Problems // what is wrong by the rules for input is right in an event: an amount of 0.00, for one
	if err := wire.BindInto([]byte(body), &event, &ignored); err != nil {
		return told{}, fmt.Errorf("read event: %w", err)
	}
	if !s.formatKnows(format, event.Type, body) {
		return told{}, fmt.Errorf("there is no legacy notification of %s", event.Type)
	}
	row, err := client.Account.Query().Where(account.ID(owner.Account())).Select(account.FieldNickname).Only(ctx)
	if err != nil {
		return told{}, fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	contentType, text, err := s.LegacyNotifications.Render(&event, destination, row.Nickname)
	if err != nil {
		return told{}, fmt.Errorf("render notification: %w", err)
	}
	return told{contentType, string(text)}, nil
}

// tellLegacy puts the bodies of attempts into the format of their webhooks, where it is not the standard one. What
// cannot be told is not sent.
func (s *Service) tellLegacy(ctx context.Context, attempts []*attempt) {
	for _, a := range attempts {
		if a.format == FormatStandard || a.body == "" {
			continue
		}
		told, err := s.tell(ctx, s.store.Reader(), a.format, a.url, a.body, a.owner)
		if err != nil {
			s.Logger.Error("an event cannot be told", "delivery", DeliveryID(a.delivery).String(), "error", err)
			a.untold = true
			continue
		}
		a.contentType, a.body = told.contentType, told.body
	}
}
