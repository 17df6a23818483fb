package v1_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// submissionView is a submission as far as these tests look at it.
type submissionView struct {
	Status      string                  `json:"status"`
	ItemID      *string                 `json:"item_id"`
	Errors      []servertest.ErrorEntry `json:"errors"`
	Warnings    []servertest.ErrorEntry `json:"warnings"`
	CompletedAt *time.Time              `json:"completed_at"`
}

func (s submissionView) outcome() []string {
	out := []string{s.Status}
	for _, e := range append(s.Errors, s.Warnings...) {
		out = append(out, (servertest.Response{Errors: []servertest.ErrorEntry{e}}).Codes()...)
	}
	return out
}

// submit submits an item with these images and returns the submission's path.
func submit(t *testing.T, w *servertest.World, images ...string) string {
	t.Helper()
	got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(map[string]any{"images": images})})
	if got.Status != 202 {
		t.Fatalf("submit: %d %s", got.Status, got.Body)
	}
	return got.Header.Get("Location")
}

func readSubmission(t *testing.T, w *servertest.World, path string) submissionView {
	t.Helper()
	return servertest.Into[submissionView](t, w.Do(t, servertest.Request{Path: path}))
}

// shortTempered fetches with no patience for the image that hangs. The others get all the time that a busy machine needs.
func shortTempered(c *v1.Config) {
	client := v1.NewOutboundClient(v1.OutboundConfig{AllowPrivate: true, MaxRedirects: 3})
	client.Transport = hangUp{client.Transport}
	c.Images = v1.NewImageFetcher(v1.ImageFetcherConfig{Client: client})
}

type hangUp struct{ http.RoundTripper }

func (h hangUp) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/hang.jpg") {
		return h.RoundTripper.RoundTrip(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), 50*time.Millisecond)
	defer cancel()
	return h.RoundTripper.RoundTrip(r.WithContext(ctx))
}

// publishWithRetries runs the publisher until it has given up on every image.
func publishWithRetries(t *testing.T, w *servertest.World) {
	t.Helper()
	for _, wait := range []time.Duration{0, 5 * time.Second, 30 * time.Second, 2 * time.Minute} {
		w.Clock.Advance(wait)
		w.Publish(t)
	}
}

// TestAnEncodingThatIsNotReadIsNamed sends images in encodings of HTTP, alone and beside a good one.
func TestAnEncodingThatIsNotReadIsNamed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			answer.Header().Set("Content-Encoding", request.URL.Query().Get("as"))
			answer.Write([]byte("\x0b\x02\x80 what no image begins with"))
		}))
		t.Cleanup(server.Close)
		const noImage = "The file is not a JPEG, PNG, WebP or GIF image."
		for as, want := range map[string]string{
			"br":         "The server sent it with Content-Encoding br, although the request asks for none. Only gzip and deflate are read then.",
			"zstd":       "The server sent it with Content-Encoding zstd, although the request asks for none. Only gzip and deflate are read then.",
			"gzip,+gzip": "The server sent it with Content-Encoding gzip, gzip, although the request asks for none. Only gzip and deflate are read then.",
			"gzip":       noImage,
			"identity":   noImage,
		} {
			bad := server.URL + "/image.jpg?as=" + as
			alone, beside := submit(t, w, bad), submit(t, w, w.ImageURL(t, "stamp-02.png"), bad)
			publishWithRetries(t, w)
			if got := readSubmission(t, w, alone); len(got.Errors) != 2 || got.Errors[1].Code != "image_format_unsupported" || got.Errors[1].Message != want {
				t.Errorf("%s: the errors are %+v", as, got.Errors)
			}
			if got := readSubmission(t, w, beside); len(got.Warnings) != 1 || got.Warnings[0].Message != want {
				t.Errorf("%s: the warnings are %+v", as, got.Warnings)
			}
		}
	})
}

func TestWhatImagesMakeOfASubmission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		image := func(name string) string { return w.ImageURL(t, name) }
		tests := []struct {
			name   string
			images []string
			want   []string
		}{
			{"good images are published", []string{image("stamp-01.png"), image("coin-01.gif"), image("postcard-01.jpg")}, []string{"published"}},
			{"a missing image alone is rejected", []string{image("outcome/missing.jpg")}, []string{"rejected", "images_unreachable"}},
			{"an image beyond 10 MiB is rejected", []string{image("outcome/too-large.jpg")}, []string{"rejected", "images_unreachable", "image_too_large images[0].url"}},
			{"text is no image", []string{image("outcome/not-an-image.jpg")}, []string{"rejected", "images_unreachable", "image_format_unsupported images[0].url"}},
			{"an image that never comes is given up", []string{image("outcome/hang.jpg")}, []string{"rejected", "images_unreachable"}},
			{"one of two is a warning", []string{image("outcome/missing.jpg"), image("stamp-02.png")}, []string{"published", "image_unreachable images[0].url"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				path := submit(t, w, test.images...)
				publishWithRetries(t, w)
				got := readSubmission(t, w, path)
				if diff := cmp.Diff(test.want, got.outcome()); diff != "" || got.CompletedAt == nil {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
			})
		}
		checkOpenCount(t, w)
	}, shortTempered)
}

func TestAFailureThatMayPassIsTriedAgainUntilTheLastWait(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var asked atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			rw.WriteHeader(http.StatusServiceUnavailable)
		}))
		t.Cleanup(server.Close)
		path := submit(t, w, server.URL+"/a.jpg")
		for i, wait := range []time.Duration{0, 5 * time.Second, 30 * time.Second, 2 * time.Minute} {
			w.Clock.Advance(wait - time.Microsecond)
			w.Publish(t)
			if i > 0 && asked.Load() != int64(i) {
				t.Errorf("asked %d times before wait %d was over", asked.Load(), i)
			}
			w.Clock.Advance(time.Microsecond)
			w.Publish(t)
			if asked.Load() != int64(i+1) {
				t.Errorf("asked %d times after wait %d", asked.Load(), i)
			}
		}
		if diff := cmp.Diff([]string{"rejected", "images_unreachable"}, readSubmission(t, w, path).outcome()); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
	})
}

func TestASubmissionIsFinalByItsDeadline(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := submit(t, w)
		w.Clock.Advance(v1.PublishDeadline)
		w.Publish(t)
		if diff := cmp.Diff([]string{"rejected", "publication_timeout"}, readSubmission(t, w, path).outcome()); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	})
}

// clockwork lets a test move the clock while images are being fetched.
type clockwork struct{ meanwhile func() }

func (c *clockwork) FetchAll(_ context.Context, urls []string) []v1.FetchedImage {
	meanwhile := c.meanwhile
	c.meanwhile = func() {}
	meanwhile()
	images := make([]v1.FetchedImage, len(urls))
	for i := range images {
		images[i] = v1.FetchedImage{Width: 1, Height: 1, ContentType: "image/png"}
	}
	return images
}

func TestAPublisherWhoseLeaseEndedDoublesNothing(t *testing.T) {
	images := map[string]*clockwork{"sqlite": {}, "postgres": {}}
	for name, url := range map[string]string{"sqlite": servertest.SQLite(t), "postgres": servertest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			w := servertest.New(t, url, func(c *v1.Config) { c.Images = images[name] })
			images[name].meanwhile = func() {
				w.Clock.Advance(3 * time.Minute)
				w.Publish(t)
			}
			path := submit(t, w, "http://images.example/1.png")
			if _, err := w.Service.PublishOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
			done := readSubmission(t, w, path)
			if diff := cmp.Diff([]string{"1 item.published"}, eventTypes(events(t, w, *done.ItemID))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if n := w.Count(t, "items", "1 = 1"); n != 1 || w.Service.Counters().StaleLeases.Load() != 1 {
				t.Errorf("%d items, %d stale leases", n, w.Service.Counters().StaleLeases.Load())
			}
			checkOpenCount(t, w)
		})
	}
}

func TestPublishersShareTheWork(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 3 {
			items := make([]any, 100)
			for i := range items {
				items[i] = servertest.FixedPrice()
			}
			if got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}}); got.Status != 202 {
				t.Fatalf("submit: %s", got.Body)
			}
		}
		second, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, service := range []*v1.Service{w.Service, second, w.Service, second} {
			wg.Go(func() {
				if _, err := service.PublishOnce(context.Background()); err != nil {
					t.Errorf("publish: %v", err)
				}
			})
		}
		wg.Wait()
		w.Publish(t)
		for table, want := range map[string]int{"items": 300, "events": 300} {
			if got := w.Count(t, table, "1 = 1"); got != want {
				t.Errorf("%d %s, not %d", got, table, want)
			}
		}
		checkOpenCount(t, w)
	})
}

func TestAStoreThatShrankTakesNoMoreItems(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first, second := submit(t, w), submit(t, w)
		err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			return tx.Account.UpdateOneID(w.Account).SetLimitOpenItems(1).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Publish(t)
		got := map[string]int{}
		for _, path := range []string{first, second} {
			got[readSubmission(t, w, path).outcome()[0]]++
		}
		if diff := cmp.Diff(map[string]int{"published": 1, "rejected": 1}, got); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	})
}

// patientFetcher says when it was first asked and then waits until the caller gives up.
type patientFetcher struct {
	asked chan struct{}
	once  sync.Once
}

func (f *patientFetcher) FetchAll(ctx context.Context, urls []string) []v1.FetchedImage {
	f.once.Do(func() {
		close(f.asked)
		<-ctx.Done()
	})
	images := make([]v1.FetchedImage, len(urls))
	for i := range images {
		images[i] = v1.FetchedImage{Width: 1, Height: 1, ContentType: "image/png"}
	}
	return images
}

func TestWorkersEndWithTheirContext(t *testing.T) {
	fetcher := &patientFetcher{asked: make(chan struct{})}
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.Images = fetcher })
	path := submit(t, w, "http://images.example/1.png")
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() { defer close(ended); w.Service.Workers(ctx) }()
	servertest.Await(t, "the publication", fetcher.asked)
	cancel()
	servertest.Await(t, "the workers' end", ended)
	goleak.VerifyNone(t, before)

	if got := readSubmission(t, w, path); got.Status != "pending" {
		t.Errorf("the submission in hand is %s: a worker that gives up has no say in its outcome", got.Status)
	}
	w.Publish(t)
	if diff := cmp.Diff([]string{"published"}, readSubmission(t, w, path).outcome()); diff != "" {
		t.Errorf("claimed again (-want +got):\n%s", diff)
	}
	checkOpenCount(t, w)
}
