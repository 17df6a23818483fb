package v1_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// together sends requests at the same time and returns their answers in order.
func together(t *testing.T, w *servertest.World, requests ...servertest.Request) []servertest.Response {
	t.Helper()
	answers := make([]servertest.Response, len(requests))
	start := make(chan struct{})
	var all sync.WaitGroup
	for i, request := range requests {
		all.Go(func() {
			<-start
			answers[i] = w.Do(t, request)
		})
	}
	close(start)
	all.Wait()
	return answers
}

func TestPatchesThatAreRightAloneCannotBeWrongTogether(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 20 {
			id := w.List(t, servertest.Auction())
			patch := func(body string) servertest.Request {
				return servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: body}
			}
			answers := together(t, w,
				patch(`{"bid_increment":{"amount":"5.00","currency":"EUR"}}`),
				patch(`{"starting_price":{"amount":"100.00","currency":"USD"}}`))
			won := 0
			for _, answer := range answers {
				if answer.Status == 200 {
					won++
				} else if got := answer.Codes(); answer.Status != 422 || !strings.HasPrefix(got[0], "currency_mismatch") {
					t.Errorf("the other patch: %d %s", answer.Status, answer.Body)
				}
			}
			if won != 1 {
				t.Fatalf("%d of two contradicting patches were accepted", won)
			}
		}
	})
}

func TestATwinThatComesLateGetsTheStoredAnswer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for round := range 10 {
			id := w.List(t, servertest.FixedPrice())
			request := servertest.Request{
				Path: "/v1/items/" + id + "/close", Body: `{"reason":"other"}`,
				Header: map[string]string{"Idempotency-Key": fmt.Sprintf("close-%d", round)},
			}
			answers := together(t, w, request, request, request, request)
			for _, answer := range answers {
				if answer.Status != 200 || answer.Body != answers[0].Body {
					t.Fatalf("want four equal answers, got %d %s", answer.Status, answer.Body)
				}
			}
		}
	})
}

// slowHost is a fetcher whose images hang while their address says so, and which signals when another one is asked for.
type slowHost struct{ asked chan string }

func (h slowHost) FetchAll(ctx context.Context, urls []string) []v1.FetchedImage {
	images := make([]v1.FetchedImage, len(urls))
	for i, url := range urls {
		if strings.Contains(url, "hang") {
			<-ctx.Done()
			images[i] = v1.FetchedImage{ErrorCode: v1.ImageUnreachable, Retry: true}
			continue
		}
		h.asked <- url
		images[i] = v1.FetchedImage{Width: 1, Height: 1, ContentType: "image/png"}
	}
	return images
}

func TestOneSellersHangingImagesHoldUpNobodyElse(t *testing.T) {
	host := slowHost{make(chan string, 1)}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, other, _ := w.Seller(t, "berta")
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() { defer close(ended); w.Service.Workers(ctx) }()
		defer func() { stop(); <-ended }()

		for i := range 60 {
			w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(map[string]any{
				"images": []string{fmt.Sprintf("http://127.0.0.1/hang-%d.png", i)},
			})})
		}
		good := "http://127.0.0.1/good-" + w.Store.Dialect() + ".png"
		w.Do(t, servertest.Request{Path: "/v1/items", Key: other, Body: servertest.FixedPrice(map[string]any{"images": []string{good}})})
		for {
			select {
			case url := <-host.asked:
				if url == good {
					return
				}
				go func() { host.asked <- url }() // the other database's
			case <-time.After(10 * time.Second):
				t.Fatal("the other seller's image was not asked for within 10 s")
			}
		}
	}, func(c *v1.Config) { c.Images = host })
}
