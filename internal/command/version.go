package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Version prints the version, and what the program was built from.
type Version struct{}

// Run prints the version.
func (Version) Run(p *Program) error {
	info, _ := debug.ReadBuildInfo() // without it, these lines are left out
	return p.printVersion(os.Stdout, info)
}

// printVersion prints the version in the first line, then what the program was built from.
func (p *Program) printVersion(out io.Writer, info *debug.BuildInfo) error {
	var lines [][2]string
	if info != nil {
		lines = append(lines, [2]string{"go", info.GoVersion})
	}
	lines = append(lines, [2]string{"commit", p.Commit})
	if p.Parts != nil {
		more, err := p.Parts()
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	fmt.Fprintln(out, p.Name, p.Version)
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%-7s %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}

// unknownCommit stands for the commit of a program whose build noted none down.
const unknownCommit = "unknown"

// BuiltFrom is the commit that this program was built from: the one that make stamped, or else the one that the Go command noted down. It
// does so only where it finds git and the repository.
func BuiltFrom(stamped string) string {
	info, _ := debug.ReadBuildInfo()
	return cmp.Or(stamped, commitOf(info))
}

// commitOf is the commit that the Go command noted down.
func commitOf(info *debug.BuildInfo) string {
	if info == nil {
		return unknownCommit
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return unknownCommit
	}
	if at := settings["vcs.time"]; at != "" {
		commit += " of " + at
	}
	if settings["vcs.modified"] == "true" {
		commit += ", with changes"
	}
	return commit
}
