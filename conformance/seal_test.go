package conformance

import (
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// sealed are two releases with their seals.
func sealed(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{
		"released/README":                {Data: []byte("about this folder")},
		"released/1.2.0/GetItem.txt":     {Data: []byte("one")},
		"released/1.2.0/rest/item.txt":   {Data: []byte("two")},
		"released/1.10.0/GetAccount.txt": {Data: []byte("three")},
	}
	first, err := Seal(files, "1.2.0", "")
	if err != nil {
		t.Fatal(err)
	}
	files["released/1.2.0/"+SealFile] = &fstest.MapFile{Data: []byte(first)}
	second, err := Seal(files, "1.10.0", Tip(first))
	if err != nil {
		t.Fatal(err)
	}
	files["released/1.10.0/"+SealFile] = &fstest.MapFile{Data: []byte(second)}
	return files
}

func TestReleasesAreSealedInTheirOrder(t *testing.T) {
	files := sealed(t)
	got, err := CheckSeals(files)
	if err != nil {
		t.Fatal(err)
	}
	tip := func(version string) string {
		seal, err := fs.ReadFile(files, "released/"+version+"/"+SealFile)
		if err != nil {
			t.Fatal(err)
		}
		return Tip(string(seal))
	}
	if diff := cmp.Diff([]SealedRelease{{"1.2.0", tip("1.2.0")}, {"1.10.0", tip("1.10.0")}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingOfAReleaseCanChange(t *testing.T) {
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		want   string
	}{
		"a file": {func(f fstest.MapFS) { f["released/1.2.0/GetItem.txt"] = &fstest.MapFile{Data: []byte("other")} }, "release 1.2.0 is sealed, and has changed"},
		"a file in a folder": {
			func(f fstest.MapFS) { f["released/1.2.0/rest/item.txt"] = &fstest.MapFile{Data: []byte("other")} },
			"release 1.2.0 is sealed, and has changed",
		},
		"a file more":         {func(f fstest.MapFS) { f["released/1.2.0/GetSale.txt"] = &fstest.MapFile{Data: []byte("new")} }, "release 1.2.0 is sealed, and has changed"},
		"a file that is gone": {func(f fstest.MapFS) { delete(f, "released/1.10.0/GetAccount.txt") }, "release 1.10.0 is sealed, and has changed"},
		"a file that has moved": {func(f fstest.MapFS) {
			f["released/1.2.0/rest/GetItem.txt"] = f["released/1.2.0/GetItem.txt"]
			delete(f, "released/1.2.0/GetItem.txt")
		}, "release 1.2.0 is sealed, and has changed"},
		"a seal that is gone": {func(f fstest.MapFS) { delete(f, "released/1.10.0/"+SealFile) }, "release 1.10.0 is not sealed"},
		"an older file and seal": {func(f fstest.MapFS) {
			f["released/1.2.0/GetItem.txt"] = &fstest.MapFile{Data: []byte("other")}
			seal, _ := Seal(f, "1.2.0", "")
			f["released/1.2.0/"+SealFile] = &fstest.MapFile{Data: []byte(seal)}
		}, "release 1.10.0 is sealed, and has changed"},
		"a folder of no release": {func(f fstest.MapFS) { f["released/drafts/GetItem.txt"] = &fstest.MapFile{} }, `"drafts" is no version`},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(sealed(t))
			c.change(files)
			if _, err := CheckSeals(files); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

func TestWhatIsSealedIsNotRecorded(t *testing.T) {
	section := []byte("# One\ncurl \"$BASE/x\"\n\nHTTP 200\n")
	suite, err := LoadFrom(fstest.MapFS{
		"released/1.2.0/GetItem.txt":     {Data: section},
		"released/1.2.0/rest/item.txt":   {Data: section},
		"released/1.2.0/" + SealFile:     {},
		"released/1.10.0/GetAccount.txt": {Data: section},
		"next/GetSale.txt":               {Data: section},
		"next/stages/an-item.txt":        {Data: section},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	var order []string
	for _, transcript := range suite.Transcripts {
		got[transcript.File] = suite.Sealed(transcript)
		order = append(order, transcript.File)
	}
	want := map[string]bool{"released/1.2.0/GetItem.txt": true, "released/1.2.0/rest/item.txt": true, "released/1.10.0/GetAccount.txt": false, "next/GetSale.txt": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sealed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"released/1.2.0/GetItem.txt", "released/1.2.0/rest/item.txt", "released/1.10.0/GetAccount.txt", "next/GetSale.txt"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
