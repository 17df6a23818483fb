package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/ent/idempotencykey"
)

// This file erases buyers' data from the outbox, the receivers' answers to its events, and the answers stored for an
// Idempotency-Key.

// forgetInEvents rewrites the outbox. Waiting events are delivered without the buyer's data. The search for the events
// holds no lock, because there are no new events with data of a forgotten buyer.
func (s *Service) forgetInEvents(ctx context.Context, seller Owner, buyer *ent.Buyer, about map[string][]int64) (rewritten int, err error) {
	for _, resource := range []string{"item", "sale", "bill"} {
		ids := about[resource]
		slices.Sort(ids)
		found, err := s.store.Reader().Event.Query().Where(event.ResourceType(resource), event.ResourceIDIn(slices.Compact(ids)...), event.Owner(int64(seller)),
			event.BodyContains(buyerMark(buyer))).Order(ent.Asc(event.FieldID)).IDs(ctx)
		if err != nil {
			return rewritten, fmt.Errorf("look for events about buyer %d: %w", buyer.ID, err)
		}
		for chunk := range slices.Chunk(found, sweepChunk) {
			n := 0
			err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
				n, err = rewriteEvents(ctx, tx, buyer, chunk)
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
		body, err := forgetInEvent(row.Body, buyer.Nickname)
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

// forgetInResponses empties what receivers answered, and says how much that was. An attempt that was in flight while the
// event was rewritten may still store its answer: a run after its lease empties that too.
func (s *Service) forgetInResponses(ctx context.Context, seller Owner, buyer *ent.Buyer, about map[string][]int64) (emptied int, err error) {
	var resources []string
	for _, ids := range about {
		for _, id := range ids {
			resources = append(resources, ID(id).String())
		}
	}
	if emptied, err = s.deliverer.EmptyResponses(ctx, int64(seller), resources, buyerMark(buyer)); err != nil {
		return emptied, fmt.Errorf("empty responses about buyer %d: %w", buyer.ID, err)
	}
	return emptied, nil
}

// buyerMark is the beginning of a buyer's data in a stored answer or event. Within a JSON string it would have backslashes.
func buyerMark(buyer *ent.Buyer) string { return `"buyer":{"id":"` + ID(buyer.ID).String() + `",` }

// forgetInEvent replaces the buyer's personal data, and leaves every other byte as it was.
func forgetInEvent(body, nickname string) (string, error) {
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
		forget := personalMembers[dec.StackPointer()]
		if forget == nil || token.Kind() != '"' {
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return "", fmt.Errorf("read body: %w", err)
		}
		end := int(dec.InputOffset())
		replacement, err := forget(string(value), nickname)
		if err != nil {
			return "", err
		}
		out.WriteString(body[copied:end-len(value)] + replacement)
		copied = end
	}
}

// personalMembers are the members of events that hold personal data, with their replacements.
var personalMembers = map[jsontext.Pointer]func(value, nickname string) (string, error){
	"/data/sale/buyer": forgottenBuyer, "/data/sale/shipping_address": forgottenMember,
	"/data/bill/buyer": forgottenBuyer, "/data/bill/shipping_address": forgottenMember,
}

func forgottenBuyer(value, nickname string) (string, error) {
	buyer, err := Raw[Buyer]{Text: value}.Value()
	if err != nil {
		return "", err
	}
	return RawOf(Buyer{ID: buyer.ID, Nickname: nickname, Language: buyer.Language, Country: buyer.Country, Rating: buyer.Rating}).Text, nil
}

func forgottenMember(value, _ string) (string, error) {
	address, _, err := forgottenAddress(value)
	return address, err
}

// forgetAnswers deletes the stored answers that show the buyer. Their requests are then unknown: sent again, they are
// carried out again, or rejected because of the objects' states. The search for the answers holds no lock.
func (s *Service) forgetAnswers(ctx context.Context, buyer *ent.Buyer) (deleted int, err error) {
	for last := ""; ; {
		page, err := s.store.Reader().IdempotencyKey.Query().Where(idempotencykey.IDGT(last)).
			Order(ent.Asc(idempotencykey.FieldID)).Limit(sweepChunk).IDs(ctx)
		if err != nil {
			return deleted, fmt.Errorf("list stored answers: %w", err)
		}
		if len(page) == 0 {
			return deleted, nil
		}
		last = page[len(page)-1]
		found, err := s.store.Reader().IdempotencyKey.Query().
			Where(idempotencykey.IDIn(page...), idempotencykey.Or(
				idempotencykey.BodyContains(buyerMark(buyer)),
				idempotencykey.BodyContains(strings.ReplaceAll(buyerMark(buyer), `"`, `\"`)), // an event, as a delivery shows it
			)).IDs(ctx)
		if err != nil {
			return deleted, fmt.Errorf("look for stored answers about buyer %d: %w", buyer.ID, err)
		}
		if len(found) == 0 {
			continue
		}
		n := 0
		err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
			n, err = tx.IdempotencyKey.Delete().Where(idempotencykey.IDIn(found...)).Exec(ctx)
			return err
		})
		if err != nil {
			return deleted, fmt.Errorf("delete stored answers: %w", err)
		}
		deleted += n
	}
}
