package main

import (
	"context"
	"errors"
	"os"

	"sellerd/internal/bridge/command"
)

// bridgeCmd serves the old interface beside a program that cannot be changed. The program sellerd-bridge has the same flags.
type bridgeCmd struct{ command.Command }

// Run serves until the context ends.
func (c *bridgeCmd) Run(ctx context.Context) error {
	c.Version = version
	err := c.Command.Run(ctx, os.Stdout, os.Stderr)
	if errors.As(err, new(command.UsageError)) {
		return wrongUsage(err.Error())
	}
	return err
}
