package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"sellerd/internal/store"
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	info, _ := debug.ReadBuildInfo() // without it, these lines are left out
	return printVersion(os.Stdout, info)
}

// printVersion prints the version in the first line, then what the program was built from. The schema's version is the one
// after the program's migrations, so it shows whether an upgrade will migrate.
func printVersion(out io.Writer, info *debug.BuildInfo) error {
	schema, err := store.SchemaVersion()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "sellerd", version)
	if info != nil {
		fmt.Fprintln(out, "go     ", info.GoVersion)
		if commit := commitOf(info); commit != "" {
			fmt.Fprintln(out, "commit ", commit)
		}
	}
	_, err = fmt.Fprintln(out, "schema ", schema)
	return err
}

// builtFrom is the commit that this program was built from, empty when the build did not note it down.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commitOf(info)
}

// commitOf is the commit that the program was built from, empty when the build did not note it down.
func commitOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return ""
	}
	if at := settings["vcs.time"]; at != "" {
		commit += " of " + at
	}
	if settings["vcs.modified"] == "true" {
		commit += ", with changes"
	}
	return commit
}
