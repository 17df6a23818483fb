package hooktest

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	rotationEndpoints = 8
	rotationClients   = 4
	rotationPace      = 200 * time.Millisecond
	rotationChecks    = 15 // how many revoked keys are tried: an address may fail 20 times a minute
)

// TestRotation replaces webhook secrets and API keys while both are in use. The receiver, which always knows the two
// newest secrets that it was given, verifies every delivery; a key works until it is revoked, and not a moment longer.
func TestRotation(t *testing.T) {
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		receiver := blackbox.NewReceiver(t, nil)
		seller := blackbox.NewSeller(t, s, "rotates")
		items := seller.Publish(t, 20)
		var hooks []blackbox.Webhook
		for n := range rotationEndpoints {
			hooks = append(hooks, seller.Subscribe(t, receiver, fmt.Sprint(n)))
		}
		keys := newKeyRing(t, seller)
		var working sync.WaitGroup
		for n := range rotationClients {
			working.Go(func() { keys.work(items[n*len(items)/rotationClients:][:len(items)/rotationClients]) })
		}
		tick := time.NewTicker(rotationPace)
		defer tick.Stop()
		rotations := size(10, 100)
		for n := range rotations {
			<-tick.C
			endpoint := n % rotationEndpoints
			rotateSecret(t, keys, receiver, hooks[endpoint], fmt.Sprint(endpoint))
			keys.rotate(t)
		}
		keys.done.Store(true)
		working.Wait()
		seller.Key = keys.key.Key
		seller.AwaitDelivered(t, time.Minute)

		checkBothSign(t, seller, receiver, items[0])
		failures := len(receiver.Failures())
		blackbox.Record(t, blackbox.Figure{
			Number: "R16", What: fmt.Sprintf("%d rotations of a webhook's secret and %d of the API key under load, %s", rotations, rotations, database),
			Aim: "0 verification failures, 0 unexpected 401",
			Measured: fmt.Sprintf("%d failures in %s deliveries, %d unexpected in %s requests, %d of %d keys refused as soon as they were revoked",
				failures, blackbox.Thousands(int64(len(receiver.Receipts()))), keys.refused.Load(), blackbox.Thousands(keys.requests.Load()), keys.revoked,
				min(rotations, rotationChecks)),
			Reached: failures == 0 && keys.refused.Load() == 0 && keys.revoked == min(rotations, rotationChecks),
		})
	})
}

func rotateSecret(t *testing.T, k *keyRing, r *blackbox.Receiver, hook blackbox.Webhook, endpoint string) {
	t.Helper()
	client := &blackbox.Client{Server: k.seller.Server, Key: k.key.Key}
	rotated := blackbox.Call[blackbox.Webhook](t, client, http.MethodPatch, "/v1/webhooks/"+hook.ID, map[string]any{"rotate_secret": true})
	r.Trust(endpoint, rotated.Secret)
}

// checkBothSign makes one more event after the last rotation: the old secret still signs beside the new one.
func checkBothSign(t *testing.T, seller *blackbox.Seller, r *blackbox.Receiver, item string) {
	t.Helper()
	before := len(r.Receipts())
	mustPatch(t, seller, item, "After the last rotation")
	blackbox.Eventually(t, time.Minute, "the last event arrived", func() bool { return len(r.Receipts()) == before+rotationEndpoints })
	for _, receipt := range r.Receipts()[before:] {
		if receipt.Signatures != 2 {
			t.Errorf("endpoint %s got %d signatures of known secrets instead of 2", receipt.Endpoint, receipt.Signatures)
		}
	}
}

// keyRing gives clients the account's key, and replaces it.
type keyRing struct {
	seller *blackbox.Seller

	mu      sync.RWMutex // held for reading while a key is in use
	key     blackbox.Key
	revoked int // keys that were tried as soon as they were revoked, and refused

	done              atomic.Bool
	requests, refused atomic.Int64
}

func newKeyRing(t *testing.T, seller *blackbox.Seller) *keyRing {
	return &keyRing{seller: seller, key: seller.NewKey(t)}
}

// work changes items in turn, always with the newest key.
func (k *keyRing) work(items []string) {
	for n := 0; !k.done.Load(); n++ {
		k.mu.RLock()
		key := k.key.Key
		client := blackbox.Client{Server: k.seller.Server, Key: key}
		got, err := client.Do(http.MethodPatch, "/v1/items/"+items[n%len(items)], "", fmt.Appendf(nil, `{"title":"State %d"}`, n))
		k.mu.RUnlock()
		k.requests.Add(1)
		if err != nil || got.Status != http.StatusOK {
			k.refused.Add(1)
		}
		time.Sleep(rotationPace / 4)
	}
}

// rotate makes a new key, hands it out, and revokes the old one, which must be refused from then on.
func (k *keyRing) rotate(t *testing.T) {
	t.Helper()
	next := k.seller.NewKey(t)
	k.mu.Lock()
	old := k.key
	k.key = next
	k.mu.Unlock()
	blackbox.Operate[struct{ ID string }](t, k.seller.Server, http.MethodDelete, "/operator/keys/"+old.ID, nil)
	if k.revoked == rotationChecks {
		return
	}
	client := blackbox.Client{Server: k.seller.Server, Key: old.Key}
	got, err := client.Do(http.MethodGet, "/v1/account", "", nil)
	if err != nil || got.Status != http.StatusUnauthorized {
		t.Errorf("a revoked key was answered %d, %v", got.Status, err)
		return
	}
	k.revoked++
}
