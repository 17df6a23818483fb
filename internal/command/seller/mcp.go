package seller

import (
	"context"
	"log/slog"
	"os"
	"time"

	"sellerd/internal/command"
	"sellerd/internal/mcp"
)

// MCP gives an agent tools for the service. It is started by the agent's host, which talks to it over standard input and output.
type MCP struct {
	BaseURL  string        `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string        `required:"" env:"SELLERD_KEY" secret:"" placeholder:"KEY" help:"API key, dk_test_; better in the environment, since others can see a command's flags."`
	Live     bool          `help:"Take a dk_live_ key as well: the agent can then sell and ship real items, and reads the data of real buyers."`
	Patience time.Duration `default:"1m" placeholder:"DURATION" help:"How long a call of a tool may take, with the repetitions of its requests (default: ${default})."`
}

// CheckFlags rejects an address that cannot be that of a service, and a wait that ends before it begins.
func (c *MCP) CheckFlags() error {
	if c.Patience <= 0 {
		return command.Wrong("--patience must be more than 0, not %s", c.Patience)
	}
	return command.CheckBaseURL("--base-url", c.BaseURL)
}

// Run serves the agent until standard input ends.
func (c *MCP) Run(ctx context.Context, p *command.Program) error {
	command.IgnoreBrokenPipe() // a host that closes standard error goes on asking
	server, err := mcp.New(mcp.Config{
		BaseURL: c.BaseURL, Key: c.Key, Live: c.Live, Patience: c.Patience, Version: p.Version,
		Logger: command.NewLogger(os.Stderr, slog.LevelInfo), Now: p.Now,
	})
	if err != nil {
		return command.WrongUsage(err.Error())
	}
	return server.Run(ctx, os.Stdin, os.Stdout)
}
