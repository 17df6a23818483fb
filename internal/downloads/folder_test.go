package downloads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const linux, windows = "seller-linux-amd64.tar.gz", "seller-windows-amd64.zip"

// aRelease is a folder with two archives of sellers and one of the server.
func aRelease() map[string]string {
	bill := `{"metadata":{"component":{"name":"seller","version":"1.2.3"}}}`
	return map[string]string{
		linux: "for Linux", "seller-linux-amd64.cdx.json": bill, windows: "for Windows", "seller-windows-amd64.cdx.json": bill,
		"sellerd-linux-amd64.tar.gz": "the server", "sellerd-linux-amd64.cdx.json": bill,
	}
}

// folderOf writes files, and their sums unless they have some.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, given := files[SumsFile]; !given {
		files[SumsFile] = sumsOf(files)
	}
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func sumsOf(files map[string]string) string {
	var b strings.Builder
	for name, text := range files {
		s := sha256.Sum256([]byte(text))
		b.WriteString(hex.EncodeToString(s[:]) + "  " + name + "\n")
	}
	return b.String()
}

func opened(t *testing.T, files map[string]string) *Folder {
	t.Helper()
	f, err := Open(folderOf(t, files))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func TestAFolderIsReadInTheOrderOfTheTable(t *testing.T) {
	files := aRelease()
	files["notes.txt"] = "named by the sums, and of no release"
	files["seller-linux-386.tar.gz"] = "neither"
	f := opened(t, files)
	var programs, served []string
	for _, p := range f.Programs {
		programs = append(programs, p.Name()+" "+p.Bill.Name)
	}
	for _, file := range f.Files {
		served = append(served, file.Name+" "+file.Kind)
	}
	wantPrograms := []string{
		"seller-windows-amd64.zip seller-windows-amd64.cdx.json", "seller-linux-amd64.tar.gz seller-linux-amd64.cdx.json",
		"sellerd-linux-amd64.tar.gz sellerd-linux-amd64.cdx.json",
	}
	wantServed := []string{
		"seller-windows-amd64.zip application/zip", "seller-windows-amd64.cdx.json application/vnd.cyclonedx+json; version=1.6",
		"seller-linux-amd64.tar.gz application/gzip", "seller-linux-amd64.cdx.json application/vnd.cyclonedx+json; version=1.6",
		"sellerd-linux-amd64.tar.gz application/gzip", "sellerd-linux-amd64.cdx.json application/vnd.cyclonedx+json; version=1.6",
		"SHA256SUMS text/plain; charset=utf-8",
	}
	if diff := cmp.Diff([]any{"1.2.3", wantPrograms, wantServed}, []any{f.Version, programs, served}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFolderThatIsNoReleaseIsRefused(t *testing.T) {
	const forLinux = "d2a8b5d8b4ac2a5c5a2c1d6f6f4e3dd7d5b2f9b2b1a0c9e8d7c6b5a493827160"
	for name, test := range map[string]struct {
		change func(files map[string]string)
		want   string
	}{
		"without sums": {
			func(files map[string]string) { files[SumsFile] = "" },
			"SHA256SUMS of FOLDER names no archive of the program seller",
		},
		"with a file that was changed": {
			func(files map[string]string) { files[SumsFile] = sumsOf(files); files[windows] = "another" },
			"seller-windows-amd64.zip is not the file that SHA256SUMS names: its sum is " + sumOfText("another") + " and should be " + sumOfText("for Windows"),
		},
		"with a list of modules that was changed": {
			func(files map[string]string) {
				files[SumsFile] = sumsOf(files)
				files["seller-linux-amd64.cdx.json"] = "{}"
			},
			"seller-linux-amd64.cdx.json is not the file that SHA256SUMS names: its sum is " + sumOfText("{}") + " and should be " +
				sumOfText(`{"metadata":{"component":{"name":"seller","version":"1.2.3"}}}`),
		},
		"with a file that is missing": {
			func(files map[string]string) { files[SumsFile] = sumsOf(files); delete(files, linux) },
			"SHA256SUMS names seller-linux-amd64.tar.gz, which cannot be opened: no such file or directory",
		},
		"with an archive without its list of modules": {
			func(files map[string]string) { delete(files, "seller-linux-amd64.cdx.json") },
			"SHA256SUMS does not name seller-linux-amd64.cdx.json, which belongs to an archive that it names",
		},
		"with sums in another form": {
			func(files map[string]string) { files[SumsFile] = "SHA256 (" + linux + ") = " + forLinux + "\n" },
			`SHA256SUMS of FOLDER: a line is not a sum, two blanks and a name: "SHA256 (seller-linux-amd64.tar.gz) = ` + forLinux + `"`,
		},
		"with a short sum": {
			func(files map[string]string) { files[SumsFile] = forLinux[:8] + "  " + linux + "\n" },
			`SHA256SUMS of FOLDER: a line is not a sum, two blanks and a name: "d2a8b5d8  seller-linux-amd64.tar.gz"`,
		},
		"of two releases": {
			func(files map[string]string) {
				files["sellerd-linux-amd64.cdx.json"] = `{"metadata":{"component":{"name":"seller","version":"1.2.4"}}}`
			},
			"the programs are of two releases, 1.2.3 and 1.2.4",
		},
		"of no release": {
			func(files map[string]string) { files["seller-windows-amd64.cdx.json"] = `{}` },
			"seller-windows-amd64.cdx.json names no release",
		},
		"with programs for operators alone": {
			func(files map[string]string) { delete(files, linux); delete(files, windows) },
			"SHA256SUMS of FOLDER names no archive of the program seller",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := aRelease()
			test.change(files)
			folder := folderOf(t, files)
			_, err := Open(folder)
			if err == nil {
				t.Fatal("it is opened")
			}
			if diff := cmp.Diff(test.want, strings.ReplaceAll(err.Error(), folder, "FOLDER")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	empty := t.TempDir()
	for path, want := range map[string]string{
		empty:                     empty + " has no file SHA256SUMS that can be read, so it is no folder of a release: no such file or directory",
		filepath.Join(empty, "x"): "the folder " + filepath.Join(empty, "x") + " cannot be opened: no such file or directory",
	} {
		if _, err := Open(path); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// A link could lead to any file of the machine.
func TestNoFileOutsideOfTheFolderIsServed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("for Linux"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := folderOf(t, aRelease())
	if err := os.Remove(filepath.Join(folder, linux)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, linux)); err != nil {
		t.Fatal(err)
	}
	want := "SHA256SUMS names seller-linux-amd64.tar.gz, which cannot be opened: path escapes from parent"
	if _, err := Open(folder); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Another release in the folder is served after the next start. Until then callers get what belongs to the sums of the page.
func TestAFileIsServedAsItWasChecked(t *testing.T) {
	folder := folderOf(t, aRelease())
	f, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(filepath.Join(folder, "new"), []byte("another release"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "new"), filepath.Join(folder, linux)); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, f, linux, http.MethodGet, nil); got.Body.String() != "for Linux" {
		t.Errorf("%s", got.Body)
	}
}

func TestAFileIsSentWholeInPartAndNotAtAll(t *testing.T) {
	f := opened(t, aRelease())
	tag := `"` + sumOfText("for Linux") + `"`
	for name, test := range map[string]struct {
		method string
		header http.Header
		want   answer
	}{
		"whole":                         {"GET", nil, answer{200, "for Linux", "9", "", tag}},
		"its header":                    {"HEAD", nil, answer{200, "", "9", "", tag}},
		"the rest of it":                {"GET", http.Header{"Range": {"bytes=4-"}}, answer{206, "Linux", "5", "bytes 4-8/9", tag}},
		"the rest of the same file":     {"GET", http.Header{"Range": {"bytes=4-"}, "If-Range": {tag}}, answer{206, "Linux", "5", "bytes 4-8/9", tag}},
		"the rest of another file":      {"GET", http.Header{"Range": {"bytes=4-"}, "If-Range": {`"x"`}}, answer{200, "for Linux", "9", "", tag}},
		"what is behind its end":        {"GET", http.Header{"Range": {"bytes=9-"}}, answer{416, "invalid range: failed to overlap\n", "", "bytes */9", ""}},
		"what the caller has":           {"GET", http.Header{"If-None-Match": {tag}}, answer{304, "", "", "", tag}},
		"what the caller does not have": {"GET", http.Header{"If-None-Match": {`"x"`}}, answer{200, "for Linux", "9", "", tag}},
	} {
		t.Run(name, func(t *testing.T) {
			got := ask(t, f, linux, test.method, test.header)
			h := got.Header()
			is := answer{got.Code, got.Body.String(), h.Get("Content-Length"), h.Get("Content-Range"), h.Get("ETag")}
			if diff := cmp.Diff(test.want, is, cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type answer struct {
	status                int
	body, length, of, tag string
}

// ask asks for a file of the folder.
func ask(t *testing.T, f *Folder, name, method string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	for _, file := range f.Files {
		if file.Name == name {
			r := httptest.NewRequest(method, Path+"/"+name, http.NoBody)
			r.Header = header
			w := httptest.NewRecorder()
			file.ServeHTTP(w, r)
			return w
		}
	}
	t.Fatalf("there is no file %s", name)
	return nil
}

// TestASlowCallerGetsTheFile reads a file for longer than the server gives an ordinary answer.
func TestASlowCallerGetsTheFile(t *testing.T) {
	files := aRelease()
	files[linux] = strings.Repeat("0123456789abcdef", 1<<20) // more than the connection keeps
	f := opened(t, files)
	handler := http.NewServeMux()
	for _, file := range f.Files {
		handler.Handle(Path+"/"+file.Name, file)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.WriteTimeout = 1 // a nanosecond: it is over before the first byte
	server.Start()
	defer server.Close()
	response, err := http.Get(server.URL + Path + "/" + linux)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || string(text) != files[linux] {
		t.Errorf("it gets %d bytes of %d: %v", len(text), len(files[linux]), err)
	}
}

func sumOfText(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
