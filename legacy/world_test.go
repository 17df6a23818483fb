package legacy_test

import (
	"testing"

	"sellerd/internal/proof/servertest"
)

// newWorld is a world with production settings: an old program must find it as it is on the internet.
func newWorld(tb testing.TB, url string, options ...servertest.Option) *servertest.World {
	tb.Helper()
	return servertest.New(tb, url, append([]servertest.Option{servertest.NewWeb(tb).Production}, options...)...)
}

// each runs a test on SQLite and on PostgreSQL, each time in a new world with production settings.
func each(t *testing.T, test func(t *testing.T, w *servertest.World), options ...servertest.Option) {
	t.Helper()
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) { test(t, newWorld(t, database(t), options...)) })
}
