//go:build npm

package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// TestNPMFeedReader lets an independent feed reader, the npm package rss-parser, read the feed of a running server. It
// needs the network, so it stands behind a build tag: make npm
func TestNPMFeedReader(t *testing.T) {
	folder := installNPM(t, "testdata/feedreader")
	w := servertest.New(t, servertest.SQLite(t))
	public := httptest.NewServer(w.Server.Public)
	defer public.Close()
	for category, path := range feedsToRead {
		t.Run(path, func(t *testing.T) {
			node := exec.CommandContext(t.Context(), "node", "read.js", public.URL+path)
			node.Dir, node.Stderr = folder, os.Stderr
			out, err := node.Output()
			if err != nil {
				t.Fatal(err)
			}
			var feed struct {
				Address, Page string
				Items         []struct {
					ID, Title, Link, Content string
					Published, Updated       time.Time
					Categories               []string
				}
			}
			if err := json.Unmarshal(out, &feed); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if feed.Address != w.Config.BaseURL+path || feed.Page != w.Config.BaseURL+"/changelog" {
				t.Errorf("it is at %s for %s", feed.Address, feed.Page)
			}
			var got []reading
			for _, item := range feed.Items {
				got = append(got, reading{item.ID, item.Title, item.Link, item.Published, item.Updated, item.Categories})
				if item.Content == "" {
					t.Errorf("%s has no content", item.ID)
				}
			}
			if diff := cmp.Diff(toBeRead(t, w.Config.BaseURL, category), got); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
}

// installNPM copies a program of npm's packages from a folder, and installs them. It returns where.
func installNPM(t *testing.T, from string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return folder
}
