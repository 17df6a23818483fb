package blackbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// publishLimit is how long a set of items may take to be published.
const publishLimit = 2 * time.Minute

// Seller is an account with a key of test mode.
type Seller struct {
	*Client
	Account string
}

// NewSeller makes an account on a running server.
func NewSeller(tb testing.TB, s *Server, nickname string) *Seller {
	tb.Helper()
	account := Operate[struct{ ID string }](tb, s, http.MethodPost, "/operator/accounts", map[string]any{
		"nickname": nickname, "email": nickname + "@example.com",
	})
	seller := &Seller{Client: &Client{Server: s}, Account: account.ID}
	seller.Key = seller.NewKey(tb).Key
	return seller
}

// NewSellers makes accounts with numbered names.
func NewSellers(tb testing.TB, s *Server, n int) []*Seller {
	tb.Helper()
	sellers := make([]*Seller, n)
	for i := range sellers {
		sellers[i] = NewSeller(tb, s, fmt.Sprintf("seller-%d", i))
	}
	return sellers
}

// Key is an API key just made.
type Key struct{ ID, Key string }

// NewKey makes another key of test mode for the account.
func (s *Seller) NewKey(tb testing.TB) Key {
	tb.Helper()
	return Operate[Key](tb, s.Server, http.MethodPost, "/operator/accounts/"+s.Account+"/keys", map[string]any{"mode": "test", "name": "a test's"})
}

// Webhook is a subscription as the API shows it.
type Webhook struct{ ID, Secret string }

// Subscribe subscribes to all events at one of a receiver's endpoints, which learns the secret.
func (s *Seller) Subscribe(tb testing.TB, r *Receiver, endpoint string) Webhook {
	tb.Helper()
	return s.SubscribeAs(tb, r, endpoint, "active")
}

// SubscribeAs subscribes with a status of the caller's choice.
func (s *Seller) SubscribeAs(tb testing.TB, r *Receiver, endpoint, status string) Webhook {
	tb.Helper()
	hook := Call[Webhook](tb, s.Client, http.MethodPost, "/v1/webhooks", map[string]any{"url": r.URL(endpoint), "status": status})
	r.Trust(endpoint, hook.Secret)
	return hook
}

// Item is a small fixed-price item to submit.
func Item(reference string) map[string]any {
	return map[string]any{
		"title": "Ceres, 20c black, " + reference, "personal_reference": reference, "category_id": "1010101",
		"sale_type": "fixed_price", "price": map[string]any{"amount": "9.50", "currency": "EUR"}, "quantity": 50_000,
	}
}

// Publish puts small items on sale and returns their ids.
func (s *Seller) Publish(tb testing.TB, n int) []string {
	tb.Helper()
	items := make([]map[string]any, n)
	for i := range items {
		items[i] = Item(fmt.Sprint(i))
	}
	return s.PublishItems(tb, items)
}

// PublishItems puts items on sale and returns their ids, in the order of the items.
func (s *Seller) PublishItems(tb testing.TB, items []map[string]any) []string {
	tb.Helper()
	return s.AwaitItems(tb, s.SubmitItems(tb, items))
}

// SubmitItems submits items and returns the ids of their batches, for AwaitItems.
func (s *Seller) SubmitItems(tb testing.TB, items []map[string]any) (batches []string) {
	tb.Helper()
	for rows := range slices.Chunk(items, 100) {
		batch := Call[struct{ ID string }](tb, s.Client, http.MethodPost, "/v1/item-batches", map[string]any{"items": rows})
		batches = append(batches, batch.ID)
	}
	return batches
}

// AwaitItems returns the ids of the items of batches when all are on sale.
func (s *Seller) AwaitItems(tb testing.TB, batches []string) (ids []string) {
	tb.Helper()
	for _, id := range batches {
		Eventually(tb, publishLimit, "a batch is published", func() bool {
			batch := Call[struct {
				Submissions []struct {
					Status string
					ItemID string `json:"item_id"`
				}
			}](tb, s.Client, http.MethodGet, "/v1/item-batches/"+id, nil)
			var published []string
			for _, submission := range batch.Submissions {
				if submission.Status != "published" {
					return false
				}
				published = append(published, submission.ItemID)
			}
			ids = append(ids, published...)
			return true
		})
	}
	return ids
}

// Delivery is one attempt in the log of deliveries.
type Delivery struct {
	ID         string
	WebhookID  string `json:"webhook_id"`
	EventID    string `json:"event_id"`
	Attempt    int
	Status     string
	Final      bool
	URL        string
	Error      *struct{ Code string }
	DurationMS *int       `json:"duration_ms"`
	StartedAt  *time.Time `json:"started_at"`
}

// Deliveries reads the whole log of deliveries that meet a condition, which is a query such as "&status=failed".
func (s *Seller) Deliveries(tb testing.TB, query string) (log []Delivery) {
	tb.Helper()
	for d := range Walk[Delivery](tb, s.Client, "/v1/webhook-deliveries?limit=200"+query) {
		log = append(log, d)
	}
	return log
}

// AwaitDelivered waits until no delivery is pending.
func (s *Seller) AwaitDelivered(tb testing.TB, limit time.Duration) {
	tb.Helper()
	Eventually(tb, limit, "everything is delivered", func() bool {
		page := Call[struct{ Results []Delivery }](tb, s.Client, http.MethodGet, "/v1/webhook-deliveries?limit=1&status=scheduled,sending", nil)
		return len(page.Results) == 0
	})
}
