package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// instruction is a line of a Dockerfile.
type instruction struct{ name, rest string }

// stage is a FROM with what follows it.
type stage []instruction

// stages reads a Dockerfile without continued lines, which ours has none of.
func stages(text string) (found []stage) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		if name == "FROM" {
			found = append(found, stage{})
		}
		found[len(found)-1] = append(found[len(found)-1], instruction{name, strings.TrimSpace(rest)})
	}
	return found
}

// get is what follows the last instruction of a name.
func (s stage) get(name string) (rest string) {
	for _, i := range s {
		if i.name == name {
			rest = i.rest
		}
	}
	return rest
}

// TestDockerfile reads the file; it was never given to Docker here. What its build stage runs made the program of all these
// tests.
func TestDockerfile(t *testing.T) {
	all := stages(read(t, "Dockerfile"))
	if len(all) != 2 {
		t.Fatalf("there are %d stages, want one that builds and one that is shipped", len(all))
	}
	build, image := all[0], all[1]

	t.Run("it builds with the Go of go.mod", func(t *testing.T) {
		version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, filepath.Join(root, "go.mod")))
		if version == nil || !strings.HasPrefix(build.get("FROM"), "golang:"+version[1]+"-") {
			t.Errorf("FROM %s, go.mod says %v", build.get("FROM"), version)
		}
	})
	t.Run("both stages are the same release of Debian, by its digest", func(t *testing.T) {
		built := regexp.MustCompile(`^golang:[\d.]+-([a-z]+)@sha256:[0-9a-f]{64} AS build$`).FindStringSubmatch(build.get("FROM"))
		shipped := regexp.MustCompile(`^debian:([a-z]+)-slim@sha256:[0-9a-f]{64}$`).FindStringSubmatch(image.get("FROM"))
		if built == nil || shipped == nil || built[1] != shipped[1] {
			t.Errorf("FROM %s and FROM %s", build.get("FROM"), image.get("FROM"))
		}
	})
	t.Run("the program prints the version and the commit it was built as", func(t *testing.T) {
		said := strings.Fields(say(t, "version"))
		if diff := cmp.Diff([]string{"sellerd", testVersion}, said[:2]); diff != "" || !strings.Contains(say(t, "version"), testCommit) {
			t.Errorf("%s%s", diff, said)
		}
	})
	t.Run("what is copied is there", func(t *testing.T) {
		for _, i := range build {
			fields := strings.Fields(i.rest)
			if i.name != "COPY" {
				continue
			}
			for _, source := range fields[:len(fields)-1] {
				if _, err := os.Stat(filepath.Join(root, source)); err != nil {
					t.Error(err)
				}
			}
		}
		if diff := cmp.Diff("--from=build /sellerd /usr/local/bin/sellerd", image.get("COPY")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("it runs as a user without privileges, which owns the volume", func(t *testing.T) {
		user := regexp.MustCompile(`^([1-9]\d+):([1-9]\d+)$`).FindStringSubmatch(image.get("USER"))
		if user == nil {
			t.Fatalf("USER %s", image.get("USER"))
		}
		if want := "install -d -o " + user[1] + " -g " + user[2] + " -m 0700 " + image.get("VOLUME"); image.get("RUN") != want {
			t.Errorf("RUN %s, want %s", image.get("RUN"), want)
		}
		if want := "SELLERD_DB=sqlite:" + image.get("VOLUME") + "/sellerd.db"; image.get("ENV") != want {
			t.Errorf("ENV %s, want %s", image.get("ENV"), want)
		}
	})
	t.Run("its commands are the program's, and it stops as the program wants it", func(t *testing.T) {
		checkCommand(t, append(words(t, image.get("ENTRYPOINT")), words(t, image.get("CMD"))...)[1:]...)
		if got := image.get("STOPSIGNAL"); got != "SIGTERM" {
			t.Errorf("STOPSIGNAL %s", got)
		}
	})
	t.Run("its health check is the program's", func(t *testing.T) {
		_, command, _ := strings.Cut(image.get("HEALTHCHECK"), "CMD ")
		if diff := cmp.Diff(words(t, image.get("ENTRYPOINT")), words(t, command)[:1]); diff != "" {
			t.Error(diff)
		}
		checkCommand(t, words(t, command)[1:]...)
	})
	t.Run("its port is the default one", func(t *testing.T) {
		if want := "(default: :" + image.get("EXPOSE") + ")"; !strings.Contains(strings.Join(strings.Fields(say(t, "serve", "--help")), " "), want) {
			t.Errorf("EXPOSE %s, but the help of serve has no %s", image.get("EXPOSE"), want)
		}
	})
	t.Run("nothing that the program is built from is ignored", func(t *testing.T) {
		patterns := strings.Fields(regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(read(t, "Dockerfile.dockerignore"), ""))
		for _, file := range append(sources(t), "go.mod", "go.sum") {
			for _, pattern := range patterns {
				if ignores(t, pattern, file) {
					t.Errorf("%s ignores %s", pattern, file)
				}
			}
		}
	})
}

// sources are the files of this module that the program is made of, seen from the root.
func sources(t *testing.T) (files []string) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps",
		"-f", `{{$p := .}}{{with .Module}}{{if .Main}}{{range $p.GoFiles}}{{$p.ImportPath}}/{{.}}{{"\n"}}{{end}}{{range $p.EmbedFiles}}{{$p.ImportPath}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`,
		"./cmd/sellerd")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range strings.Fields(string(out)) {
		files = append(files, strings.TrimPrefix(file, "sellerd/"))
	}
	if len(files) < 100 {
		t.Fatalf("the program is made of more than %d files", len(files))
	}
	return files
}

// ignores says whether a pattern of .dockerignore is about a file. It knows two forms: a path, and **/ with a file's name.
func ignores(t *testing.T, pattern, file string) bool {
	t.Helper()
	name, anywhere := strings.CutPrefix(pattern, "**/")
	if !anywhere {
		return file == pattern || strings.HasPrefix(file, pattern+"/")
	}
	matches, err := path.Match(name, path.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	return matches
}

// words reads a command in its JSON form.
func words(t *testing.T, text string) (list []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return list
}

func TestStages(t *testing.T) {
	got := stages("# comment\nFROM a AS b\nRUN  x\n\nFROM c\nUSER 1\nUSER 2\n")
	want := []stage{{{"FROM", "a AS b"}, {"RUN", "x"}}, {{"FROM", "c"}, {"USER", "1"}, {"USER", "2"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(instruction{})); diff != "" {
		t.Error(diff)
	}
	if got := got[1].get("USER"); got != "2" {
		t.Errorf("the last USER is %s", got)
	}
}

func TestIgnores(t *testing.T) {
	for _, test := range []struct {
		pattern, file string
		want          bool
	}{
		{"data", "data/sellerd.db", true},
		{"data", "v1/reference/data/categories.tsv", false},
		{"docs/deploy", "docs/deploy.md", false},
		{"**/*.prof", "v1/cpu.prof", true},
		{"**/*.prof", "v1/profile.go", false},
	} {
		if got := ignores(t, test.pattern, test.file); got != test.want {
			t.Errorf("%s ignores %s: %t", test.pattern, test.file, got)
		}
	}
}
