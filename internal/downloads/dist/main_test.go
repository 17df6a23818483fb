package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/downloads"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
)

// root is the root of the repository, seen from here.
const root = "../../.."

const version, commit = "9.8.7", "0123abc"

func TestMain(m *testing.M) { blackbox.Main(m) }

// TestARelease makes the archive of this machine once, as the command makes it, and looks at it from all sides.
func TestARelease(t *testing.T) {
	folder := t.TempDir()
	if err := buildIn(root, folder); err != nil {
		t.Fatal(err)
	}
	files := untarred(t, read(t, filepath.Join(folder, here().Name())))
	program := filepath.Join(t.TempDir(), here().Executable())
	if err := os.WriteFile(program, files[here().Executable()], 0o700); err != nil {
		t.Fatal(err)
	}
	t.Run("its archive has the program and its texts", func(t *testing.T) { checkArchive(t, files, program) })
	t.Run("its list of modules is that of the program", func(t *testing.T) { checkModules(t, folder, program) })
	t.Run("a module that NOTICE does not name is refused", func(t *testing.T) { checkNotice(t, program) })
	t.Run("a second build is equal", func(t *testing.T) { checkSecondBuild(t, folder) })
	t.Run("a server takes the folder", func(t *testing.T) { checkFolder(t, folder) })
	t.Run("a seller without Go gets to the first finding", func(t *testing.T) { checkSeller(t, folder) })
}

// buildIn runs the command in a folder with the sources.
func buildIn(sources, out string) error {
	var said bytes.Buffer
	command := exec.Command("go", "run", "./internal/downloads/dist", "-version", version, "-commit", commit, "-time", "1795735503",
		"-out", out, "-only", here().Stem())
	command.Dir, command.Stdout, command.Stderr = sources, &said, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, &said)
	}
	return nil
}

func checkArchive(t *testing.T, files map[string][]byte, program string) {
	t.Helper()
	if diff := cmp.Diff([]string{"LICENSE", "NOTICE", "README.txt", "seller"}, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		if !bytes.Equal(files[name], read(t, filepath.Join(root, name))) {
			t.Errorf("%s is another", name)
		}
	}
	said, err := exec.Command(program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(said))
	if want := []string{"seller", version}; !slices.Equal(got[:2], want) || !slices.Contains(got, commit) {
		t.Errorf("it says %q", said)
	}
}

// checkModules compares the list with what `go version -m` prints: a line each for the program's path, for each module
// with its version and sum, and for each setting of the build.
func checkModules(t *testing.T, folder, program string) {
	t.Helper()
	said, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"commit " + commit}
	for line := range strings.Lines(string(said)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "path", "build":
			want = append(want, strings.Replace(strings.Join(fields, " "), "=", " ", 1))
		case "dep":
			want = append(want, "pkg:golang/"+fields[1]+"@"+fields[2]+" go.sum "+fields[3])
		case "mod":
		default:
			want = append(want, "pkg:golang/std@"+strings.TrimPrefix(fields[1], "go"))
		}
	}
	var list bill
	if err := json.Unmarshal(read(t, filepath.Join(folder, here().Modules())), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list.Metadata.Component.Properties {
		got = append(got, p.Name+" "+p.Value)
	}
	for _, c := range list.Components {
		line := c.PURL
		for _, p := range c.Properties {
			line += " " + p.Name + " " + p.Value
		}
		got = append(got, line)
		if len(c.Licences) != 1 || c.Licences[0].Expression == "" {
			t.Errorf("%s has no licence", c.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go version -m +list):\n%s", diff)
	}
	about := list.Metadata.Component
	want = []string{"seller", version, "SHA-256 " + sum(read(t, program))}
	if diff := cmp.Diff(want, []string{about.Name, about.Version, about.Hashes[0].Algorithm + " " + about.Hashes[0].Content}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkSecondBuild builds in a second folder. Packages come from the cache of the first build; make dist-twice compiles all again.
func checkSecondBuild(t *testing.T, first string) {
	t.Helper()
	sources, again := t.TempDir(), t.TempDir()
	copySources(t, sources)
	if err := buildIn(sources, again); err != nil {
		t.Fatal(err)
	}
	want, got := contents(t, first), contents(t, again)
	if len(got) != 3 {
		t.Errorf("it makes %v", slices.Sorted(maps.Keys(got)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sums (-first +second):\n%s", diff)
	}
}

// checkFolder expects that what the command writes is what a server reads.
func checkFolder(t *testing.T, path string) {
	t.Helper()
	folder, err := downloads.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var served []string
	for _, file := range folder.Files {
		served = append(served, file.Name)
	}
	want := []string{version, here().Name(), here().Modules(), downloads.SumsFile}
	if diff := cmp.Diff(want, append([]string{folder.Version}, served...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAZipHasModesAndTimes(t *testing.T) {
	at := time.Date(2026, 11, 26, 23, 25, 4, 0, time.UTC)
	text, err := zipped([]file{{"seller.exe", 0o755, []byte("program")}, {"LICENSE", 0o644, []byte("terms")}}, at)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Name string
		Mode fs.FileMode
		At   time.Time
		Text string
	}
	var got []entry
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, entry{f.Name, f.Mode(), f.Modified.UTC(), string(text)})
	}
	if diff := cmp.Diff([]entry{{"seller.exe", 0o755, at, "program"}, {"LICENSE", 0o644, at, "terms"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheServerIsMadeForTheProcessorsOfTheCompilers gives the command compilers that only say for what they write.
func TestTheServerIsMadeForTheProcessorsOfTheCompilers(t *testing.T) {
	compiler := func(machine string) string {
		path := filepath.Join(t.TempDir(), "cc")
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+machine+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own, cross := compiler("x86_64-linux-gnu"), compiler("aarch64-linux-gnu")
	for name, test := range map[string]struct {
		compilers []string
		want      []string
	}{
		"of this machine": {[]string{own}, []string{"sellerd-linux-amd64"}},
		"of both":         {[]string{own, cross}, []string{"sellerd-linux-amd64", "sellerd-linux-arm64"}},
	} {
		byArch, err := targets(t.Context(), test.compilers)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range (&release{compilers: byArch}).chosen("") {
			if a.Program == downloads.ForOperators {
				got = append(got, a.Stem())
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := targets(t.Context(), []string{compiler("x86_64-w64-mingw32")}); err == nil {
		t.Error("a compiler for Windows is taken")
	}
}

// checkNotice: a module without a licence in NOTICE would be given away without its terms.
func checkNotice(t *testing.T, program string) {
	t.Helper()
	r := &release{version: version, licences: licencesIn("sellerd\n\nThe programs are built from:\n\nexample.com/other v1.0.0  MIT\n")}
	_, err := r.bill(here(), read(t, program))
	if err == nil || !strings.HasPrefix(err.Error(), "NOTICE does not name ") {
		t.Errorf("%v", err)
	}
}

// onPath are the programs that a seller's machine has beside Go's.
var onPath = []string{"bash", "cat", "curl", "gzip", "mkdir", "tar"}

// checkSeller is a seller who follows the pages on a machine without Go: from the guide to the downloads, and from the page of the scan,
// whose commands it runs as they are printed, to its first finding.
func checkSeller(t *testing.T, folder string) {
	t.Helper()
	installed.Require(t, "THE WAY OF A SELLER WAS NOT TRIED", onPath...)
	server := blackbox.NewServer(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db")).With("--downloads=" + folder)
	server.Start(t)
	page := func(path string) string {
		t.Helper()
		response, err := http.Get(server.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v", path, response.StatusCode, err)
		}
		return string(text)
	}
	if !strings.Contains(page("/migration"), `<a href="/downloads">`) {
		t.Error("the guide does not lead to the downloads")
	}
	began := time.Now()
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page("/docs/scan.md"), -1)
	if len(blocks) < 4 || !strings.HasPrefix(blocks[0][1], "curl -fL ") {
		t.Fatalf("the page of the scan does not begin with the command that gets the program: %q", blocks)
	}
	get, shop, scan := blocks[0][1], blocks[1][1], regexp.MustCompile(`sellerd? scan `).ReplaceAllString(blocks[3][1], "./seller scan ")
	for _, path := range []string{"/docs/import.md", "/docs/bridge-install.md", "/downloads"} {
		if text := words(get); !strings.Contains(words(page(path)), text) {
			t.Errorf("%s does not have %s", path, text)
		}
	}
	tools, home := t.TempDir(), t.TempDir()
	for _, name := range onPath {
		at, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	shell := exec.CommandContext(t.Context(), filepath.Join(tools, "bash"), "-euo", "pipefail", "-c", "! command -v go\n"+get+shop+scan)
	shell.Dir, shell.Env = home, []string{"PATH=" + tools, "HOME=" + home}
	var complaints bytes.Buffer
	shell.Stderr = &complaints
	said, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, &complaints)
	}
	took := time.Since(began)
	t.Logf("from the page to the first finding: %s", took)
	if first, _, _ := strings.Cut(string(said), "\n\n"); !strings.Contains(first, "(item-close, certain)") {
		t.Errorf("it finds %s", said)
	}
	if took > longest {
		t.Errorf("it takes %s, more than %s", took, longest)
	}
}

// words are the words of a text, or of a page: without the tags that colour code, and the ends of lines that a shell passes over.
func words(text string) string {
	text = html.UnescapeString(regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(text, ""))
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\\\n", " ")), " ")
}

// longest is how long a seller may wait for the first finding, on a machine that runs other tests.
const longest = 2 * time.Minute

// untarred are the files of an archive.
func untarred(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	unpacked, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(unpacked); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// copySources copies what the program is built from, and what is beside it in an archive.
func copySources(t *testing.T, to string) {
	t.Helper()
	skipped := []string{".git", "bin", "data", "dist"}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, name) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return os.WriteFile(filepath.Join(to, name), read(t, path), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// contents are the sums of the files of a folder.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, entry := range entries {
		sums[entry.Name()] = sum(read(t, filepath.Join(folder, entry.Name())))
	}
	return sums
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
