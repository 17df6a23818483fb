package outbound

import (
	"bufio"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/image/webp"

	"sellerd/v1/refusal"
)

// The accepted sizes in pixels. The limits protect the programs that show the picture from running out of memory.
const (
	maxImageSide   = 30_000
	maxImagePixels = 300_000_000
)

// callersTurns is how many images of one call are fetched at a time, so that one caller cannot take all turns.
const callersTurns = 4

// ImageFetcherConfig says how images are downloaded. Zero values mean the default in brackets.
type ImageFetcherConfig struct {
	Client          *http.Client  // required, from NewClient: the URLs come from sellers
	MaxBytes        int64         // largest image, in bytes [10 MiB]
	PerImageTimeout time.Duration // for one image from lookup to last byte, not counting the wait for a turn [15 s]
	Concurrency     int           // downloads at a time over all callers together [16]
}

// ImageFetcher downloads images only to check that they exist, and to find their format and size. It stores none, and holds
// a few kilobytes of each in memory.
type ImageFetcher struct {
	client   *http.Client
	maxBytes int64
	timeout  time.Duration
	turns    chan struct{}
}

// NewImageFetcher returns a fetcher that is safe for concurrent use.
func NewImageFetcher(cfg ImageFetcherConfig) *ImageFetcher {
	return &ImageFetcher{
		client: cfg.Client, maxBytes: cmp.Or(cfg.MaxBytes, 10<<20), timeout: cmp.Or(cfg.PerImageTimeout, 15*time.Second),
		turns: make(chan struct{}, cmp.Or(cfg.Concurrency, 16)),
	}
}

// FetchedImage is the result of a download: either width, height and content type, or an error code.
type FetchedImage struct {
	Width, Height int          // pixels, as stored; the orientation that a camera recorded is ignored
	ContentType   string       // image/jpeg, image/png, image/webp or image/gif: the format of the bytes, whatever the server's header says
	ErrorCode     refusal.Code // "", image_unreachable, image_too_large or image_format_unsupported
	Coding        string       // the Content-Encoding for which the format is unsupported, "" if it is for another cause
	Retry         bool         // the image was unreachable for a cause that may pass
}

// FetchAll fetches images at the same time, as far as the fetcher's concurrency allows. Results are in the order of the
// URLs. When ctx ends, the rest are unreachable with Retry set.
func (f *ImageFetcher) FetchAll(ctx context.Context, urls []string) []FetchedImage {
	images := make([]FetchedImage, len(urls))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(len(urls), callersTurns, cap(f.turns)) {
		workers.Go(func() {
			for i := range next {
				images[i] = f.Fetch(ctx, urls[i])
			}
		})
	}
	for i := range urls {
		next <- i
	}
	close(next)
	workers.Wait()
	return images
}

// Fetch downloads one image when it is its turn. The image counts only if all of it arrived.
func (f *ImageFetcher) Fetch(ctx context.Context, url string) FetchedImage {
	select {
	case f.turns <- struct{}{}:
		defer func() { <-f.turns }()
	case <-ctx.Done():
		return unreachableImage(true)
	}
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return unreachableImage(false)
	}
	req.Header.Set("Accept", "image/jpeg, image/png, image/webp, image/gif") // else some servers send AVIF
	req.Header.Set("Accept-Encoding", "identity")                            // else some servers compress what is compressed already
	resp, err := f.client.Do(req)
	if err != nil {
		return unreachableImage(mayPass(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return unreachableImage(resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500)
	}
	if resp.ContentLength > f.maxBytes {
		return FetchedImage{ErrorCode: refusal.ImageTooLarge}
	}
	coding := codingOf(resp.Header)
	image := readImage(resp.Body, coding, f.maxBytes)
	if image.ErrorCode == refusal.ImageFormatUnsupported && !readsCoding(coding) {
		image.Coding = coding
	}
	return image
}

// longestCoding is how much of a server's word a seller is told.
const longestCoding = 40

// codingOf is what a response says that its body is encoded with, in small letters, "" if it is not.
func codingOf(header http.Header) string {
	var codings []string
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(header.Values("Content-Encoding"), ",")), ",") {
		if coding = strings.Trim(coding, " \t"); coding != "" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	coding := strings.Join(codings, ", ")
	if len(coding) > longestCoding || strings.Trim(coding, "abcdefghijklmnopqrstuvwxyz0123456789-_, ") != "" {
		return "of an unknown name"
	}
	return coding
}

// readsCoding says whether decoded removes an encoding, or there is none.
func readsCoding(coding string) bool {
	return slices.Contains([]string{"", "gzip", "x-gzip", "deflate"}, coding)
}

func unreachableImage(retry bool) FetchedImage {
	return FetchedImage{ErrorCode: refusal.ImageUnreachable, Retry: retry}
}

// mayPass says whether a cause is temporary. A name that does not exist, a bad certificate, a forbidden address and an
// endless redirect are not.
func mayPass(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return !dns.IsNotFound
	}
	switch ErrorCode(err) {
	case "connect", "timeout", "interrupted":
		return true
	}
	return false
}

type imageFormat struct {
	magic       string
	contentType string
	config      func(io.Reader) (image.Config, error)
}

// imageFormats are recognised by their first bytes, where '?' stands for any byte. image.DecodeConfig would do the same,
// but for all formats that any part of the program registers.
var imageFormats = []imageFormat{
	{"\xff\xd8\xff", "image/jpeg", jpeg.DecodeConfig},
	{"\x89PNG\r\n\x1a\n", "image/png", png.DecodeConfig},
	{"GIF87a", "image/gif", gif.DecodeConfig},
	{"GIF89a", "image/gif", gif.DecodeConfig},
	{"RIFF????WEBPVP8", "image/webp", webp.DecodeConfig},
}

const longestImageMagic = 15

var errNoImage = errors.New("bytes are not an image we take")

// readImage reads a body to its end, whatever it is encoded with. Only the head is decoded as an image, so a small file with
// gigabytes of pixels costs nothing. Neither what is sent nor what is made of it may have more bytes than the limit. If reading the
// body fails, that is the result, even if a decoder failed before on the part that came.
func readImage(body io.Reader, encoding string, maxBytes int64) FetchedImage {
	sent := &limitedBody{body: body, left: maxBytes}
	file := &limitedBody{body: decoded(bufio.NewReaderSize(sent, 4<<10), encoding), left: maxBytes}
	found, err := readImageHead(bufio.NewReaderSize(file, 4<<10))
	if err == nil {
		_, err = io.Copy(io.Discard, file)
	}
	switch err = cmp.Or(sent.err, file.err, err); {
	case err == nil:
		return found
	case errors.Is(err, ErrResponseTooLarge):
		return FetchedImage{ErrorCode: refusal.ImageTooLarge}
	case sent.err != nil:
		return unreachableImage(mayPass(err))
	default:
		return FetchedImage{ErrorCode: refusal.ImageFormatUnsupported}
	}
}

// decoded removes an encoding of HTTP. Servers name encodings that they do not use, and some send one though none was asked for. So a
// body that begins as an image is one, and a body in another encoding is read as it is, and found to be no image.
func decoded(body *bufio.Reader, encoding string) io.Reader {
	head, _ := body.Peek(longestImageMagic)
	if slices.ContainsFunc(imageFormats, func(f imageFormat) bool { return hasMagic(head, f.magic) }) {
		return body
	}
	var (
		file io.Reader
		err  error
	)
	switch encoding {
	case "gzip", "x-gzip":
		file, err = gzip.NewReader(body)
	case "deflate": // in the format of zlib (RFC 9110, section 8.4.1.2), but some servers leave its two bytes out
		if len(head) > 1 && head[0]&0xf == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			file, err = zlib.NewReader(body)
		} else {
			file = flate.NewReader(body)
		}
	default:
		return body
	}
	if err != nil {
		return failing{err}
	}
	return file
}

// failing is a body that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func readImageHead(r *bufio.Reader) (FetchedImage, error) {
	head, _ := r.Peek(longestImageMagic) // a shorter file matches less, and a failing body fails again
	for _, format := range imageFormats {
		if !hasMagic(head, format.magic) {
			continue
		}
		config, err := format.config(r)
		switch {
		case errors.Is(err, pngOverflow):
			return FetchedImage{}, ErrResponseTooLarge
		case err != nil:
			return FetchedImage{}, fmt.Errorf("decode %s: %w", format.contentType, err)
		case config.Width <= 0 || config.Height <= 0:
			return FetchedImage{}, errNoImage
		case !reasonableSize(config.Width, config.Height):
			return FetchedImage{}, ErrResponseTooLarge
		}
		return FetchedImage{Width: config.Width, Height: config.Height, ContentType: format.contentType}, nil
	}
	return FetchedImage{}, errNoImage
}

func hasMagic(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// pngOverflow is how the library refuses a PNG whose pixels it cannot count.
const pngOverflow = png.UnsupportedError("dimension overflow")

func reasonableSize(width, height int) bool {
	return width > 0 && width <= maxImageSide &&
		height > 0 && height <= maxImageSide &&
		width*height <= maxImagePixels
}

// limitedBody reads at most left bytes and remembers how reading failed, since decoders hide the errors they meet.
type limitedBody struct {
	body io.Reader
	left int64
	err  error // nil after a proper end
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one byte beyond the limit shows whether the body ends there
	}
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		err = ErrResponseTooLarge
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
