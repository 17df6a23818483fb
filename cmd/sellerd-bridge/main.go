// Command sellerd-bridge serves the old interface /rest on a seller's own machine, and makes the requests of /v1 that its calls
// mean. It is `sellerd bridge` in a program of its own: without a database, and for Windows, macOS and Linux alike.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	_ "time/tzdata" // dates without a zone are in Brussels, and Windows knows no zones

	"sellerd/internal/base/signals"
	"sellerd/internal/bridge/command"
	"sellerd/v1"
)

// version is set by the release build.
var version = v1.Release

const name = "sellerd-bridge"

// Exit statuses, as those of sellerd.
const (
	statusDone   = 0
	statusFailed = 1
	statusUsage  = 2 // the command line is wrong, and nothing was done
)

func main() {
	ctx, stop := signals.Context()
	defer stop()
	signals.IgnoreBrokenPipe()
	os.Exit(execute(ctx, os.Args[1:]))
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, args []string) int {
	c := &command.Command{Program: name, Version: version}
	flags, help := c.FlagSet(name)
	printVersion := flags.Bool("version", false, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Print(help)
		return statusDone
	case err == nil && *printVersion:
		fmt.Println(name, version)
		return statusDone
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %s", flags.Arg(0))
	case err == nil:
		err = c.Validate()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\nRun `%s --help` for its flags.\n", name, err, name)
		return statusUsage
	}
	if err := c.Run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		if errors.As(err, new(command.UsageError)) {
			return statusUsage
		}
		return statusFailed
	}
	return statusDone
}
