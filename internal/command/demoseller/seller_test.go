package demoseller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// demoIn is the demo's seller in a world.
func demoIn(w *servertest.World, folder string, out io.Writer) Seller {
	return Seller{
		Service: w.Service, Config: w.Config, BaseURL: w.Config.BaseURL, OperatorURL: "http://127.0.0.1:8081",
		KeyFile: filepath.Join(folder, "demo-keys.json"), Images: true, Out: out,
	}
}

// demoContent counts what the seller has, as "what state": how many.
func demoContent(t *testing.T, w *servertest.World, key string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, list := range []struct {
		path  string
		state func(row map[string]any) string
	}{
		{"/v1/items", func(row map[string]any) string {
			return fmt.Sprintf("item %s, bids %t, partly sold %t", row["status"], row["bid_count"].(float64) > 0, row["status"] == "open" && row["quantity_sold"].(float64) > 0)
		}},
		{"/v1/sales", func(row map[string]any) string {
			return fmt.Sprintf("sale %s, cancellation %s, %s", row["status"], row["cancellation"].(map[string]any)["status"], row["rating_status"])
		}},
		{"/v1/bills", func(row map[string]any) string {
			return fmt.Sprintf("bill %s, %d trackings", row["status"], len(row["trackings"].([]any)))
		}},
	} {
		page := servertest.Into[struct {
			Results []map[string]any `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: list.path, Key: key}))
		for _, row := range page.Results {
			count[list.state(row)]++
		}
	}
	return count
}

var wantDemo = map[string]int{
	"item scheduled, bids false, partly sold false": 1,
	"item open, bids false, partly sold false":      4,
	"item open, bids true, partly sold false":       1,
	"item open, bids false, partly sold true":       1,
	"item closed, bids false, partly sold false":    1,
	"item unsold, bids false, partly sold false":    1,
	"item sold, bids true, partly sold false":       1,
	"item sold, bids false, partly sold false":      3,

	"sale active, cancellation none, unrated":         4,
	"sale active, cancellation none, rated":           2,
	"sale active, cancellation requested, unrated":    1,
	"sale cancelled, cancellation cancelled, unrated": 1,

	"bill to_invoice, 0 trackings":       2,
	"bill awaiting_payment, 0 trackings": 2,
	"bill to_send, 0 trackings":          1,
	"bill sent, 2 trackings":             1,
	"bill sent, 0 trackings":             1,
	"bill cancelled, 0 trackings":        1,
}

func TestTheDemoHasSomethingInEveryState(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var said [2]strings.Builder
		folder := t.TempDir()
		for i := range said { // the second start changes nothing
			if err := demoIn(w, folder, &said[i]).Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if said[0].String() != said[1].String() || strings.Contains(said[0].String(), "incomplete") {
			t.Errorf("the starts said\n%s\nand\n%s", said[0].String(), said[1].String())
		}
		keys, err := demoIn(w, folder, io.Discard).load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for mode, key := range map[string]string{"live": keys.Live, "test": keys.Test} {
			if diff := cmp.Diff(wantDemo, demoContent(t, w, key)); diff != "" {
				t.Errorf("%s data (-want +got):\n%s", mode, diff)
			}
			var ends []string
			for _, sort := range []string{"created_at_asc", "created_at_desc"} {
				path := "/v1/items?limit=1&status=open&sale_type=fixed_price&sort=" + sort
				page := servertest.Into[struct {
					Results []struct {
						Reference string `json:"personal_reference"`
					} `json:"results"`
				}](t, w.Do(t, servertest.Request{Path: path, Key: key}))
				ends = append(ends, page.Results[0].Reference)
			}
			if diff := cmp.Diff([]string{"DEMO-1", "DEMO-13"}, ends); diff != "" {
				t.Errorf("%s: the items that pages change (-want +got):\n%s", mode, diff)
			}
		}
	})
}

func TestADemoWhoseKeyHasEndedGetsAnother(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		folder := t.TempDir()
		if err := demoIn(w, folder, io.Discard).Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, err := demoIn(w, folder, io.Discard).load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Service.RevokeKey(t.Context(), strings.Split(before.Test, "_")[2]); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if err := demoIn(w, folder, &said).Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		after, err := demoIn(w, folder, io.Discard).load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(after.ended) > 0 || after.Test == before.Test || after.Live != before.Live {
			t.Errorf("the keys were %v, and are %v", before, after)
		}
		if want := "The test key was revoked. A new one is in " + filepath.Join(folder, "demo-keys.json"); !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing in\n%s", want, said.String())
		}
		if diff := cmp.Diff(wantDemo, demoContent(t, w, after.Test)); diff != "" {
			t.Errorf("test data (-want +got):\n%s", diff)
		}
	})
}

// TestKeysOfAnotherDatabaseAreNotUsed: nor does a database that fails pass for another one.
func TestKeysOfAnotherDatabaseAreNotUsed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		d := demoIn(w, t.TempDir(), io.Discard)
		if err := d.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		keys, err := d.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := d.load(stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("without a database: %v", err)
		}
		keys.Test = "dk_test_" + strings.Repeat("0", 12) + keys.Test[len("dk_test_")+12:]
		if err := d.save(keys); err != nil {
			t.Fatal(err)
		}
		if err := d.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "is not of this database: move the file away") {
			t.Fatalf("with an unknown key: %v", err)
		}
		if err := os.Rename(d.KeyFile, d.KeyFile+".away"); err != nil {
			t.Fatal(err)
		}
		if err := d.Ready(t.Context()); err != nil {
			t.Errorf("without the file: %v", err)
		}
	})
}

// stoppingStore fails every write once its strength is spent, as if the program had been stopped there.
type stoppingStore struct {
	v1.Store
	strength atomic.Int64
}

var errStopped = errors.New("stopped")

func (s *stoppingStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if s.strength.Add(-1) < 0 {
		return errStopped
	}
	return s.Store.Write(ctx, fn)
}

func TestADemoThatWasStoppedHalfWayGoesOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		store := &stoppingStore{Store: w.Config.Store}
		config := w.Config
		config.Store = store
		folder := t.TempDir()
		stops := 0
		for strength := int64(1); ; strength += 6 {
			store.strength.Store(strength)
			service, err := v1.New(config)
			if err != nil {
				t.Fatal(err)
			}
			seller := demoIn(w, folder, io.Discard)
			seller.Service, seller.Config = service, config
			err = seller.Ready(t.Context())
			if err != nil && !errors.Is(err, errStopped) {
				t.Fatalf("start %d: %v", stops+1, err)
			}
			keys, loadErr := seller.load(t.Context())
			if err == nil && loadErr == nil && !keys.Unfinished {
				break
			}
			stops++
			w.Clock.Advance(3 * time.Minute) // what the stopped start was publishing is free again
		}
		if stops < 5 {
			t.Errorf("it was stopped %d times only", stops)
		}
		keys, err := demoIn(w, folder, io.Discard).load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for mode, key := range map[string]string{"live": keys.Live, "test": keys.Test} {
			if diff := cmp.Diff(wantDemo, demoContent(t, w, key)); diff != "" {
				t.Errorf("%s data (-want +got):\n%s", mode, diff)
			}
		}
	})
}

func TestADemoInASmallStoreStartsAllTheSame(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var said strings.Builder
		if err := demoIn(w, t.TempDir(), &said).Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"The demo's live data is incomplete", "The demo's test data is incomplete", "The seller API is at"} {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%q is missing in\n%s", want, said.String())
			}
		}
	}, func(c *v1.Config) { c.OpenItems = 3 })
}
