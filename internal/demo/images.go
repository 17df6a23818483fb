// Package demo has the pictures of `sellerd serve --demo`: stamps, coins and postcards that never existed.
package demo

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"image"
	_ "image/gif" // these three are the formats of the pictures
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"time"
)

// tooLarge is the size of /outcome/too-large.jpg in bytes: more than the 10 MiB an item's image may have.
const tooLarge = 11 << 20

//go:embed pictures
var files embed.FS

// picture is the content of a file.
func picture(name string) ([]byte, error) { return files.ReadFile("pictures/" + name) }

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
	for _, name := range ImageNames() {
		mux.HandleFunc("GET /"+name, serve(name))
	}
	mux.HandleFunc("GET /outcome/ok.jpg", serve(ordinary))
	mux.HandleFunc("GET /outcome/missing.jpg", http.NotFound)
	mux.HandleFunc("GET /outcome/too-large.jpg", serveTooLarge)
	mux.HandleFunc("GET /outcome/not-an-image.jpg", serveText)
	mux.HandleFunc("GET /outcome/hang.jpg", hang)
	return mux
}

// ordinary is the picture of the outcome files.
const ordinary = "postcard-01.jpg"

// ImageNames lists the pictures Images serves, such as "stamp-01.png", without a leading slash: stamps, coins, postcards.
func ImageNames() (names []string) {
	for _, kind := range []string{"stamp", "coin", "postcard"} {
		found, _ := fs.Glob(files, "pictures/"+kind+"-*") // fails only if the pattern is malformed
		for _, file := range found {
			names = append(names, path.Base(file))
		}
	}
	return names
}

// Look is the size and type of one of the pictures.
type Look struct {
	Width, Height int // pixels
	ContentType   string
}

// LookAt returns the size and type of a picture of ImageNames. It is false for any other name.
func LookAt(name string) (Look, bool) {
	file, _ := picture(name) // one that is not there has no format either
	config, format, err := image.DecodeConfig(bytes.NewReader(file))
	return Look{config.Width, config.Height, "image/" + format}, err == nil
}

func serve(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := picture(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.Header().Set("ETag", fmt.Sprintf(`"%.8x"`, sha256.Sum256(body)))
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	}
}

// serveTooLarge begins like a picture, so that only its size is wrong.
func serveTooLarge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(tooLarge))
	filler := make([]byte, 64<<10)
	begin, err := picture(ordinary)
	sent := 0
	for chunk := begin; sent < tooLarge && err == nil; chunk = filler { // the client may close the connection before
		var n int
		n, err = w.Write(chunk[:min(len(chunk), tooLarge-sent)])
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
