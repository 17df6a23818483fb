package exporting

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"sellerd/internal/apiclient"
	"sellerd/internal/importing"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/sheet"
)

// shop is the service on a listener, with exports from it and imports into it. Instead of waiting, an import lets the publisher work.
type shop struct {
	*servertest.World
	url string
}

func newShop(t *testing.T, w *servertest.World) shop {
	t.Helper()
	server := httptest.NewServer(w.Server.Public)
	t.Cleanup(server.Close)
	return shop{w, server.URL}
}

func (s shop) client(t *testing.T, key string) *apiclient.Client {
	t.Helper()
	client, err := apiclient.New(s.url, key, time.Minute, s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	client.Sleep = func(context.Context, time.Duration) error {
		s.Publish(t)
		return nil
	}
	return client
}

// shown is no progress.
type shown struct{}

func (shown) Begin(string, int) {}
func (shown) Add(int)           {}

// The forms of files that are compared.
var (
	semicolons = sheet.Form{Separator: ';', Decimal: ','}
	commas     = sheet.Form{Separator: ',', Decimal: '.'}
	workbook   = sheet.Form{Workbook: true}
)

// exports writes a file with a key, and returns it with what exported it.
func (s shop) exports(t *testing.T, key string, o Options) ([]byte, *Exporter) {
	t.Helper()
	e := &Exporter{Client: s.client(t, key), Progress: shown{}, Options: o, LoadZone: time.LoadLocation}
	if err := e.FindZone(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := e.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), e
}

// imports lists or changes items by a file.
func (s shop) imports(t *testing.T, file []byte, o importing.Options) importing.Report {
	t.Helper()
	read, err := importing.Read(file, o)
	if err != nil {
		t.Fatal(err)
	}
	im := &importing.Importer{Client: s.client(t, s.Key), Progress: shown{}, File: read, Name: "shop", State: filepath.Join(t.TempDir(), "state"), Wait: true}
	if err := im.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return im.Report()
}

// empty resets the sandbox: the account and its shipping models stay.
func (s shop) empty(t *testing.T) {
	t.Helper()
	if answer := s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/test/reset"}); answer.Status != http.StatusAccepted {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	for removed := 1; removed > 0; {
		var err error
		if removed, err = s.Service.ResetOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// act does what a buyer or the marketplace does in the sandbox, and returns the answer's data.
func (s shop) act(t *testing.T, path string, body any) map[string]any {
	t.Helper()
	answer := s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/test" + path, Body: body})
	if answer.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
	return servertest.Into[map[string]any](t, answer)
}

// list reads a list of the API, which fits on a page.
func (s shop) list(t *testing.T, path string) []map[string]any {
	t.Helper()
	return servertest.Into[struct {
		Results []map[string]any `json:"results"`
	}](t, s.Do(t, servertest.Request{Path: path})).Results
}
