package server

import (
	"net/http"
	"strconv"
)

// testItemPath is where url of a test item leads. The marketplace's own site has the pages of live items.
const testItemPath = "/item/{id}"

// testItem says what a test item's address is about. It reads nothing, so it says the same of every id, and shows no seller's data.
func (s *Server) testItem(w http.ResponseWriter, r *http.Request) {
	if _, err := strconv.ParseUint(r.PathValue("id"), 10, 63); err != nil {
		s.notFound(s.config.Service.Handler()).ServeHTTP(w, r)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: "Items of the test mode", Path: testItemPath, Private: true,
		Paragraphs: []string{
			"This is the address of a test item. Buyers do not see test items, so it has no page on the marketplace.",
			"To see the item, read GET /v1/items/{id} with the test key. A live item's url leads to its page on the marketplace.",
		},
		Links: []link{{"/docs/sandbox", "Sandbox"}, {"/docs/authentication#test-mode-and-live-mode", "Test mode and live mode"}},
	})
}
