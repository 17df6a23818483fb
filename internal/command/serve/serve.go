package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// Command is the command that runs the server.
type Command struct {
	database.URL
	dbRead
	database.SecretFlag
	Addr           string `group:"addresses" default:":8080" env:"SELLERD_ADDR" placeholder:"HOST:PORT" help:"Address for the world (default: ${default})."`
	OperatorAddr   string `group:"addresses" default:"127.0.0.1:8081" env:"SELLERD_OPERATOR_ADDR" placeholder:"HOST:PORT" help:"Address for the operator: metrics and administration (default: ${default})."`
	OperatorToken  string `group:"addresses" env:"SELLERD_OPERATOR_TOKEN" secret:"" placeholder:"TEXT" help:"What opens the operator API, at least 16 characters; better in the environment, since others can see a command's flags. Default: a file beside the SQLite file, made at the first start."`
	OperatorHeader string `group:"addresses" env:"SELLERD_OPERATOR_HEADER" placeholder:"NAME" help:"A header, such as X-Forwarded-Email, in which a trusted proxy names the operator who opens a page. Default: none."`
	tlsFlags
	BaseURL         string `group:"addresses" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where callers reach the service. Default: http://localhost and the port, https with a certificate."`
	TrustedProxies  string `group:"addresses" env:"SELLERD_TRUSTED_PROXIES" placeholder:"ADDRESS,…" help:"Addresses and networks of proxies before the server, such as 10.0.0.5 or 10.0.0.0/24. They are believed when they say who asks, and whether by https. Default: none."`
	SiteURL         string `group:"addresses" default:"https://www.delcampe.net" env:"SELLERD_SITE_URL" placeholder:"URL" help:"The marketplace's site, where an item's page is (default: ${default})."`
	SecurityContact string `group:"addresses" env:"SELLERD_SECURITY_CONTACT" placeholder:"URL" help:"Where vulnerabilities are reported, a mailto: or https: URL, for /.well-known/security.txt. Default: none, and no such file."`
	Downloads       string `group:"addresses" env:"SELLERD_DOWNLOADS" placeholder:"FOLDER" help:"A folder of a release, as make dist writes it: sellers get their programs at /downloads. Default: none, and no such page."`
	RateLimit       int    `group:"limits" default:"180" env:"SELLERD_RATE_LIMIT" placeholder:"N" help:"Requests a minute for an account in each mode; 0 is off (default: ${default})."`
	OpenItems       int    `group:"limits" default:"100000" env:"SELLERD_OPEN_ITEMS" placeholder:"N" help:"Open items for an account in each mode; 0 is off (default: ${default})."`
	NewItemsPerDay  int    `group:"limits" default:"10000" env:"SELLERD_NEW_ITEMS_PER_DAY" placeholder:"N" help:"New items a UTC day for an account in each mode; 0 is off (default: ${default})."`
	NoKeyRotation   bool   `group:"limits" env:"SELLERD_NO_KEY_ROTATION" help:"Refuse that API keys replace or revoke themselves. Then only the operator can."`

	BuyerRetentionYears int `group:"limits" default:"0" env:"SELLERD_BUYER_RETENTION_YEARS" placeholder:"N" help:"Forget buyers who have neither bought nor bid for N years; 0 is never (default: ${default})."`

	AllowPrivateTargets bool `group:"development" env:"SELLERD_ALLOW_PRIVATE_TARGETS" help:"Let images and webhooks be on http and private addresses. For a developer's machine only."`
	Demo                bool `group:"development" env:"SELLERD_DEMO" help:"Seed one seller once, serve demo images, and print its keys, a first curl line and the pages to open."`
	DemoAnyway          bool `group:"development" env:"SELLERD_DEMO_ANYWAY" help:"Let --demo make its seller without a question in PostgreSQL or beside other accounts."`
	command.LogFormat
	LogLevel string `group:"log" default:"info" enum:"debug,info,warn,error" env:"SELLERD_LOG_LEVEL" placeholder:"LEVEL" help:"debug, info, warn or error (default: ${default})."`
}

// CheckFlags rejects negative limits, and limits beyond those that an account may have.
func (c *Command) CheckFlags() error {
	for _, limit := range []struct {
		flag        string
		value, most int
	}{
		{"--rate-limit", c.RateLimit, v1.MaxRequestsPerMinute},
		{"--open-items", c.OpenItems, v1.MaxItemLimit},
		{"--new-items-per-day", c.NewItemsPerDay, v1.MaxItemLimit},
	} {
		if limit.value < 0 {
			return fmt.Errorf("%s must be 0 or more, not %d", limit.flag, limit.value)
		}
		if limit.value > limit.most {
			return fmt.Errorf("%s must be at most %d, not %d", limit.flag, limit.most, limit.value)
		}
	}
	if c.BuyerRetentionYears < 0 || c.BuyerRetentionYears > 100 {
		return fmt.Errorf("--buyer-retention-years must be from 0 to 100, not %d", c.BuyerRetentionYears)
	}
	return nil
}

// Run serves until the context ends. The end of the context is not an error, not even during the start: the unfinished
// parts of a start are undone, or the next start continues them.
func (c *Command) Run(ctx context.Context, p *command.Program) error {
	tuneMemory()
	command.IgnoreBrokenPipe()
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	logger, endLog := c.NewServerLogger(os.Stderr, level)
	defer endLog()
	if err := p.WarnOfVariables(logger); err != nil {
		return err
	}
	err := c.serve(ctx, p, logger)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		logger.Info("stopped before it served")
		return nil
	}
	return err
}

// tuneMemory lets the heap grow between collections as long as the program stays small. Most memory of a request is
// garbage, and fewer collections give a fifth more throughput. GOGC and GOMEMLIMIT in the environment take precedence.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
}
