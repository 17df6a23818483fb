package seller

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"sellerd/internal/proof/servertest"
)

// shop is the service on a listener.
type shop struct {
	*servertest.World
	url string
}

func newShop(t *testing.T, around func(http.Handler) http.Handler, options ...servertest.Option) shop {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t), options...)
	server := httptest.NewServer(around(w.Server.Public))
	t.Cleanup(server.Close)
	return shop{w, server.URL}
}

func plainly(h http.Handler) http.Handler { return h }
