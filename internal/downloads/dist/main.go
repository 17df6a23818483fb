// Command dist writes the archives of a release into a folder, with a list of the modules of each program and the sums of all files.
// Two builds of the same sources, by the same Go and the same C compiler, are equal byte by byte, wherever they are made.
//
//	go run ./internal/downloads/dist -version 1.6.0 -out bin/dist
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"sellerd/internal/downloads"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is what is built.
type release struct {
	version, commit string
	at              time.Time         // of all files in archives
	compilers       map[string]string // C compilers, by the processors that they write for
	licences        map[string]string // of modules, by "path version"
	texts           []file            // beside the program in each archive
}

// file is a file of an archive.
type file struct {
	name string
	mode os.FileMode
	text []byte
}

// most is how many bytes a program may have.
var most = map[string]int{downloads.ForSellers: 25_000_000, downloads.ForOperators: 50_400_000}

// run makes the archives. It is called in the root of the repository.
func run(ctx context.Context, args []string, say io.Writer) error {
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	version := flags.String("version", "", "the release")
	commit := flags.String("commit", "", "that it is built from")
	at := flags.Int64("time", 0, "of that commit, in seconds since 1970")
	out := flags.String("out", "", "the folder for the files")
	only := flags.String("only", "", "which archives, without their endings and with commas between; default: all that can be built here")
	compilers := flags.String("cc", "cc", "C compilers for the server, with blanks between; each makes that of its own processor")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *version == "" || *out == "" {
		return errors.New("-version and -out are needed")
	}
	r := &release{version: *version, commit: *commit, at: time.Unix(*at, 0).UTC()}
	var err error
	if r.compilers, err = targets(ctx, strings.Fields(*compilers)); err != nil {
		return err
	}
	if err := r.read(); err != nil {
		return err
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, a := range r.chosen(*only) {
		files, err := r.make(ctx, a, say)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Stem(), err)
		}
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(*out, f.name), f.text, f.mode); err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%s  %s\n", sum(f.text), f.name)
		}
	}
	return os.WriteFile(filepath.Join(*out, downloads.SumsFile), []byte(sums.String()), 0o644)
}

// chosen are the archives to make. Of the server these are the ones that there is a C compiler for.
func (r *release) chosen(only string) []downloads.Archive {
	return slices.DeleteFunc(slices.Clone(downloads.Archives), func(a downloads.Archive) bool {
		if only != "" {
			return !slices.Contains(strings.Split(only, ","), a.Stem())
		}
		return a.Program == downloads.ForOperators && r.compilers[a.Arch] == ""
	})
}

// targets asks C compilers which processors they write for.
func targets(ctx context.Context, compilers []string) (map[string]string, error) {
	byArch := map[string]string{}
	for _, compiler := range compilers {
		machine, err := exec.CommandContext(ctx, compiler, "-dumpmachine").Output()
		if err != nil {
			return nil, fmt.Errorf("%s -dumpmachine: %w", compiler, err)
		}
		processor, _, _ := strings.Cut(string(machine), "-")
		arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[processor]
		if arch == "" || !strings.Contains(string(machine), "linux") {
			return nil, fmt.Errorf("%s writes for %s: no release has that", compiler, bytes.TrimSpace(machine))
		}
		byArch[arch] = compiler
	}
	return byArch, nil
}

// read reads what is beside the program in each archive, and the licences of modules.
func (r *release) read() error {
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r.texts = append(r.texts, file{name, 0o644, text})
	}
	r.licences = licencesIn(string(r.texts[1].text))
	return nil
}

// make builds a program, and makes its archive and the list of its modules.
func (r *release) make(ctx context.Context, a downloads.Archive, say io.Writer) ([]file, error) {
	program, err := r.build(ctx, a)
	if err != nil {
		return nil, err
	}
	if len(program) > most[a.Program] {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", a.Executable(), len(program), most[a.Program])
	}
	modules, err := r.bill(a, program)
	if err != nil {
		return nil, err
	}
	content := append([]file{{a.Executable(), 0o755, program}}, r.texts...)
	content = append(content, file{"README.txt", 0o644, []byte(readme(a, r.version))})
	pack := tarred
	if a.OS == "windows" {
		pack = zipped
	}
	archive, err := pack(content, r.at)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(say, "%-22s %4.1f MB, in the archive %4.1f MB\n", a.Stem(), float64(len(program))/1e6, float64(len(archive))/1e6)
	return []file{{a.Name(), 0o644, archive}, {a.Modules(), 0o644, modules}}, nil
}

// build builds a program. Nothing of this machine is in it: no path, and nothing that its variables would add.
func (r *release) build(ctx context.Context, a downloads.Archive) ([]byte, error) {
	folder, err := os.MkdirTemp("", "dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, a.Executable())
	args := []string{
		"build", "-trimpath", "-buildvcs=false",
		"-gcflags=sellerd/ent/...=-l", // 2.6 MB less for sellerd, 0.9 MB for seller; docs/developer/engineering.md has what it costs
		"-ldflags=-s -w -X 'main.version=" + r.version + "' -X 'main.stamped=" + r.commit + "'", "-o", path,
	}
	build := exec.CommandContext(ctx, "go", append(args, "./cmd/"+a.Program)...)
	build.Env = append(os.Environ(), "GOOS="+a.OS, "GOARCH="+a.Arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	if a.Program == downloads.ForOperators {
		build.Env = append(build.Env, "CGO_ENABLED=1", "CC="+r.compilers[a.Arch], "CGO_CFLAGS=-O2 -g", "CGO_CPPFLAGS=", "CGO_LDFLAGS=")
	}
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	return os.ReadFile(path)
}

// readme is the text that is read first.
func readme(a downloads.Archive, version string) string {
	if a.Program == downloads.ForOperators {
		return fmt.Sprintf(`sellerd %s, the server, for %s (%s/%s)

Copy the file sellerd into the PATH of the machine. It needs glibc, no other library and no installer. See what it can do:

    sellerd --help

A demo to look around, with the pages for operators at http://localhost:8080/docs/operating:

    sellerd serve --demo --allow-private-targets

LICENSE has the licence, and NOTICE the modules that the program is built from, with theirs.
`, version, a.Machine, a.OS, a.Arch)
	}
	run := "./seller"
	if a.OS == "windows" {
		run = `.\seller.exe`
	}
	return fmt.Sprintf(`seller %s, for %s (%s/%s)

The program is one file. It needs no installer and no other program. Open a window for commands in this folder, and write:

    %s --help

To find what your programs call of the old interface, in a folder of yours, nothing is run or sent:

    %s scan FOLDER

The service that you sell on has the pages about each command, at its address and /docs/scan.

LICENSE has the licence, and NOTICE the modules that the program is built from, with theirs.
`, version, a.Machine, a.OS, a.Arch, run, run)
}

// sum is the SHA-256 of a file.
func sum(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// here is the archive of the program for sellers on Linux and this machine's processor.
func here() downloads.Archive {
	i := slices.IndexFunc(downloads.Archives, func(a downloads.Archive) bool {
		return a.Program == downloads.ForSellers && a.OS == "linux" && a.Arch == runtime.GOARCH
	})
	return downloads.Archives[i]
}
