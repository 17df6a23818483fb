package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance"
)

// coming is a release that can be sealed after those there are.
var coming = changelog.Release{Version: "99.0.0", Kind: changelog.Fix, Date: "2099-01-02T03:04:05Z"}

// sealedFolder is a folder of promises in which the coming release was sealed, and the tip of its seal.
func sealedFolder(t *testing.T) (folder, tip string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "released"), os.DirFS("../released")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"README": "about this folder", "GetItem.txt": "one", "rest/item.txt": "two"} {
		file := filepath.Join(folder, "next", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := conformance.CheckSeals(before)
	if err != nil {
		t.Fatal(err)
	}
	if tip, err = seal(folder, coming, before, sealed[len(sealed)-1].Tip); err != nil {
		t.Fatal(err)
	}
	if err := tidy(folder, coming.Version); err != nil {
		t.Fatal(err)
	}
	return folder, tip
}

// TestTheReleaseBeforeIsInTheArchiveAlone seals a release. The archive then has all releases, and the folder the new one.
func TestTheReleaseBeforeIsInTheArchiveAlone(t *testing.T) {
	folder, tip := sealedFolder(t)
	before, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	want, err := conformance.CheckSeals(before)
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, conformance.SealedRelease{Version: coming.Version, Tip: tip})
	archive, err := zip.OpenReader(filepath.Join(folder, conformance.ArchiveFile))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	got, err := conformance.CheckSeals(archive)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the archive (-want +got):\n%s", diff)
	}
	var names []string
	for _, pattern := range []string{"*", "*/*", "released/*/*", "released/*/rest/*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			names = append(names, strings.TrimPrefix(name, folder+"/"))
		}
	}
	if diff := cmp.Diff([]string{
		"next", "released", "released.zip", "next/README", "released/99.0.0", "released/README", "released/99.0.0/GetItem.txt",
		"released/99.0.0/announcement.json", "released/99.0.0/openapi-rest.json", "released/99.0.0/openapi.json", "released/99.0.0/rest",
		"released/99.0.0/seal.txt", "released/99.0.0/rest/item.txt",
	}, names); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
}

func TestTheSameReleaseIsTheSameArchive(t *testing.T) {
	var archives [2][]byte
	for i := range archives {
		folder, _ := sealedFolder(t)
		var err error
		if archives[i], err = os.ReadFile(filepath.Join(folder, conformance.ArchiveFile)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the archives differ")
	}
}

// TestNothingIsAddedToAnArchiveThatHasChanged asks for other newest releases than that in the archive.
func TestNothingIsAddedToAnArchiveThatHasChanged(t *testing.T) {
	files, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := conformance.CheckSeals(files)
	if err != nil {
		t.Fatal(err)
	}
	newest := sealed[len(sealed)-1]
	for name, c := range map[string]struct {
		entry changelog.Release
		right bool
	}{
		"as it was":           {changelog.Release{Version: newest.Version, Seal: newest.Tip}, true},
		"sealed again":        {changelog.Release{Version: newest.Version, Seal: strings.Repeat("0", 64)}, false},
		"with a release less": {changelog.Release{Version: "1.99.0", Seal: newest.Tip}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := untouched(files, c.entry); (err == nil) != c.right {
				t.Error(err)
			}
		})
	}
}
