package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/ent/idempotencykey"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/hooks"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file erases buyers' data from the outbox, the receivers' answers to its events, and the answers stored for an
// Idempotency-Key.

// forgetInEvents rewrites the outbox. Waiting events are delivered without the buyer's data. The search for the events
// holds no lock, because there are no new events with data of a forgotten buyer. The rewriting locks the owner's row: a redelivery,
// whose answer shows the event, comes before it, and its answer is found later, or after it.
func (s *Privacy) forgetInEvents(ctx context.Context, seller core.Owner, buyer *ent.Buyer, about map[string][]int64) (rewritten int,
	err error,
) {
	for _, resource := range []string{"item", "sale", "bill"} {
		ids := about[resource]
		slices.Sort(ids)
		found, err := s.Store.Reader().Event.Query().Where(event.ResourceType(resource), event.ResourceIDIn(slices.Compact(ids)...),
			event.Owner(int64(seller)),
			event.BodyContains(buyerMark(buyer))).Order(ent.Asc(event.FieldID)).IDs(ctx)
		if err != nil {
			return rewritten, fmt.Errorf("look for events about buyer %d: %w", buyer.ID, err)
		}
		for chunk := range slices.Chunk(found, core.SweepChunk) {
			n := 0
			err := s.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
				tx, err := s.Begin(ctx, client, seller, 0, core.Entry{})
				if err != nil {
					return err
				}
				n, err = rewriteEvents(ctx, tx.Client, buyer, chunk)
				return err
			})
			if err != nil {
				return rewritten, err
			}
			rewritten += n
		}
	}
	return rewritten, nil
}

// rewriteEvents erases a buyer's data from some events, and returns how many were changed.
func rewriteEvents(ctx context.Context, tx *ent.Client, buyer *ent.Buyer, ids []int64) (rewritten int, err error) {
	rows, err := tx.Event.Query().Where(event.IDIn(ids...)).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("load events about buyer %d: %w", buyer.ID, err)
	}
	for _, row := range rows {
		body, err := eventMembers.forget(row.Body, buyer)
		if err != nil {
			return 0, fmt.Errorf("event %d: %w", row.ID, err)
		}
		if body == row.Body {
			continue
		}
		// By hand, because no builder can change the body of an event: the schema says that it is immutable.
		if _, err := tx.ExecContext(ctx, `UPDATE events SET body = $1 WHERE id = $2`, body, row.ID); err != nil {
			return 0, fmt.Errorf("rewrite event %d: %w", row.ID, err)
		}
		rewritten++
	}
	return rewritten, nil
}

// forgetInResponses empties what receivers answered, after the events are rewritten.
func (s *Privacy) forgetInResponses(ctx context.Context, seller core.Owner, buyer *ent.Buyer,
	about map[string][]int64,
) (delivery.Forgotten, error) {
	var resources []string
	for _, ids := range about {
		for _, id := range ids {
			resources = append(resources, wire.ID(id).String())
		}
	}
	done, err := s.hooks.Deliverer.ForgetResponses(ctx, int64(seller), resources, buyerMark(buyer))
	return done, wrap.Err(err, "empty responses about buyer %d", buyer.ID)
}

// buyerMark is the beginning of a buyer's data in an event or a stored answer.
func buyerMark(buyer *ent.Buyer) string { return `"buyer":{"id":"` + wire.ID(buyer.ID).String() + `",` }

// personalMembers are the members of a JSON text that hold personal data, with their replacements.
type personalMembers map[jsontext.Pointer]func(value string, buyer *ent.Buyer) (string, error)

var (
	eventMembers = personalMembers{
		"/data/sale/buyer": forgottenBuyer, "/data/sale/shipping_address": forgottenMember,
		"/data/bill/buyer": forgottenBuyer, "/data/bill/shipping_address": forgottenMember,
	}
	// answerMembers are those of sales, bills and deliveries.
	answerMembers = personalMembers{"/buyer": forgottenBuyer, "/shipping_address": forgottenMember, "/request_body": forgottenText}
)

// forget replaces personal data, and leaves every other byte as it was.
func (members personalMembers) forget(body string, buyer *ent.Buyer) (string, error) {
	var out strings.Builder
	copied := 0
	dec := jsontext.NewDecoder(strings.NewReader(body))
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return out.String() + body[copied:], nil
		}
		if err != nil {
			return "", fmt.Errorf("read body: %w", err)
		}
		forget := members[dec.StackPointer()]
		if forget == nil || token.Kind() != '"' {
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return "", fmt.Errorf("read body: %w", err)
		}
		end := int(dec.InputOffset())
		replacement, err := forget(string(value), buyer)
		if err != nil {
			return "", err
		}
		out.WriteString(body[copied:end-len(value)] + replacement)
		copied = end
	}
}

func forgottenBuyer(value string, buyer *ent.Buyer) (string, error) {
	shown, err := wire.Raw[trade.Buyer]{Text: value}.Value()
	if err != nil {
		return "", err
	}
	return wire.RawOf(trade.Buyer{
		ID: shown.ID, Nickname: buyer.Nickname, Language: shown.Language, Country: shown.Country, Rating: shown.Rating,
		ForgottenAt: wire.MaybeTime(buyer.ForgottenAt),
	}).Text, nil
}

func forgottenMember(value string, _ *ent.Buyer) (string, error) {
	address, _, err := forgottenAddress(value)
	return address, err
}

// forgottenText takes the place of a text in a format that this file does not read.
func forgottenText(string, *ent.Buyer) (string, error) { return "null", nil }

// forgetAnswers erases the buyer from the stored answers that show the buyer. Their keys stay: a request that is sent again is not
// carried out again, and its answer shows the forgotten buyer. unmarked says that there may be answers that do not name whom they show.
func (s *Privacy) forgetAnswers(ctx context.Context, buyer *ent.Buyer, unmarked bool) (rewritten int, err error) {
	found, err := s.Store.Reader().IdempotencyKey.Query().Where(idempotencykey.BuyerID(buyer.ID), idempotencykey.BuyerIDGT(0)).IDs(ctx)
	if err != nil {
		return 0, fmt.Errorf("look for stored answers about buyer %d: %w", buyer.ID, err)
	}
	if rewritten, err = s.forgetInAnswers(ctx, buyer, found); err != nil || !unmarked {
		return rewritten, err
	}
	more, err := s.forgetUnmarkedAnswers(ctx, buyer)
	return rewritten + more, err
}

// forgetUnmarkedAnswers does it for answers of which is not known whom they show, because a program stored them that did not note it.
// Such answers expire. The search for them holds no lock.
func (s *Privacy) forgetUnmarkedAnswers(ctx context.Context, buyer *ent.Buyer) (rewritten int, err error) {
	for last := ""; ; {
		page, err := s.Store.Reader().IdempotencyKey.Query().Where(idempotencykey.IDGT(last)).
			Order(ent.Asc(idempotencykey.FieldID)).Limit(core.SweepChunk).IDs(ctx)
		if err != nil {
			return rewritten, fmt.Errorf("list stored answers: %w", err)
		}
		if len(page) == 0 {
			return rewritten, nil
		}
		last = page[len(page)-1]
		unmarked, err := s.Store.Reader().IdempotencyKey.Query().
			Where(idempotencykey.IDIn(page...), idempotencykey.BuyerIDIsNil(), idempotencykey.Or(
				idempotencykey.BodyContains(buyerMark(buyer)), idempotencykey.LocationHasPrefix(hooks.DeliveriesPath),
			)).All(ctx)
		if err != nil {
			return rewritten, fmt.Errorf("look for stored answers about buyer %d: %w", buyer.ID, err)
		}
		var found []string
		for _, row := range unmarked {
			about := true
			if strings.HasPrefix(row.Location, hooks.DeliveriesPath) {
				if about, err = s.deliveryShows(ctx, row.Body, buyer); err != nil {
					return rewritten, fmt.Errorf("stored answer at %s: %w", row.Location, err)
				}
			}
			if about {
				found = append(found, row.ID)
			}
		}
		n, err := s.forgetInAnswers(ctx, buyer, found)
		if rewritten += n; err != nil {
			return rewritten, err
		}
	}
}

// deliveryShows says whether a stored answer about a delivery may show the buyer: whether its event does, or is gone.
func (s *Privacy) deliveryShows(ctx context.Context, answer string, buyer *ent.Buyer) (bool, error) {
	var of struct {
		EventID wire.EventID `json:"event_id"`
	}
	if err := json.Unmarshal([]byte(answer), &of); err != nil {
		return false, fmt.Errorf("read body: %w", err)
	}
	row, err := s.Store.Reader().Event.Query().Where(event.ID(int64(of.EventID))).Only(ctx)
	if ent.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("load event %d: %w", of.EventID, err)
	}
	return strings.Contains(row.Body, buyerMark(buyer)), nil
}

// forgetInAnswers rewrites stored answers, and says how many that changed.
func (s *Privacy) forgetInAnswers(ctx context.Context, buyer *ent.Buyer, ids []string) (rewritten int, err error) {
	for chunk := range slices.Chunk(ids, core.SweepChunk) {
		n := 0
		err := s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			n = 0
			rows, err := tx.IdempotencyKey.Query().Where(idempotencykey.IDIn(chunk...)).Order(ent.Asc(idempotencykey.FieldID)).All(ctx)
			if err != nil {
				return fmt.Errorf("load stored answers: %w", err)
			}
			for _, row := range rows {
				body, err := answerMembers.forget(row.Body, buyer)
				if err != nil {
					return fmt.Errorf("stored answer: %w", err)
				}
				if body == row.Body {
					continue
				}
				// By hand, like events. A row that expired may have been replaced meanwhile.
				_, err = tx.ExecContext(ctx, `UPDATE idempotency_keys SET body = $1, buyer_id = $2 WHERE id = $3 AND body = $4`, body, buyer.ID, row.ID,
					row.Body)
				if err != nil {
					return fmt.Errorf("rewrite stored answer: %w", err)
				}
				n++
			}
			return nil
		})
		if err != nil {
			return rewritten, err
		}
		rewritten += n
	}
	return rewritten, nil
}
