// Listitem puts an item on sale, changes its price and reads it back, lists what is on sale, follows the item's events, shows what a
// refusal looks like, and sells and ships the item. What is sent and what is answered have the types that oapi-codegen reads from the
// service's OpenAPI document.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"listitem/sellerapi"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	s, err := newSeller(cmp.Or(os.Getenv("SELLERD_BASE_URL"), "http://localhost:8080"), os.Getenv("SELLERD_KEY"))
	if err != nil {
		return err
	}
	stamp := sellerapi.ItemInput{
		Title:      "France 1849, 20c black Ceres",
		CategoryId: "1010101",
		SaleType:   sellerapi.FixedPrice,
		Price:      &sellerapi.MoneyInput{Amount: "12.50", Currency: sellerapi.EUR},
	}
	submission, err := s.submitAgain(ctx, stamp)
	if err != nil {
		return err
	}
	id, err := s.published(ctx, submission)
	if err != nil {
		return err
	}
	if err := s.reprice(ctx, "14.00", id, "1"); err != nil {
		return err
	}
	item, err := s.read(ctx, id)
	if err != nil {
		return err
	}
	fmt.Printf("published %s: %s, %s %s, %s\n", item.Id, item.Title, item.Price.Amount, item.Price.Currency, item.Status)

	for item, err := range s.onSale(ctx) {
		if err != nil {
			return err
		}
		fmt.Printf("on sale %s: %s\n", item.Id, item.Title)
	}

	for event, err := range s.events(ctx, id) {
		if err != nil {
			return err
		}
		fmt.Printf("event %s of item %s\n", event.Type, event.Resource.Id)
	}

	stamp.Price = nil
	if err := s.showRefusal(ctx, stamp); err != nil {
		return err
	}
	return s.sell(ctx, id)
}

// submitAgain submits an item twice, as if the first answer got lost. The same request under the same key gives the same submission, and
// not a second item.
func (s *seller) submitAgain(ctx context.Context, item sellerapi.ItemInput) (*sellerapi.Submission, error) {
	key := rand.Text()
	first, err := s.submit(ctx, item, key)
	if err != nil {
		return nil, err
	}
	again, err := s.submit(ctx, item, key)
	if err != nil {
		return nil, err
	}
	times := "twice"
	if *first.Id == *again.Id {
		times = "once"
	}
	fmt.Println("submitted", times)
	return first, nil
}

// showRefusal submits an item that is refused, and prints why.
func (s *seller) showRefusal(ctx context.Context, item sellerapi.ItemInput) error {
	answer, err := s.SubmitItemWithResponse(ctx, nil, item)
	if err != nil {
		return err
	}
	if answer.JSON422 == nil {
		return nil
	}
	for _, e := range answer.JSON422.Errors {
		switch e.Code {
		case sellerapi.SubmitItem422JSONResponseBodyErrorsCodeMissingField:
			fmt.Printf("refused: %s is missing\n", *e.Field)
		case sellerapi.SubmitItem422JSONResponseBodyErrorsCodeUnknownCategory, sellerapi.SubmitItem422JSONResponseBodyErrorsCodeCategoryNotSelectable:
			fmt.Println("refused: choose another category")
		default:
			fmt.Printf("refused: %s\n", e.Message)
		}
	}
	return nil
}

// sell sells an item and ships it. In the sandbox the seller is also the buyer and the marketplace.
func (s *seller) sell(ctx context.Context, id string) error {
	klara := sellerapi.SimulatePurchaseJSONRequestBody{Buyer: &sellerapi.BuyerInput{Nickname: new("test-klara")}}
	sold, err := s.SimulatePurchaseWithResponse(ctx, id, nil, klara)
	switch {
	case err != nil:
		return err
	case sold.JSON200 == nil:
		return refusal(sold.HTTPResponse, sold.Body)
	}
	sale := &sold.JSON200.Data
	invoiced, err := s.SimulateInvoiceWithResponse(ctx, sale.BillId, nil, sellerapi.SimulateInvoiceJSONRequestBody{})
	switch {
	case err != nil:
		return err
	case invoiced.JSON200 == nil:
		return refusal(invoiced.HTTPResponse, invoiced.Body)
	}
	paid, err := s.SimulatePaymentWithResponse(ctx, sale.BillId, nil, sellerapi.SimulatePaymentJSONRequestBody{})
	switch {
	case err != nil:
		return err
	case paid.JSON200 == nil:
		return refusal(paid.HTTPResponse, paid.Body)
	}
	sent, err := s.MarkBillSentWithResponse(ctx, sale.BillId, nil, sellerapi.MarkBillSentJSONRequestBody{})
	switch {
	case err != nil:
		return err
	case sent.JSON200 == nil:
		return refusal(sent.HTTPResponse, sent.Body)
	}
	fmt.Printf("sold %d to %s, the bill is %s\n", sale.Quantity, sale.Buyer.Nickname, sent.JSON200.Data.Status)
	return nil
}

// seller is the generated client with a key.
type seller struct{ *sellerapi.ClientWithResponses }

func newSeller(baseURL, key string) (*seller, error) {
	withKey := sellerapi.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Api-Key", key)
		return nil
	})
	client, err := sellerapi.NewClientWithResponses(baseURL, withKey)
	return &seller{client}, err
}

func (s *seller) submit(ctx context.Context, item sellerapi.ItemInput, key string) (*sellerapi.Submission, error) {
	answer, err := s.SubmitItemWithResponse(ctx, &sellerapi.SubmitItemParams{IdempotencyKey: &key}, item)
	switch {
	case err != nil:
		return nil, err
	case answer.JSON202 == nil:
		return nil, refusal(answer.HTTPResponse, answer.Body)
	}
	return &answer.JSON202.Data, nil
}

// published waits for the submission's end, usually within a second, at most 15 minutes later, and returns the item's id.
func (s *seller) published(ctx context.Context, submission *sellerapi.Submission) (string, error) {
	for submission.Status != sellerapi.SubmissionStatusPublished {
		if submission.Status == sellerapi.SubmissionStatusRejected {
			return "", refused(submission.Errors)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
		answer, err := s.GetSubmissionWithResponse(ctx, *submission.Id, nil)
		switch {
		case err != nil:
			return "", err
		case answer.JSON200 == nil:
			return "", refusal(answer.HTTPResponse, answer.Body)
		}
		submission = &answer.JSON200.Data
	}
	return *submission.ItemId, nil
}

func (s *seller) read(ctx context.Context, id string) (*sellerapi.Item, error) {
	answer, err := s.GetItemWithResponse(ctx, id, nil)
	switch {
	case err != nil:
		return nil, err
	case answer.JSON200 == nil:
		return nil, refusal(answer.HTTPResponse, answer.Body)
	}
	return &answer.JSON200.Data, nil
}

// reprice changes the prices of items in one request. An item that cannot be changed does not stop the others.
func (s *seller) reprice(ctx context.Context, amount string, ids ...string) error {
	price := sellerapi.MoneyPatch{Amount: &amount}
	var changes sellerapi.ItemChanges
	for _, id := range ids {
		changes.Changes = append(changes.Changes, sellerapi.ItemChange{
			ItemId: &id, Patch: &sellerapi.ItemPatch{Price: &price},
		})
	}
	answer, err := s.ChangeItemsWithResponse(ctx, &sellerapi.ChangeItemsParams{IdempotencyKey: new(rand.Text())}, changes)
	switch {
	case err != nil:
		return err
	case answer.JSON200 == nil:
		return refusal(answer.HTTPResponse, answer.Body)
	}
	fmt.Printf("changed %d of %d\n", answer.JSON200.Data.ChangedCount, len(ids))
	for _, result := range answer.JSON200.Data.Results {
		for _, e := range result.Errors {
			fmt.Printf("not changed %s: %s\n", *result.ItemId, e.Code)
		}
	}
	return nil
}

// events goes through an item's events, in the order in which they happened, up to the present.
func (s *seller) events(ctx context.Context, id string) iter.Seq2[sellerapi.Event, error] {
	return func(yield func(sellerapi.Event, error) bool) {
		query := sellerapi.BrowseEventsParams{ResourceId: &[]string{id}, Limit: new(int32(1))}
		for more := true; more; {
			answer, err := s.BrowseEventsWithResponse(ctx, &query)
			if err == nil && answer.JSON200 == nil {
				err = refusal(answer.HTTPResponse, answer.Body)
			}
			if err != nil {
				yield(sellerapi.Event{}, err)
				return
			}
			for _, event := range answer.JSON200.Data.Results {
				if !yield(event, nil) {
					return
				}
			}
			query.After, more = &answer.JSON200.Data.NextCursor, answer.JSON200.Data.HasMore
		}
	}
}

// onSale goes through all open items, from page to page. The pages are small here, so that there are several.
func (s *seller) onSale(ctx context.Context) iter.Seq2[sellerapi.Item, error] {
	return func(yield func(sellerapi.Item, error) bool) {
		query := sellerapi.BrowseItemsParams{Status: &[]sellerapi.ItemStatus{sellerapi.ItemStatusOpen}, Limit: new(int32(2))}
		for {
			answer, err := s.BrowseItemsWithResponse(ctx, &query)
			if err == nil && answer.JSON200 == nil {
				err = refusal(answer.HTTPResponse, answer.Body)
			}
			if err != nil {
				yield(sellerapi.Item{}, err)
				return
			}
			for _, item := range answer.JSON200.Data.Results {
				if !yield(item, nil) {
					return
				}
			}
			if query.After = answer.JSON200.Data.NextCursor; query.After == nil {
				return
			}
		}
	}
}

// refused is what the service found wrong with a request.
type refused []sellerapi.Error

func (r refused) Error() string {
	var text strings.Builder
	for _, e := range r {
		fmt.Fprintf(&text, "%s: %s\n", e.Code, e.Message)
	}
	return text.String()
}

// refusal reads the errors of any answer: all operations show them alike.
func refusal(response *http.Response, body []byte) error {
	var answer struct{ Errors refused }
	if json.Unmarshal(body, &answer) != nil || len(answer.Errors) == 0 {
		return fmt.Errorf("%s: %.200s", response.Status, body)
	}
	return answer.Errors
}
