// Command notice prints the file NOTICE: which modules the programs are built from, and under which licences their authors give
// them. It fails if a module has no licence file, or a text that it does not know for an open-source licence.
//
//	go -C internal/tools run ./notice ./cmd/... > NOTICE
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// least is how much of a licence file must be the words of known licences, in percent. The rest are names and years.
const least = 75

// module is what the go command says of a module.
type module struct {
	Path, Version, Dir string
	Main               bool
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

func run(programs []string, out io.Writer) error {
	modules, err := modulesOf(programs)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("sellerd\nCopyright 2026 the sellerd authors\n\nThe programs of this repository are built from these modules, each under its authors' licence:\n\n")
	for _, m := range modules {
		licence, err := licenceOf(m)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s  %s\n", m.Path, m.Version, licence)
	}
	_, err = out.Write(b.Bytes())
	return err
}

// modulesOf are the modules that programs are built from, in order, without this repository's own.
func modulesOf(programs []string) ([]module, error) {
	list := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, programs...)...)
	list.Dir, list.Stderr = top(), os.Stderr
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1") // as servers are built, on every machine
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list modules: %w", err)
	}
	var modules []module
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var of struct{ Module module }
		if err := decoder.Decode(&of); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list modules: %w", err)
		}
		if m := of.Module; m.Path != "" && !m.Main && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}

// top is the root of the repository, from the folder of this module of tools.
func top() string { return filepath.Join("..", "..") }

// licenceOf names the licences of a module by their SPDX identifiers.
func licenceOf(m module) (string, error) {
	var found []string
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "License*"} {
		files, _ := filepath.Glob(filepath.Join(m.Dir, pattern)) // the patterns are well formed
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", fmt.Errorf("licence of %s: %w", m.Path, err)
			}
			covered := licensecheck.Scan(text)
			if covered.Percent < least {
				return "", fmt.Errorf("%s: %.0f %% of %s are words of known licences: read it", m.Path, covered.Percent, filepath.Base(file))
			}
			for _, match := range covered.Match {
				if !slices.Contains(found, match.ID) {
					found = append(found, match.ID)
				}
			}
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s %s has no licence file", m.Path, m.Version)
	}
	slices.Sort(found)
	return strings.Join(found, " AND "), nil
}
