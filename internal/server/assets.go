package server

import (
	"bytes"
	"embed"
	"fmt"
	"mime"
	"net/http"
	"path"
	"time"
)

// What pages load: stylesheets, scripts and pictures of ours, and nothing from anywhere else.
//
//go:embed *.css assets
var assetFiles embed.FS

// assetPath is where everything but the two stylesheets is, which are older than it.
const assetPath = "/assets/"

// asset is a file as it is served.
type asset struct {
	text []byte
	kind string // its media type
	tag  string
}

// loadAssets reads all files under the folder, by their path.
func loadAssets() (map[string]asset, error) {
	assets := map[string]asset{}
	add := func(name, at string) error {
		text, err := assetFiles.ReadFile(name)
		if err != nil {
			return err
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			return fmt.Errorf("%s has no media type", name)
		}
		assets[at] = asset{text, kind, entityTag(text)}
		return nil
	}
	for _, name := range []string{"style.css", "changelog.css"} {
		if err := add(name, "/"+name); err != nil {
			return nil, err
		}
	}
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if err := add("assets/"+entry.Name(), assetPath+entry.Name()); err != nil {
			return nil, err
		}
	}
	return assets, nil
}

// asset serves a file that pages load, and says when it has not changed.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	file, ok := s.assets[r.URL.Path]
	if !ok {
		s.render(w, http.StatusNotFound, pageContent{Title: "There is no such file"})
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", file.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.text))
}
