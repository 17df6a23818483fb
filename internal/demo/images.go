// Package demo has the pictures of `sellerd serve --demo`: stamps, coins and postcards that never existed. They are drawn
// at the first request, so the program contains no image files, and are the same after every start.
package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// tooLarge is the size of /outcome/too-large.jpg in bytes: more than the 10 MiB an item's image may have.
const tooLarge = 11 << 20

// Images serves the pictures of ImageNames, and the outcome files: images with a fixed outcome, for integrators who want to
// see each way in which a publication can end.
//
//	/outcome/ok.jpg            an ordinary picture: the image becomes ready
//	/outcome/missing.jpg       404: image_unreachable
//	/outcome/hang.jpg          no answer until the client leaves: image_unreachable, once the fetcher lost its patience
//	/outcome/too-large.jpg     11 MiB: image_too_large
//	/outcome/not-an-image.jpg  text under an image's name: image_format_unsupported
//
// Paths are relative to where the handler is mounted.
func Images() http.Handler {
	mux := http.NewServeMux()
	for _, p := range pictures() {
		mux.HandleFunc("GET /"+p.name, serveOnceDrawn(p))
	}
	mux.HandleFunc("GET /outcome/ok.jpg", serveOnceDrawn(picture{name: "ok.jpg", file: postcards[0].file}))
	mux.HandleFunc("GET /outcome/missing.jpg", http.NotFound)
	mux.HandleFunc("GET /outcome/too-large.jpg", serveTooLarge)
	mux.HandleFunc("GET /outcome/not-an-image.jpg", serveText)
	mux.HandleFunc("GET /outcome/hang.jpg", hang)
	return mux
}

// ImageNames lists the pictures Images serves, such as "stamp-01.png", without a leading slash. It knows their numbers only, so a program that
// draws none has neither the typeface nor the encoders.
func ImageNames() []string {
	var names []string
	for _, kind := range []struct {
		name string
		n    int
	}{{stampName, len(stamps)}, {coinName, len(coins)}, {postcardName, len(postcards)}} {
		for i := range kind.n {
			names = append(names, fmt.Sprintf(kind.name, i+1))
		}
	}
	return names
}

// Look is the size and type of one of the pictures.
type Look struct {
	Width, Height int // pixels
	ContentType   string
}

// LookAt returns the size and type of a picture of ImageNames without drawing it. It is false for any other name.
func LookAt(name string) (Look, bool) {
	for _, p := range pictures() {
		if p.name == name {
			return Look{p.size.X, p.size.Y, p.contentType}, true
		}
	}
	return Look{}, false
}

func serveOnceDrawn(p picture) http.HandlerFunc {
	file := sync.OnceValue(p.file)
	return func(w http.ResponseWriter, r *http.Request) {
		body := file()
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.Header().Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(body)))
		http.ServeContent(w, r, p.name, time.Time{}, bytes.NewReader(body))
	}
}

// serveTooLarge begins like a picture, so that only its size is wrong.
func serveTooLarge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(tooLarge))
	filler := make([]byte, 64<<10)
	sent, err := w.Write(postcards[0].file())
	for sent < tooLarge && err == nil { // the client may close the connection before
		var n int
		n, err = w.Write(filler[:min(len(filler), tooLarge-sent)])
		sent += n
	}
}

func serveText(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	fmt.Fprintln(w, "This file is called .jpg, but it is text.")
}

// hang waits until the client has left. Should the server end the request first, its answer is at least no image.
func hang(w http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	w.WriteHeader(http.StatusGatewayTimeout)
}

// picture is a file and how to make it.
type picture struct {
	name        string
	size        image.Point
	contentType string
	file        func() []byte
}

// Sizes in pixels.
var (
	stampSize    = image.Pt(240, 300)
	coinSize     = image.Pt(240, 240)
	postcardSize = image.Pt(420, 280)
)

// Names of pictures, by their numbers.
const (
	stampName    = "stamp-%02d.png"
	coinName     = "coin-%02d.gif"
	postcardName = "postcard-%02d.jpg"
)

func pictures() []picture {
	var all []picture
	for i, s := range stamps {
		all = append(all, picture{fmt.Sprintf(stampName, i+1), stampSize, "image/png", s.file})
	}
	for i, c := range coins {
		all = append(all, picture{fmt.Sprintf(coinName, i+1), coinSize, "image/gif", c.file})
	}
	for i, p := range postcards {
		all = append(all, picture{fmt.Sprintf(postcardName, i+1), postcardSize, "image/jpeg", p.file})
	}
	return all
}

// encode returns what write puts down. Encoders fail on impossible images or failing writers, and there are none here.
func encode(write func(*bytes.Buffer) error) []byte {
	var file bytes.Buffer
	if err := write(&file); err != nil {
		panic(fmt.Errorf("encode a demo picture: %w", err))
	}
	return file.Bytes()
}
