package v1_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// recordingFetcher stands for a network where nothing can be reached, and remembers what it was asked for.
type recordingFetcher struct {
	mu    sync.Mutex
	asked []string
}

func (f *recordingFetcher) FetchAll(_ context.Context, urls []string) []v1.FetchedImage {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, urls...)
	images := make([]v1.FetchedImage, len(urls))
	for i := range images {
		images[i].ErrorCode = v1.ImageUnreachable
	}
	return images
}

// offline gives each world a network of its own.
func offline(fetchers *sync.Map) servertest.Option {
	return func(c *v1.Config) {
		fetcher := &recordingFetcher{}
		fetchers.Store(c.Store, fetcher)
		c.Images, c.AllowPrivateTargets = fetcher, false
	}
}

func fetcherOf(fetchers *sync.Map, w *servertest.World) *recordingFetcher {
	fetcher, _ := fetchers.Load(w.Config.Store)
	return fetcher.(*recordingFetcher)
}

func TestImagesWithAFixedFate(t *testing.T) {
	const at = "https://outcome.test/"
	var fetchers sync.Map
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		tests := []struct {
			name   string
			images []string
			want   []string
		}{
			{"ready", []string{at + "ready.jpg"}, []string{"published"}},
			{"many of the same fate", []string{at + "ready.jpg?1", at + "ready.jpg?2"}, []string{"published"}},
			{"unreachable", []string{at + "image_unreachable.jpg"}, []string{"rejected", "images_unreachable"}},
			{"too large", []string{at + "image_too_large.jpg"}, []string{"rejected", "images_unreachable", "image_too_large images[0].url"}},
			{"unsupported", []string{at + "image_format_unsupported.jpg"}, []string{"rejected", "images_unreachable", "image_format_unsupported images[0].url"}},
			{"too late", []string{at + "publication_timeout.jpg"}, []string{"rejected", "publication_timeout"}},
			{"the store is full", []string{at + "store_limit_reached.jpg"}, []string{"rejected", "store_limit_reached"}},
			{"the category closed", []string{at + "category_not_selectable.jpg"}, []string{"rejected", "category_not_selectable"}},
			{"an undocumented address", []string{at + "other.jpg"}, []string{"rejected", "images_unreachable"}},
			{"one bad among good", []string{at + "ready.jpg", at + "image_too_large.jpg"}, []string{"published", "image_unreachable images[1].url"}},
			{"a rejection beside a good one", []string{at + "ready.jpg", at + "store_limit_reached.jpg"}, []string{"rejected", "store_limit_reached"}},
			{"a host that only looks like it", []string{"https://outcome.test.example.com/ready.jpg"}, []string{"rejected", "images_unreachable"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				path := submit(t, w, test.images...)
				w.Publish(t) // once: every fate is final at once
				if diff := cmp.Diff(test.want, readSubmission(t, w, path).outcome()); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
			})
		}
		if diff := cmp.Diff([]string{"https://outcome.test.example.com/ready.jpg"}, fetcherOf(&fetchers, w).asked); diff != "" {
			t.Errorf("asked the network for (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	}, offline(&fetchers))
}

func TestImagesWithAFixedFateInAPatch(t *testing.T) {
	const at = "https://outcome.test/"
	var fetchers sync.Map
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		images := []string{at + "ready.jpg", at + "image_unreachable.jpg", at + "image_too_large.jpg", at + "image_format_unsupported.jpg", at + "store_limit_reached.jpg"}
		if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: map[string]any{"images": images}}); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if _, err := w.Service.RefreshImagesOnce(context.Background()); err != nil {
			t.Fatal(err)
		}
		type image struct {
			Status    string  `json:"status"`
			Width     *int    `json:"width"`
			ErrorCode *string `json:"error_code"`
		}
		got := servertest.Into[struct {
			Images []image `json:"images"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/items/" + item})).Images
		failed := func(code string) image { return image{"failed", nil, &code} }
		width := 1600
		want := []image{
			{"ready", &width, nil},
			failed("image_unreachable"), failed("image_too_large"), failed("image_format_unsupported"), failed("image_unreachable"),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
		if asked := fetcherOf(&fetchers, w).asked; asked != nil {
			t.Errorf("asked the network for %v", asked)
		}
	}, offline(&fetchers))
}

func TestFixedFatesAreForTestDataOnly(t *testing.T) {
	var fetchers sync.Map
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		images := []string{"https://outcome.test/ready.jpg", "https://outcome.test/store_limit_reached.jpg"}
		got := w.Do(t, servertest.Request{Path: "/v1/items", Key: w.LiveKey, Body: servertest.FixedPrice(map[string]any{"images": images})})
		w.Publish(t)
		done := servertest.Into[submissionView](t, w.Do(t, servertest.Request{Path: got.Header.Get("Location"), Key: w.LiveKey}))
		if diff := cmp.Diff([]string{"rejected", "images_unreachable"}, done.outcome()); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(images, fetcherOf(&fetchers, w).asked); diff != "" {
			t.Errorf("asked the network for (-want +got):\n%s", diff)
		}
	}, offline(&fetchers))
}
