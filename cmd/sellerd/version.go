package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"sellerd/internal/store/migrations"
)

type versionCmd struct{}

// Help implements kong.HelpProvider.
func (versionCmd) Help() string {
	return `Example:

    sellerd version`
}

// Run prints the version.
func (versionCmd) Run() error {
	info, _ := debug.ReadBuildInfo() // without it, these lines are left out
	return printVersion(os.Stdout, info)
}

// printVersion prints the version in the first line, then what the program was built from. The schema's version is the one
// after the program's migrations, so it shows whether an upgrade will migrate.
func printVersion(out io.Writer, info *debug.BuildInfo) error {
	schema, err := migrations.SchemaVersion()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "sellerd", version)
	if info != nil {
		fmt.Fprintln(out, "go     ", info.GoVersion)
	}
	fmt.Fprintln(out, "commit ", commitOf(info))
	_, err = fmt.Fprintln(out, "schema ", schema)
	return err
}

// stamped is the commit that `make build` was run on. It is not empty only in programs that were built so.
var stamped = ""

// unknownCommit stands for the commit of a program whose build noted none down.
const unknownCommit = "unknown"

// builtFrom is the commit that this program was built from.
func builtFrom() string {
	info, _ := debug.ReadBuildInfo()
	return commitOf(info)
}

// commitOf is the commit that the program was built from: the one that make stamped, or else the one that the Go command noted down. It
// does so only where it finds git and the repository.
func commitOf(info *debug.BuildInfo) string {
	if stamped != "" || info == nil {
		return cmp.Or(stamped, unknownCommit)
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
