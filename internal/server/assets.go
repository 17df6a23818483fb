package server

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"sellerd/internal/base/pattern"
	"sellerd/v1"
	"sellerd/v1/etag"
)

// This file serves what pages load: our own stylesheets, scripts and pictures, and nothing from elsewhere.
//
//go:embed *.css assets
var assetFiles embed.FS

// assetPath is the path of all assets except the two stylesheets, which are older.
const assetPath = "/assets/"

// iconPath is the picture that browsers show beside the title.
const iconPath = assetPath + "icon.svg"

// asset is a file as it is served.
type asset struct {
	text   []byte
	kind   string // its media type
	tag    string
	packed map[*coding]func() []byte // the compressed texts; nil if compression saves too little
	cache  string                    // its Cache-Control
}

func newAsset(text []byte, kind string) *asset { return newAssetBy((*coding).packed, text, kind) }

// newFleetingAsset is what is made for one answer, so it is compressed as answers are.
func newFleetingAsset(text []byte, kind string) *asset {
	return newAssetBy((*coding).packedFast, text, kind)
}

func newAssetBy(pack func(c *coding, text []byte) []byte, text []byte, kind string) *asset {
	a := &asset{text: text, kind: kind, tag: etag.Of(text), cache: keptMinutes}
	if len(text) >= leastPacked && compressible().MatchString(kind) {
		a.packed = map[*coding]func() []byte{}
		for _, c := range codings {
			a.packed[c] = sync.OnceValue(func() []byte { return pack(c, text) })
		}
	}
	return a
}

// How long callers may keep a file without asking. What only the operator may read is not kept by others, and not used without asking.
const (
	keptMinutes   = "public, max-age=300"
	keptPrivately = "private, no-cache"
)

// loadAssets reads all files, by their path. They are part of the program, so they are read once, for the first page.
var loadAssets = sync.OnceValue(func() map[string]*asset {
	assets := map[string]*asset{}
	err := fs.WalkDir(assetFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			return fmt.Errorf("%s has no media type", name)
		}
		if path.Ext(name) == ".css" {
			text = cssNotes().ReplaceAll(text, nil)
		}
		assets["/"+name] = newAsset(text, kind)
		return nil
	})
	if err != nil {
		panic(fmt.Sprintf("load what pages load: %v", err))
	}
	return assets
})

// cssNotes are what a stylesheet has for its authors: comments, and the indentation of lines.
var cssNotes = pattern.Late(`(?s)/\*.*?\*/\n*|(?m)^[ \t]+`)

// asset serves a file that pages load.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	file, ok := loadAssets()[r.URL.Path]
	if !ok {
		s.render(w, r, http.StatusNotFound, pageContent{Title: "There is no such file"})
		return
	}
	scriptIn(r.URL.Query().Get(languageQuery), r.URL.Path, file).serve(w, r)
}

// serve answers with the file, compressed if the caller accepts that, or with 304 if it has not changed.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) { a.serveChanged(w, r, time.Time{}) }

// serveChanged is serve for a file with the time of its last change, if that may be compared with If-Modified-Since.
func (a *asset) serveChanged(w http.ResponseWriter, r *http.Request, changed time.Time) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", a.cache)
	varyByCoding(h)
	text, tag := a.text, a.tag
	if c := acceptedCoding(r.Header["Accept-Encoding"]); c != nil && a.packed != nil && !v1.TraceFrom(r.Context()).ShowsSecret() {
		h["Content-Encoding"] = c.header
		text, tag = a.packed[c](), etag.Compressed(a.tag, c.suffix)
	}
	h.Set("ETag", tag)
	if known := strings.Join(r.Header.Values("If-None-Match"), ","); etag.Matches(known, a.tag, true) { // compressed or not
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", tag)
	}
	http.ServeContent(w, r, "", changed, bytes.NewReader(text))
}
