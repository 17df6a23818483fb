package downloads

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Path is the address of the page, and, with a name behind it, of each file.
const Path = "/downloads"

// partTime is how long a caller may take for a part of a file of at most partSize bytes, and fileTime for all of it. So a slow line gets
// the file, and who does not read keeps no connection.
const (
	partTime = 30 * time.Second
	partSize = 32 << 10
	fileTime = time.Hour
)

// ServeHTTP sends the file: whole, in part or only its header. A copy is used again only after asking whether it is still the file.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.Kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+f.Sum+`"`)
	ctx, cancel := context.WithTimeout(r.Context(), fileTime)
	defer cancel()
	http.ServeContent(patient{w, ctx}, r, "", time.Time{}, io.NewSectionReader(f.content, 0, f.Size))
}

// patient gives each part of an answer the time that other answers have as a whole.
type patient struct {
	http.ResponseWriter
	ctx context.Context
}

// Write implements http.ResponseWriter.
func (p patient) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		var sent int
		sent, err = p.part(b[:min(len(b), partSize)])
		n, b = n+sent, b[sent:]
	}
	return n, err
}

func (p patient) part(b []byte) (int, error) {
	ctx, cancel := context.WithTimeout(p.ctx, partTime)
	defer cancel()
	deadline, _ := ctx.Deadline()
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(deadline) // there is none in tests without a connection
	return p.ResponseWriter.Write(b)
}
