package browsertest

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/downloads"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// ofCommands is how much higher a page may be with the commands that get the program, one for each system, in screens.
const ofCommands = 0.5

// TestDownloadsAreShown opens the pages that a server has only with programs for sellers. The programs are invented.
func TestDownloadsAreShown(t *testing.T) {
	t.Parallel()
	requireBrowser(t)
	folder, err := downloads.Open(aRelease(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(folder.Close)
	w := servertest.New(t, servertest.SQLite(t))
	s, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: "https://sellers.example.com", Downloads: folder})
	if err != nil {
		t.Fatal(err)
	}
	public := httptest.NewServer(s.Public)
	t.Cleanup(public.Close)
	p := newTab(t, public.URL)
	for name, screen := range map[string]screen{"a desktop": desktop, "a phone": phone} {
		p.on(t, screen)
		for _, path := range []string{"/docs/scan", "/docs/import", "/docs/bridge-install", "/migration", downloads.Path} {
			p.open(t, public.URL+path)
			p.wantNoProblems(t)
			p.wantNothingSideways(t)
			if got := eval[float64](t, p, height); !screen.phone && path != "/migration" && got > mostScreens+ofCommands {
				t.Errorf("%s is %.2f screens high, more than %.1f", path, got, mostScreens+ofCommands)
			}
		}
		want := []string{"Downloads", "Get it", "On Windows", "On a Mac", "On Linux", "All machines", "Check a file", "The server"}
		got := eval[[]string](t, p, `[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].filter(e => e.checkVisibility()).map(e => e.innerText)`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("headings on %s (-want +got):\n%s", name, diff)
		}
		if got := eval[int](t, p, `document.querySelectorAll('main pre').length - document.querySelectorAll('main .code button').length`); got != 0 {
			t.Errorf("on %s %d commands cannot be copied", name, got)
		}
	}
}

// aRelease is a folder with all archives of a release.
func aRelease(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	sums := ""
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		sums += hex.EncodeToString(sum[:]) + "  " + name + "\n"
	}
	for _, a := range downloads.Archives {
		write(a.Name(), a.Stem())
		write(a.Modules(), `{"metadata":{"component":{"version":"1.2.3"}}}`)
	}
	write(downloads.SumsFile, sums)
	return folder
}
