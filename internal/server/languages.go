package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"sellerd/internal/languages"
	"sellerd/internal/site"
	"sellerd/v1"
)

// This file serves the pages in other languages than English, at the address of the language: /fr/docs/start. The page is made as the
// English one is, and render puts it into the language.

// languageKey is the key under which a request for a page has its language.
type languageKey struct{}

// languageOf is the language in which a page is asked for.
func languageOf(r *http.Request) languages.Language {
	if l, ok := r.Context().Value(languageKey{}).(languages.Language); ok {
		return l
	}
	return languages.English
}

// mountLanguages mounts the pages of the other languages over the English ones. An address with a capital code leads to the one with a
// small code.
func (s *Server) mountLanguages(public routes) {
	for _, l := range languages.Others {
		public.ServeMux.HandleFunc("/"+l.Code+"/", func(w http.ResponseWriter, r *http.Request) {
			english := r.Clone(context.WithValue(r.Context(), languageKey{}, l))
			english.URL.Path, english.URL.RawPath = strings.TrimPrefix(r.URL.Path, "/"+l.Code), ""
			if languages.Has(english.URL.Path) || isNowhere(public, s.site, english) {
				public.ServeHTTP(w, english)
				return
			}
			v1.TraceFrom(r.Context()).Operation = "/" + l.Code + "/"
			http.Redirect(w, r, english.URL.RequestURI(), http.StatusFound)
		})
		capital := "/" + strings.ToUpper(l.Code)
		public.ServeMux.HandleFunc(capital+"/", func(w http.ResponseWriter, r *http.Request) {
			v1.TraceFrom(r.Context()).Operation = "/" + l.Code + "/"
			small := *r.URL
			small.Path, small.RawPath = "/"+l.Code+strings.TrimPrefix(r.URL.Path, capital), ""
			http.Redirect(w, r, small.RequestURI(), http.StatusPermanentRedirect)
		})
	}
}

// isNowhere says whether an English address leads to no page, or to the successor of one. Then the reader is answered in their language.
func isNowhere(public routes, pages *site.Site, r *http.Request) bool {
	switch _, pattern := public.ServeMux.Handler(r); pattern {
	case "/":
		return !isAPI(r.URL.Path)
	case "GET /docs/{page}":
		_, ok := pages.Doc(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/docs/"), markdownSuffix))
		return !ok
	}
	return false
}

// alternate is a page in one of the languages.
type alternate struct {
	languages.Language
	Path    string
	Current bool
}

// alternates are the page at an English path in all languages, if it exists in several.
func alternates(path string, current languages.Language) (all []alternate) {
	if !languages.Has(path) {
		return nil
	}
	for _, l := range slices.Concat([]languages.Language{languages.English}, languages.Others) {
		all = append(all, alternate{l, l.Path(path), l == current})
	}
	return all
}

// SwitchPath is the path for the switch of languages. The English home page is asked for by name, because it leads to the reader's language.
func (a alternate) SwitchPath() string {
	if a.Path == "/" {
		return "/?" + languageQuery + "=" + languages.English.Code
	}
	return a.Path
}

// languageQuery is the parameter by which the home page and scripts are asked for in a language.
const languageQuery = "lang"

// toOwnLanguage leads a reader who comes to the home page from elsewhere to the one in their language. It reports whether it has answered.
func toOwnLanguage(w http.ResponseWriter, r *http.Request) bool {
	if languageOf(r) != languages.English {
		return false
	}
	w.Header().Set("Vary", "Accept-Language, Sec-Fetch-Site, Accept-Encoding")
	if r.URL.Query().Has(languageQuery) || r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		return false
	}
	l, ok := languages.Named(v1.PreferredLanguage(strings.Join(r.Header["Accept-Language"], ",")))
	if !ok {
		return false
	}
	w.Header().Set("Cache-Control", "no-cache")
	http.Redirect(w, r, l.Path("/"), http.StatusFound)
	return true
}

// inLanguage is a finished English page in the language of the request.
func (s *Server) inLanguage(r *http.Request, english []byte) ([]byte, error) {
	l := languageOf(r)
	if l == languages.English {
		return english, nil
	}
	page, err := l.Page(english, s.config.BaseURL)
	if err != nil {
		return nil, err
	}
	return page.HTML, nil
}

// scriptIn is a script in a language, or as it is.
func scriptIn(code, path string, file *asset) *asset {
	l, ok := languages.Named(code)
	if !ok || !strings.HasSuffix(path, ".js") {
		return file
	}
	if made, ok := scriptsIn.Load(code + path); ok {
		return made.(*asset)
	}
	made, _ := scriptsIn.LoadOrStore(code+path, newAsset(l.Script(file.text), file.kind))
	return made.(*asset)
}

// scriptsIn are the scripts in other languages than English: *asset by language and path.
var scriptsIn sync.Map
