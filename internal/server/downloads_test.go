package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/downloads"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// withDownloads makes a server with a folder of a release, in which there are also files of the operator.
func withDownloads(t *testing.T) http.Handler { return serverWithDownloads(t).Public }

func serverWithDownloads(t *testing.T) *server.Server {
	t.Helper()
	folder := t.TempDir()
	sums := ""
	for _, a := range downloads.Archives {
		for name, text := range map[string]string{
			a.Name(): contentOf(a), a.Modules(): `{"metadata":{"component":{"version":"9.8.7"}}}` + strings.Repeat(" ", 2000),
		} {
			write(t, folder, name, text)
			sum := sha256.Sum256([]byte(text))
			sums += hex.EncodeToString(sum[:]) + "  " + name + "\n"
		}
	}
	write(t, folder, downloads.SumsFile, sums)
	write(t, folder, "operator-token", "secret")
	opened, err := downloads.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	w := servertest.New(t, servertest.SQLite(t))
	s, err := server.New(server.Config{Service: w.Service, Logger: slog.New(slog.DiscardHandler), BaseURL: "https://api.example.com", Downloads: opened})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// contentOf is what stands for an archive: more than a connection keeps.
func contentOf(a downloads.Archive) string {
	return strings.Repeat("the archive "+a.Stem()+"\n", 40_000)
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// onOneLine is a page without colours, whose commands do not end a line before an option.
func onOneLine(page string) string { return strings.ReplaceAll(uncoloured(page), " \\\n  ", " ") }

func TestTheProgramsOfARelease(t *testing.T) {
	public := withDownloads(t)
	html := onOneLine(get(public, "/downloads", "Accept", "text/html").Body.String())
	for _, a := range downloads.Archives {
		for _, link := range []string{`<a href="/downloads/` + a.Name() + `">`, `<a href="/downloads/` + a.Modules() + `">`} {
			if !strings.Contains(html, link) {
				t.Errorf("the page has no %s", link)
			}
		}
	}
	for _, want := range []string{
		`<h1>Downloads</h1>`, "9.8.7",
		"curl -fL https://api.example.com/downloads/seller-linux-amd64.tar.gz |\n  tar -xzf - seller</code>",
		"curl -fL https://api.example.com/downloads/seller-darwin-arm64.tar.gz |\n  tar -xzf - seller</code>",
		`Invoke-WebRequest https://api.example.com/downloads/seller-windows-amd64.zip -OutFile seller.zip; Expand-Archive seller.zip -Force</code>`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for path, want := range map[string][2]string{
		"/downloads/seller-linux-amd64.tar.gz":    {"application/gzip", "the archive seller-linux-amd64"},
		"/downloads/seller-windows-arm64.zip":     {"application/zip", "the archive seller-windows-arm64"},
		"/downloads/sellerd-linux-arm64.cdx.json": {"application/vnd.cyclonedx+json; version=1.6", `{"metadata":{"component":{"version":"9.8.7"}}}`},
	} {
		got := get(public, path)
		first, _, _ := strings.Cut(got.Body.String(), "\n")
		if diff := cmp.Diff(want, [2]string{got.Header().Get("Content-Type"), strings.TrimSpace(first)}); diff != "" || got.Code != http.StatusOK {
			t.Errorf("%s: %d (-want +got):\n%s", path, got.Code, diff)
		}
	}
}

// An archive is compressed already: it keeps its length, its tag and its parts whatever the caller accepts. A list is a text like others.
func TestArchivesAreNotCompressedAgain(t *testing.T) {
	public := withDownloads(t)
	for path, want := range map[string]string{"/downloads/seller-linux-amd64.tar.gz": "", "/downloads/seller-linux-amd64.cdx.json": "gzip"} {
		got := get(public, path, "Accept-Encoding", "gzip").Header()
		again := get(public, path, "Accept-Encoding", "gzip", "If-None-Match", got.Get("ETag"))
		if got.Get("Content-Encoding") != want || again.Code != http.StatusNotModified {
			t.Errorf("%s: %v, and then %d", path, got, again.Code)
		}
	}
}

// TestASlowLineGetsAWholeArchive gives answers less time than they need: what sends archives takes more, piece by piece.
func TestASlowLineGetsAWholeArchive(t *testing.T) {
	s := serverWithDownloads(t)
	hurried := server.HTTPServer(s, s.Public, nil)
	hurried.WriteTimeout = time.Nanosecond
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- hurried.Serve(listener) }()
	defer func() {
		_ = hurried.Close()
		<-served
	}()
	for _, coding := range []string{"identity", "gzip"} {
		r, err := http.NewRequest(http.MethodGet, "http://"+listener.Addr().String()+"/downloads/seller-linux-arm64.tar.gz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", coding)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if want := contentOf(downloads.Archives[5]); err != nil || string(text) != want {
			t.Errorf("with %s it gets %d bytes of %d: %v", coding, len(text), len(want), err)
		}
	}
	if response, err := http.Get("http://" + listener.Addr().String() + "/downloads"); err == nil {
		_ = response.Body.Close()
		t.Error("another answer has more time, too")
	}
}

func TestOnlyTheFilesOfARelease(t *testing.T) {
	public := withDownloads(t)
	for _, path := range []string{
		"/downloads/operator-token", "/downloads/", "/downloads/.", "/downloads/../operator-token", "/downloads/%2e%2e/operator-token",
		"/downloads/seller-linux-amd64.tar.gz/", "/downloads/seller-linux-386.tar.gz", "/downloads//SHA256SUMS", "/downloads/sha256sums",
	} {
		if got := get(public, path); got.Code != http.StatusNotFound || strings.Contains(got.Body.String(), "secret") {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
}

// TestPagesLeadToDownloadsThatAreThere looks at all pages of which the downloads are a part, with and without them.
func TestPagesLeadToDownloadsThatAreThere(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	without, err := server.New(server.Config{Service: w.Service, Logger: slog.New(slog.DiscardHandler), BaseURL: "https://api.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	with := withDownloads(t)
	const command = "-fL https://api.example.com/downloads/"
	for path, sign := range map[string]string{
		"/docs/scan": command, "/docs/scan.md": command, "/docs/import": command, "/docs/bridge-install": command,
		"/migration": `<a href="/downloads">`, "/migration.md": "(https://api.example.com/downloads)", "/sitemap.xml": "https://api.example.com/downloads<", "/": `<a href="/downloads">`,
		"/search?q=SHA256SUMS": `<a href="/downloads#check">`,
	} {
		body := onOneLine(get(with, path).Body.String())
		if !strings.Contains(body, sign) {
			t.Errorf("with downloads %s has no %s", path, sign)
		}
		if body := get(without.Public, path).Body.String(); strings.Contains(body, "/downloads") {
			t.Errorf("without downloads %s leads to them", path)
		}
	}
	if got := get(without.Public, "/downloads", "Accept", "text/html"); got.Code != http.StatusNotFound {
		t.Errorf("without downloads there is a page: %d", got.Code)
	}
}
