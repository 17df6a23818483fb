package conformance_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance"
)

// released are the files of all releases.
func released(t *testing.T) *zip.Reader {
	t.Helper()
	files, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// contents are the texts of all files, by their names.
func contents(t *testing.T, files fs.FS) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestTheNewestReleaseIsAFolderToo compares the folder of the newest release with the archive, and finds other folders.
func TestTheNewestReleaseIsAFolderToo(t *testing.T) {
	newest := changelog.Releases()[0]
	if !newest.Released() {
		newest = changelog.Releases()[1]
	}
	want := contents(t, released(t))
	for name := range want {
		if !strings.HasPrefix(name, "released/"+newest.Version+"/") {
			delete(want, name)
		}
	}
	got := contents(t, os.DirFS("."))
	for name := range got {
		if !strings.HasPrefix(name, "released/") || name == "released/README" {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-archive +folder):\n%s", diff)
	}
}

// opened reads an archive.
func opened(t *testing.T, content []byte) *zip.Reader {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

// compressed are the bytes of an archive's files, with their headers.
func compressed(t *testing.T, archive *zip.Reader) (files []string) {
	t.Helper()
	for _, file := range archive.File {
		raw, err := file.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file.Name+" "+file.Modified.UTC().String()+" "+string(text))
	}
	return files
}

// TestAReleaseIsAddedToTheArchive adds one to those there are, twice. The archives are the same, byte for byte, and have what
// was there as it was.
func TestAReleaseIsAddedToTheArchive(t *testing.T) {
	files := fstest.MapFS{
		"released/99.0.0/rest/item.txt": {Data: []byte("two")}, "released/99.0.0/GetItem.txt": {Data: []byte("one")},
		"released/98.0.0/GetSale.txt": {Data: []byte("of another release")}, "released/README": {Data: []byte("about the folder")},
	}
	before := released(t)
	content, err := conformance.Archive(before, files, "99.0.0")
	if err != nil {
		t.Fatal(err)
	}
	again, err := conformance.Archive(before, files, "99.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(content, again) {
		t.Error("the same files give another archive")
	}
	after := opened(t, content)
	old := len(before.File)
	if diff := cmp.Diff(compressed(t, before), compressed(t, after)[:old]); diff != "" {
		t.Errorf("what was there (-before +after):\n%s", diff)
	}
	var added []string
	for _, file := range after.File[old:] {
		added = append(added, file.Name)
	}
	if diff := cmp.Diff([]string{"released/99.0.0/GetItem.txt", "released/99.0.0/rest/item.txt"}, added); diff != "" {
		t.Errorf("what is added (-want +got):\n%s", diff)
	}
}

// TestAReleaseInTheArchiveIsNotReplaced adds a release that is there.
func TestAReleaseInTheArchiveIsNotReplaced(t *testing.T) {
	files := fstest.MapFS{"released/1.1.0/GetItem.txt": {Data: []byte("other")}}
	if _, err := conformance.Archive(released(t), files, "1.1.0"); err == nil || err.Error() != "the archive has 1.1.0 already" {
		t.Errorf("the archive takes it: %v", err)
	}
}

// TestAChangeInTheArchiveIsSeen writes the archive anew with one change.
func TestAChangeInTheArchiveIsSeen(t *testing.T) {
	const target = "released/1.1.0/openapi.json"
	for name, c := range map[string]struct {
		change func([]file) []file
		want   string
	}{
		"none": {func(files []file) []file { return files }, ""},
		"a file": {func(files []file) []file {
			i := at(files, target)
			files[i].text += "\n"
			return files
		}, "release 1.1.0 is sealed, and has changed"},
		"a file that is gone": {func(files []file) []file {
			i := at(files, target)
			return slices.Delete(files, i, i+1)
		}, "release 1.1.0 is sealed, and has changed"},
		"a file more":  {func(files []file) []file { return append(files, file{"released/1.1.0/more.txt", "more"}) }, "release 1.1.0 is sealed, and has changed"},
		"a file twice": {func(files []file) []file { return append(files, file{target, "{}"}) }, "duplicate entries"},
		"a release that is gone": {func(files []file) []file {
			return slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.name, "released/1.1.0/") })
		}, "release 1.2.0 is sealed, and has changed"},
		"a release that is sealed again": {func(files []file) []file {
			i := at(files, target)
			files[i].text = "{}"
			seal := at(files, "released/1.1.0/"+conformance.SealFile)
			text, err := conformance.Seal(opened(t, zipped(t, files)), "1.1.0", tips["1.0.0"])
			if err != nil {
				t.Fatal(err)
			}
			files[seal].text = text
			return files
		}, "release 1.2.0 is sealed, and has changed"},
	} {
		t.Run(name, func(t *testing.T) {
			var files []file
			for _, entry := range released(t).File {
				text, err := fs.ReadFile(released(t), entry.Name)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, file{entry.Name, string(text)})
			}
			_, err := conformance.CheckSeals(opened(t, zipped(t, c.change(files))))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

// TestADamagedArchiveIsNotRead changes one compressed byte.
func TestADamagedArchiveIsNotRead(t *testing.T) {
	content, err := os.ReadFile(conformance.ArchiveFile)
	if err != nil {
		t.Fatal(err)
	}
	first := opened(t, content).File[0]
	start, err := first.DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	content[start+int64(first.CompressedSize64)/2] ^= 1
	if _, err := conformance.CheckSeals(opened(t, content)); err == nil {
		t.Error("it is read")
	}
}

// file is one of an archive.
type file struct{ name, text string }

func at(files []file, name string) int {
	return slices.IndexFunc(files, func(f file) bool { return f.name == name })
}

// zipped is an archive of files, which are not compressed.
func zipped(t *testing.T, files []file) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		to, err := archive.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(to, f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
