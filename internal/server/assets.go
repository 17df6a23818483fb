package server

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

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
	text   func() []byte
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
	a := &asset{text: func() []byte { return text }, kind: kind, tag: etag.Of(text), cache: keptMinutes}
	if len(text) >= leastPacked && compressible().MatchString(kind) {
		a.packed = map[*coding]func() []byte{}
		for _, c := range codings {
			a.packed[c] = sync.OnceValue(func() []byte { return pack(c, text) })
		}
	}
	return a
}

// How long callers may keep a file without asking: for five minutes, or for good if it never changes under its path. What only the
// operator may read is not kept by others, and not used without asking.
const (
	keptMinutes   = "public, max-age=300"
	keptForGood   = "public, max-age=31536000, immutable"
	keptPrivately = "private, no-cache"
)

// packedSuffix ends the names of large files that are in the program compressed. They are served without it.
const packedSuffix = ".gz"

// newPackedAsset is a file that is in the program compressed. It is unpacked for each of the rare callers that do not take gzip, and the
// text is not kept.
func newPackedAsset(content []byte, kind string) *asset {
	text := func() []byte { return unpacked(content) }
	return &asset{text: text, kind: kind, tag: etag.Of(content), cache: keptMinutes, packed: map[*coding]func() []byte{
		gzipCoding: func() []byte { return content }, zstdCoding: sync.OnceValue(func() []byte { return zstdCoding.packed(text()) }),
	}}
}

// unpacked is the text of a file that is in the program compressed. Tests unpack each, so it has no errors to report.
func unpacked(content []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(r)
	return text
}

// versioned are the names of files that contain a version. The file behind such a name never changes.
var versioned = regexp.MustCompile(`-[0-9]+\.[0-9]+\.[0-9]+\.[a-z]+$`)

// loadAssets reads all files, by their path. They are part of the program, so they are read once, for the first page.
var loadAssets = sync.OnceValues(func() (map[string]*asset, error) {
	assets := map[string]*asset{}
	err := fs.WalkDir(assetFiles, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		name, compressed := strings.CutSuffix(name, packedSuffix)
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			return fmt.Errorf("%s has no media type", name)
		}
		file := newAsset
		if compressed {
			file = newPackedAsset
		}
		assets["/"+name] = file(text, kind)
		if versioned.MatchString(name) {
			assets["/"+name].cache = keptForGood
		}
		return nil
	})
	return assets, err
})

// asset serves a file that pages load.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	assets, err := loadAssets()
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	file, ok := assets[r.URL.Path]
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
		text, tag = a.packed[c], etag.Compressed(a.tag, c.suffix)
	}
	h.Set("ETag", tag)
	if known := strings.Join(r.Header.Values("If-None-Match"), ","); etag.Matches(known, a.tag, true) { // compressed or not
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", tag)
	}
	http.ServeContent(w, r, "", changed, bytes.NewReader(text()))
}
