package server

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sellerd/internal/base/pattern"
	"sellerd/internal/base/weigh"
	"sellerd/v1/etag"
)

// This file compresses answers for callers who accept that (RFC 9110, 8.4 and 12.5.3): texts of leastPacked bytes and more. An answer that
// shows a secret never is. Pages and documents are the same for all callers, so they are compressed once (assets.go); so are the lists that
// all callers share.

// coding is a way to compress.
type coding struct {
	name     string // in Accept-Encoding
	header   []string
	suffix   string        // of entity tags
	fast     sync.Pool     // spare packers of answers
	thorough func() packer // of what is kept: slower, and smaller
}

// packer compresses one answer after the other.
type packer interface {
	io.WriteCloser
	Reset(into io.Writer)
}

// The codings, the first choice first. Their levels were chosen by measuring: those for answers cost the least, those for what is kept make
// it the smallest.
var (
	gzipCoding = &coding{
		name: "gzip", header: []string{"gzip"}, suffix: etag.Gzip, fast: sync.Pool{New: func() any { return gzipPacker(gzip.BestSpeed) }},
		thorough: func() packer { return gzipPacker(gzip.BestCompression) },
	}
	zstdCoding = &coding{
		name: "zstd", header: []string{"zstd"}, suffix: etag.Zstd, fast: sync.Pool{New: func() any { return zstdPacker(zstd.SpeedFastest) }},
		thorough: func() packer { return zstdPacker(zstd.SpeedBetterCompression) }, // the best level takes 36 MB for each text
	}
	codings = []*coding{gzipCoding, zstdCoding}
)

func gzipPacker(level int) packer {
	w, _ := gzip.NewWriterLevel(nil, level) // the level is one of the package's
	return w
}

// zstdWindow is how far back zstd looks, in bytes: answers are not much longer, and a writer keeps that much.
const zstdWindow = 512 << 10

func zstdPacker(level zstd.EncoderLevel) packer {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
		zstd.WithLowerEncoderMem(true)) // all options are valid
	return w
}

// packed is a text that is kept, compressed.
func (c *coding) packed(text []byte) []byte { return pack(c.thorough(), text) }

// packedFast is a text that is sent once, compressed.
func (c *coding) packedFast(text []byte) []byte {
	w := c.fast.Get().(packer)
	defer c.fast.Put(w)
	return pack(w, text)
}

func pack(w packer, text []byte) []byte {
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// acceptedCoding is the coding in which a caller wants an answer most, by the lines of Accept-Encoding, nil for none. Of two that are as
// welcome the caller's first one counts. Whoever says only * may not know what it means, and gets the text as it is.
func acceptedCoding(lines []string) (best *coding) {
	if len(lines) == 0 {
		return nil
	}
	most, identity := 0.0, 0.0
	for name, weight := range weigh.List(strings.Join(lines, ",")) {
		switch name = strings.ToLower(name); name {
		case "identity":
			identity = weight
		case "x-gzip": // RFC 9110, 8.4.1.3
			name = gzipCoding.name
		}
		for _, c := range codings {
			if c.name == name && weight > most {
				best, most = c, weight
			}
		}
	}
	if identity > most {
		return nil
	}
	return best
}

// leastPacked is how long a text is that is worth compressing, in bytes.
const leastPacked = 1 << 10

// compressible are the media types that are texts.
var compressible = pattern.Late(`^text/|json|javascript|xml|yaml`)

// Answers that are the same for all callers and at least so long are kept, compressed. When there are too many, such as pages of odd sizes,
// all are made anew.
const (
	leastKept = 32 << 10
	mostKept  = 64
)

// keptAnswers are compressed answers by their entity tags.
type keptAnswers struct {
	byTag sync.Map // []byte by string
	count atomic.Int32
}

// of is the compressed text of an answer.
func (k *keptAnswers) of(tag string, c *coding, text []byte) []byte {
	if found, ok := k.byTag.Load(tag); ok {
		return found.([]byte)
	}
	if k.count.Add(1) > mostKept {
		k.byTag.Clear()
		k.count.Store(1)
	}
	packed := c.packed(text)
	k.byTag.Store(tag, packed)
	return packed
}

var headerVary = []string{"Accept-Encoding"}

// varyByCoding says that an answer depends on what the caller accepts, unless it names that beside other headers. What nobody may store
// says so only to callers who accept a coding.
func varyByCoding(h http.Header) {
	if h["Vary"] == nil {
		h["Vary"] = headerVary
	}
}

// packing is the answer to a caller who accepts a coding. An answer that is compressed is sent when it is complete: until then it can
// become an error, and its length is not known.
type packing struct {
	*recorder
	request *http.Request
	coding  *coding
	kept    *keptAnswers

	status  int // of the answer, 0 before there is one
	decided bool
	packs   bool          // the answer is compressed
	packer  packer        // takes it, unless it is kept
	packed  *bytes.Buffer // has what the packer makes of it
	whole   []byte        // the compressed answer, if it is kept
}

// packedBuffers are spare buffers (*bytes.Buffer) for compressed answers.
var packedBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// WriteHeader implements http.ResponseWriter.
func (p *packing) WriteHeader(status int) {
	if p.status != 0 || status < http.StatusOK {
		p.recorder.WriteHeader(status)
		return
	}
	p.status = status
	varyByCoding(p.Header())
	if length, err := strconv.Atoi(p.Header().Get("Content-Length")); err == nil {
		p.decide(length)
	}
}

// Write implements http.ResponseWriter.
func (p *packing) Write(b []byte) (int, error) {
	if p.status == 0 {
		p.WriteHeader(http.StatusOK)
	}
	if !p.decided {
		p.decide(len(b))
	}
	if !p.packs {
		return p.recorder.Write(b)
	}
	if p.packer == nil {
		if p.whole = p.keptAnswer(b); p.whole != nil {
			return len(b), nil
		}
		p.packed, p.packer = packedBuffers.Get().(*bytes.Buffer), p.coding.fast.Get().(packer)
		p.packed.Reset()
		p.packer.Reset(p.packed)
	}
	return p.packer.Write(b)
}

// decide decides by the length of the answer, or of its first part, whether it is compressed. If not, it goes its way.
func (p *packing) decide(length int) {
	p.decided = true
	h := p.Header()
	p.packs = length >= leastPacked && p.status != http.StatusPartialContent && h["Content-Encoding"] == nil &&
		compressible().MatchString(h.Get("Content-Type")) && !p.trace.ShowsSecret()
	if p.packs && p.request.Method == http.MethodHead {
		p.packs = false // there is nothing to compress, and the length is not known
		h.Del("Content-Length")
		p.nameCoding()
	}
	if !p.packs {
		p.recorder.WriteHeader(p.status)
	}
}

// keptAnswer is the compressed answer of an answer that is whole and the same for all callers, nil for others.
func (p *packing) keptAnswer(text []byte) []byte {
	tag, whole := p.Header().Get("Etag"), p.Header().Get("Content-Length") == strconv.Itoa(len(text))
	if len(text) < leastKept || !whole || tag == "" || !p.trace.SameForAll() {
		return nil
	}
	return p.kept.of(etag.Compressed(tag, p.coding.suffix), p.coding, text)
}

// finish sends the answer, if that is not done yet. It is not called after a panic.
func (p *packing) finish() {
	switch {
	case p.packs:
		text := p.whole
		if p.packer != nil {
			_ = p.packer.Close() // a buffer takes everything
			text = p.packed.Bytes()
			defer packedBuffers.Put(p.packed)
			defer p.coding.fast.Put(p.packer)
		}
		p.Header()["Content-Length"] = []string{strconv.Itoa(len(text))}
		p.nameCoding()
		p.recorder.WriteHeader(p.status)
		_, _ = p.recorder.Write(text) // it fails only if the caller has disconnected
	case p.status != 0 && !p.decided:
		if p.status == http.StatusNotModified {
			p.tagUnchanged()
		}
		p.recorder.WriteHeader(p.status)
	}
}

// nameCoding says in the header that the answer is compressed.
func (p *packing) nameCoding() {
	h := p.Header()
	h["Content-Encoding"] = p.coding.header
	h.Del("Accept-Ranges") // a part would be one of the text
	if tag := h.Get("Etag"); tag != "" {
		h["Etag"] = []string{etag.Compressed(tag, p.coding.suffix)}
	}
}

// tagUnchanged gives the answer that nothing has changed the tag that the whole answer would have (RFC 9110, 15.4.5). A caller who names
// that of a compressed answer has one.
func (p *packing) tagUnchanged() {
	h := p.Header()
	asked, tag := strings.Join(p.request.Header.Values("If-None-Match"), ","), h.Get("Etag")
	for _, c := range codings {
		if compressed := etag.Compressed(tag, c.suffix); compressed != tag && strings.Contains(asked, compressed) {
			h["Etag"] = []string{etag.Compressed(tag, p.coding.suffix)}
			return
		}
	}
}
