package server

import (
	"net/http"

	"sellerd/translate"
	"sellerd/translate/guide"
)

// usagePath is the page that shows an account what it still calls on /rest. A script asks for it with the key that is typed into the page.
const usagePath = translate.GuidePath + "/usage"

// usagePage shows the page, with the calls of the guide for the script.
func (s *Server) usagePage(w http.ResponseWriter, r *http.Request, pages *migrationPages) {
	var calls []*guide.Call
	for i := range pages.parts {
		if call := pages.parts[i].Call; call != nil {
			calls = append(calls, call)
		}
	}
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "What is left", Description: "Which calls of the deprecated interface /rest your programs still make, and what takes their place.",
		Scripts: []string{copyScript, assetPath + "usage.js"},
	}, "usage", usageContent{s.config.BaseURL, calls})
}

// usageContent is what the page shows.
type usageContent struct {
	BaseURL string
	Calls   []*guide.Call
}
