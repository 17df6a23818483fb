package hostiletest

import (
	"flag"
	"path/filepath"
	"testing"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var long = flag.Bool("long", false, "measure at full size, one test after the other; by default tests are small, run side by side, and judge no times of healthy requests")

func TestMain(m *testing.M) { blackbox.Main(m) }

// databases are the two that the program serves.
var databases = []struct {
	name string
	url  func(t *testing.T) string
}{
	{"SQLite", func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") }},
	{"PostgreSQL", func(t *testing.T) string {
		if *long { // with PostgreSQL's own settings, as what is measured
			return pgtest.Own(t, pgtest.Options{Durable: true}).AdminURL()
		}
		return pgtest.URL(t, nil)
	}},
}
