package seller

import (
	"context"
	"errors"
	"os"

	bridge "sellerd/internal/bridge/command"
	"sellerd/internal/command"
)

// Bridge serves the old interface beside a program that cannot be changed.
type Bridge struct{ bridge.Command }

// Run serves until the context ends.
func (c *Bridge) Run(ctx context.Context, p *command.Program) error {
	c.Version = p.Version
	command.IgnoreBrokenPipe()
	err := c.Command.Run(ctx, os.Stdout, os.Stderr)
	if errors.As(err, new(bridge.UsageError)) {
		return command.WrongUsage(err.Error())
	}
	return err
}
