package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strings"

	"sellerd/internal/server"
	"sellerd/v1"
)

type serveCmd struct {
	database
	Addr           string `default:":8080" env:"SELLERD_ADDR" help:"Address for the world (default: ${default})."`
	OperatorAddr   string `default:"127.0.0.1:8081" env:"SELLERD_OPERATOR_ADDR" help:"Address for the operator: metrics and administration (default: ${default})."`
	OperatorToken  string `env:"SELLERD_OPERATOR_TOKEN" placeholder:"TEXT" help:"What opens the operator API, at least 16 characters; better in the environment, since others can see a command's flags. Default: a file beside the SQLite file, made at the first start."`
	BaseURL        string `env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where callers reach the service. Default: http://localhost and the port."`
	SiteURL        string `default:"https://www.delcampe.net" env:"SELLERD_SITE_URL" placeholder:"URL" help:"The marketplace's site, where an item's page is (default: ${default})."`
	RateLimit      int    `default:"180" env:"SELLERD_RATE_LIMIT" help:"Requests a minute for an account in each mode; 0 is off (default: ${default})."`
	OpenItems      int    `default:"100000" env:"SELLERD_OPEN_ITEMS" help:"Open items for an account in each mode; 0 is off (default: ${default})."`
	NewItemsPerDay int    `default:"10000" env:"SELLERD_NEW_ITEMS_PER_DAY" help:"New items a UTC day for an account in each mode; 0 is off (default: ${default})."`

	AllowPrivateTargets bool   `env:"SELLERD_ALLOW_PRIVATE_TARGETS" help:"Let images and webhooks be on http and private addresses. For a developer's machine only."`
	Demo                bool   `env:"SELLERD_DEMO" help:"Seed one seller once, serve demo images, and print its keys and a first curl line."`
	LogLevel            string `default:"info" enum:"debug,info,warn,error" env:"SELLERD_LOG_LEVEL" help:"debug, info, warn or error (default: ${default})."`
}

// Run serves until the context ends.
func (c *serveCmd) Run(ctx context.Context) error {
	tuneMemory()
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	token, err := c.operatorToken()
	if err != nil {
		return err
	}
	public, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return err
	}
	operator, err := net.Listen("tcp", c.OperatorAddr)
	if err != nil {
		return err
	}
	db, config, err := c.open(ctx, true, logger)
	if err != nil {
		return err
	}
	defer db.Close()
	config.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	if config.BaseURL == "" {
		config.BaseURL = fmt.Sprintf("http://localhost:%d", public.Addr().(*net.TCPAddr).Port)
	}
	config.SiteURL = strings.TrimSuffix(c.SiteURL, "/")
	config.RateLimit, config.OpenItems, config.NewItemsPerDay = c.RateLimit, c.OpenItems, c.NewItemsPerDay
	config.AllowPrivateTargets = c.AllowPrivateTargets
	if err := server.AddLegacy(&config); err != nil {
		return err
	}
	service, err := v1.New(config)
	if err != nil {
		return err
	}
	srv, err := server.New(server.Config{
		Service: service, Logger: logger, BaseURL: config.BaseURL, Version: version,
		OperatorToken: token, Collectors: storeMetrics(db), DemoImages: c.Demo,
	})
	if err != nil {
		return err
	}
	logger.Info("serving", "addr", public.Addr().String(), "operator_addr", operator.Addr().String(), "database", db.Dialect(), "version", version)
	if c.Demo {
		demo := demoSeller{service: service, baseURL: config.BaseURL, keyFile: c.folder() + "/demo-keys.json", images: c.AllowPrivateTargets, out: os.Stdout}
		if err := demo.ready(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if err := srv.Run(ctx, public, operator); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	logger.Info("stopped")
	return nil
}

// tuneMemory lets the heap grow between collections as long as the program stays small: most of a request is garbage,
// and collecting it less often is worth a fifth of the throughput. GOGC and GOMEMLIMIT in the environment win.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
}
