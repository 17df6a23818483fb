package outbound

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sellerd/v1/outbound/outboundtest"
	"sellerd/v1/refusal"

	"code.dny.dev/ssrf"
	"github.com/google/go-cmp/cmp"
)

func TestFetchImage(t *testing.T) {
	jpegFile, pngFile, gifFile := encodeImage(t, "jpeg"), encodeImage(t, "png"), encodeImage(t, "gif")
	var (
		tooLarge    = FetchedImage{ErrorCode: refusal.ImageTooLarge}
		unsupported = FetchedImage{ErrorCode: refusal.ImageFormatUnsupported}
		gone        = FetchedImage{ErrorCode: refusal.ImageUnreachable}
		tryAgain    = FetchedImage{ErrorCode: refusal.ImageUnreachable, Retry: true}
		coded       = func(coding string) FetchedImage {
			return FetchedImage{ErrorCode: refusal.ImageFormatUnsupported, Coding: coding}
		}
	)
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    FetchedImage
	}{
		{"a JPEG", sendBody("image/jpeg", jpegFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a PNG", sendBody("image/png", pngFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/png"}},
		{"a GIF", sendBody("image/gif", gifFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/gif"}},
		{"a lossy WebP", sendBody("image/webp", webpLossy), FetchedImage{Width: 1, Height: 1, ContentType: "image/webp"}},
		{"a lossless WebP", sendBody("image/webp", webpLossless), FetchedImage{Width: 1, Height: 1, ContentType: "image/webp"}},
		{"an extended WebP", sendBody("image/webp", webpExtended(640, 480)), FetchedImage{Width: 640, Height: 480, ContentType: "image/webp"}},
		{"a JPEG said to be a PNG", sendBody("image/png", jpegFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a PNG said to be HTML", sendBody("text/html", pngFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/png"}},
		{"HTML said to be a JPEG", sendBody("image/jpeg", []byte("<!doctype html><title>Gone</title>")), unsupported},
		{"HTML", sendBody("text/html", []byte("<!doctype html><title>Gone</title>")), unsupported},
		{"an SVG", sendBody("image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)), unsupported},
		{"nothing", sendBody("image/jpeg", nil), unsupported},
		{"a JPEG's first bytes, then noise", sendBody("image/jpeg", []byte("\xff\xd8\xff\xe0 this is no picture at all")), unsupported},
		{"a file that was cut before it was put online", sendBody("image/png", pngFile[:20]), unsupported},
		{"a gzipped JPEG", sendBody("image/jpeg", gzipped(t, jpegFile)), unsupported},
		{"the widest image", sendBody("image/webp", webpExtended(30_000, 10_000)), FetchedImage{Width: 30_000, Height: 10_000, ContentType: "image/webp"}},
		{"one pixel too wide", sendBody("image/png", pngHeader(30_001, 1)), tooLarge},
		{"one pixel too high", sendBody("image/png", pngHeader(1, 30_001)), tooLarge},
		{"more than 300 million pixels", sendBody("image/png", pngHeader(20_000, 15_001)), tooLarge},
		{"a bomb of four billion pixels", sendBody("image/png", pngHeader(1<<16, 1<<16)), tooLarge},
		{"more pixels than can be counted", sendBody("image/png", pngHeader(1<<31-1, 1<<31-1)), tooLarge},
		{"a gzipped bomb of pixels", sendCoded("gzip", gzipped(t, pngHeader(1<<16, 1<<16))), tooLarge},

		{"a PNG sent as gzip", sendCoded("gzip", gzipped(t, pngFile)), FetchedImage{Width: 40, Height: 30, ContentType: "image/png"}},
		{"a PNG sent as x-gzip", sendCoded("X-GZIP", gzipped(t, pngFile)), FetchedImage{Width: 40, Height: 30, ContentType: "image/png"}},
		{"a JPEG sent as deflate", sendCoded("deflate", deflated(t, jpegFile, true)), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a JPEG sent as bare deflate", sendCoded("deflate", deflated(t, jpegFile, false)), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a GIF that is only said to be gzip", sendCoded("gzip", gifFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/gif"}},
		{"a GIF that is only said to be br", sendCoded("br", gifFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/gif"}},
		{"no encoding, by name", sendCoded("identity", gifFile), FetchedImage{Width: 40, Height: 30, ContentType: "image/gif"}},
		{"an encoding that we do not read", sendCoded("br", []byte("\x0b\x02\x80a brotli stream\x03")), coded("br")},
		{"an encoding that we do not read, in capitals", sendCoded("ZSTD", []byte("\x28\xb5\x2f\xfd")), coded("zstd")},
		{"an encoding within another", sendCoded("gzip, gzip", gzipped(t, gzipped(t, pngFile))), coded("gzip, gzip")},
		{"an encoding within another, in two lines", sendCodedTwice("gzip", gzipped(t, gzipped(t, pngFile))), coded("gzip, gzip")},
		{"an encoding and none", sendCoded("identity, gzip", gzipped(t, pngFile)), FetchedImage{Width: 40, Height: 30, ContentType: "image/png"}},
		{"an encoding with markup in its name", sendCoded("<b>br", []byte("\x0b\x02")), coded("of an unknown name")},
		{"text that is said to be gzip", sendCoded("gzip", []byte("<!doctype html>")), unsupported},
		{"an image that was cut before it was encoded", sendCoded("gzip", gzipped(t, pngFile[:20])), unsupported},
		{"an encoding that was cut before it was put online", sendCoded("gzip", gzipped(t, pngFile)[:60]), unsupported},
		{"an encoding that ends on the way", cutCoded(gzipped(t, pngFile)), tryAgain},
		{"a bomb of gzip", sendCoded("gzip", gzipped(t, padded(jpegFile, 64<<20))), tooLarge},
		{"exactly the largest size, encoded", sendCoded("gzip", gzipped(t, padded(jpegFile, 1<<20))), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a byte too large, encoded", sendCoded("deflate", deflated(t, padded(jpegFile, 1<<20+1), true)), tooLarge},
		{"a GIF without width", sendBody("image/gif", []byte("GIF89a\x00\x00\x0a\x00\x00\x00\x00;")), unsupported},

		{"404", sendStatus(http.StatusNotFound), gone},
		{"403", sendStatus(http.StatusForbidden), gone},
		{"204", sendStatus(http.StatusNoContent), gone},
		{"304", sendStatus(http.StatusNotModified), gone},
		{"429", sendStatus(http.StatusTooManyRequests), tryAgain},
		{"500", sendStatus(http.StatusInternalServerError), tryAgain},
		{"503", sendStatus(http.StatusServiceUnavailable), tryAgain},

		{"exactly the largest size", sendBody("image/jpeg", padded(jpegFile, 1<<20)), FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
		{"a byte too large", sendBody("image/jpeg", padded(jpegFile, 1<<20+1)), tooLarge},
		{"a byte too large, without saying so", streamBody(padded(jpegFile, 1<<20+1)), tooLarge},
		{"a head that alone is too large", streamBody(jpegWithLongHead(2 << 20)), tooLarge},

		{"a body shorter than its Content-Length", cutBody(jpegFile, len(jpegFile)+10), tryAgain},
		{"a body cut within the head", cutBody(jpegFile[:30], len(jpegFile)), tryAgain},
		{"a connection reset within the body", resetBody(jpegFile[:100], len(jpegFile)), tryAgain},
		{"a server that hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, tryAgain},
		{"a server that hangs within the body", func(w http.ResponseWriter, r *http.Request) {
			streamBody(jpegFile)(w, r)
			<-r.Context().Done()
		}, tryAgain},
		{"a server that trickles", trickleBody(jpegFile), tryAgain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leaveNoGoroutines(t)
			server := serveHTTP(t, tt.handler)
			fetcher := loopbackFetcher(t, ImageFetcherConfig{MaxBytes: 1 << 20, PerImageTimeout: patience(tt.want)})
			if diff := cmp.Diff(tt.want, fetcher.Fetch(t.Context(), server.URL+"/image")); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFetchImageOnTheWay(t *testing.T) {
	leaveNoGoroutines(t)
	jpegFile := encodeImage(t, "jpeg")
	found := FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		hops, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/hops/"))
		if err == nil && hops > 0 {
			http.Redirect(w, r, "/hops/"+strconv.Itoa(hops-1), http.StatusFound)
			return
		}
		sendBody("image/jpeg", jpegFile)(w, r)
	})
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	tests := []struct {
		name string
		url  string
		want FetchedImage
	}{
		{"three redirects are followed", server.URL + "/hops/3", found},
		{"a fourth is not", server.URL + "/hops/4", FetchedImage{ErrorCode: refusal.ImageUnreachable}},
		{"a closed port may open again", closed.URL, FetchedImage{ErrorCode: refusal.ImageUnreachable, Retry: true}},
		{"text that is no URL stays so", "http://[::1", FetchedImage{ErrorCode: refusal.ImageUnreachable}},
		{"a scheme we do not speak stays so", "ftp://127.0.0.1/image", FetchedImage{ErrorCode: refusal.ImageUnreachable}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fetcher := loopbackFetcher(t, ImageFetcherConfig{})
			if diff := cmp.Diff(tt.want, fetcher.Fetch(t.Context(), tt.url)); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("a name that does not exist stays so", func(t *testing.T) {
		client := NewClient(Config{Resolver: outboundtest.NewFakeDNS(t).Resolver()})
		got := NewImageFetcher(ImageFetcherConfig{Client: client}).Fetch(t.Context(), "https://gone.example.com/image")
		if diff := cmp.Diff(FetchedImage{ErrorCode: refusal.ImageUnreachable}, got); diff != "" {
			t.Errorf("image (-want +got):\n%s", diff)
		}
	})
	t.Run("a caller who left may come back", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := loopbackFetcher(t, ImageFetcherConfig{}).FetchAll(ctx, []string{server.URL, server.URL})
		want := []FetchedImage{{ErrorCode: refusal.ImageUnreachable, Retry: true}, {ErrorCode: refusal.ImageUnreachable, Retry: true}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
	})
}

func TestImagesAreNotFetchedFromInside(t *testing.T) {
	leaveNoGoroutines(t)
	canary := outboundtest.NewCanary(t)
	client := NewClient(Config{MaxRedirects: 3})
	got := NewImageFetcher(ImageFetcherConfig{Client: client}).Fetch(t.Context(), "https://127.0.0.1:"+canary.Port()+"/image")
	if diff := cmp.Diff(FetchedImage{ErrorCode: refusal.ImageUnreachable}, got); diff != "" {
		t.Errorf("an address inside (-want +got):\n%s", diff)
	}

	// For the next client 127.0.0.1 is a public address: the redirect is what leads inside.
	var location string
	server := serveHTTPS(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, location, http.StatusFound) })
	dns := outboundtest.NewFakeDNS(t)
	dns.Zone(map[string]netip.Addr{"www.example.com.": netip.MustParseAddr("127.0.0.1"), "bad.example.com.": netip.MustParseAddr("::1")})
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.1/32")))
	client = newClient(Config{Resolver: dns.Resolver(), RootCAs: rootsOf(server), MaxRedirects: 3}, guard.Safe)
	t.Cleanup(client.CloseIdleConnections)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	location = "https://bad.example.com:" + canary.Port() + "/image"
	got = NewImageFetcher(ImageFetcherConfig{Client: client}).Fetch(t.Context(), "https://www.example.com:"+port+"/image")
	if diff := cmp.Diff(FetchedImage{ErrorCode: refusal.ImageUnreachable}, got); diff != "" {
		t.Errorf("a redirect inside (-want +got):\n%s", diff)
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestFetchingAHugeImageCostsNoMemory(t *testing.T) {
	leaveNoGoroutines(t)
	jpegFile := encodeImage(t, "jpeg")
	filler := make([]byte, 64<<10)
	const size = 50 << 20
	var sent atomic.Int64
	sendAll := func(w io.Writer) {
		w.Write(jpegFile)
		for range size / len(filler) {
			n, err := w.Write(filler)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	tests := []struct {
		name    string
		max     int64
		handler http.HandlerFunc
		want    FetchedImage
	}{
		{"with its length", 0, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(size+len(jpegFile)))
			sendAll(w)
		}, FetchedImage{ErrorCode: refusal.ImageTooLarge}},
		{"unannounced", 0, func(w http.ResponseWriter, _ *http.Request) { sendAll(w) }, FetchedImage{ErrorCode: refusal.ImageTooLarge}},
		{"allowed and read to its end", 60 << 20, func(w http.ResponseWriter, _ *http.Request) { sendAll(w) }, FetchedImage{Width: 40, Height: 30, ContentType: "image/jpeg"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serveHTTP(t, tt.handler)
			fetcher := loopbackFetcher(t, ImageFetcherConfig{MaxBytes: tt.max})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := fetcher.Fetch(t.Context(), server.URL)
			runtime.ReadMemStats(&after)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("image (-want +got):\n%s", diff)
			}
			if cost := after.TotalAlloc - before.TotalAlloc; cost > 2<<20 {
				t.Errorf("allocated %d bytes, both ends together; want at most 2 MiB", cost)
			}
		})
	}
	if sent.Load() < size {
		t.Errorf("the server sent %d bytes in all, so no image was read to its end", sent.Load())
	}
}

func TestFetchAllSharesTheConcurrencyOfTheFetcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		slow := transportFunc(func(req *http.Request) (*http.Response, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(10 * time.Second) // of the bubble's clock
			body := io.NopCloser(bytes.NewReader(pngHeader(len(req.URL.Path), 1)))
			return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: body, Request: req}, nil
		})
		fetcher := NewImageFetcher(ImageFetcherConfig{Client: &http.Client{Transport: slow}, Concurrency: 3})

		start := time.Now()
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() {
				var widths []int
				for _, got := range fetcher.FetchAll(t.Context(), []string{"http://a/1", "http://a/22", "http://a/333", "http://a/4444", "http://a/55555", "http://a/666666"}) {
					widths = append(widths, got.Width)
				}
				if diff := cmp.Diff([]int{2, 3, 4, 5, 6, 7}, widths); diff != "" {
					t.Errorf("widths in the order of the URLs (-want +got):\n%s", diff)
				}
			})
		}
		callers.Wait()
		if most.Load() != 3 {
			t.Errorf("%d downloads at a time, want 3", most.Load())
		}
		// Each image has 15 s from its turn on: the last ones waited 30 s and were not given up.
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("12 downloads of 10 s, 3 at a time, took %v, want 40s", took)
		}
	})
}

func FuzzReadImage(f *testing.F) {
	f.Add(encodeImage(f, "jpeg"), "")
	f.Add(encodeImage(f, "png"), "")
	f.Add(encodeImage(f, "gif"), "")
	f.Add(webpLossy, "")
	f.Add(webpLossless, "")
	f.Add(webpExtended(9, 9), "")
	f.Add(pngHeader(1<<16, 1<<16), "")
	f.Add(gzipped(f, pngHeader(1<<16, 1<<16)), "gzip")
	f.Add(deflated(f, encodeImage(f, "gif"), false), "deflate")
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		got := readImage(bytes.NewReader(body), encoding, 64<<10)
		if got.Retry {
			t.Errorf("a body that came whole is to be fetched again: %+v", got)
		}
		if found := reasonableSize(got.Width, got.Height); found != (got.ErrorCode == "") {
			t.Errorf("neither an image nor an error, or both: %+v", got)
		}
	})
}

// patience is short for the tests that wait for it to end, and long enough for a slow machine in all others.
func patience(want FetchedImage) time.Duration {
	if want.Retry {
		return 200 * time.Millisecond
	}
	return 10 * time.Second
}

func loopbackFetcher(t *testing.T, cfg ImageFetcherConfig) *ImageFetcher {
	t.Helper()
	cfg.Client = NewClient(Config{AllowPrivate: true, MaxRedirects: 3})
	t.Cleanup(cfg.Client.CloseIdleConnections)
	return NewImageFetcher(cfg)
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
