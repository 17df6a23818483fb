package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/term"

	"sellerd/internal/server"
	"sellerd/v1"
)

type serveCmd struct {
	databaseURL
	dbRead
	secretFlag
	Addr           string `group:"addresses" default:":8080" env:"SELLERD_ADDR" placeholder:"HOST:PORT" help:"Address for the world (default: ${default})."`
	OperatorAddr   string `group:"addresses" default:"127.0.0.1:8081" env:"SELLERD_OPERATOR_ADDR" placeholder:"HOST:PORT" help:"Address for the operator: metrics and administration (default: ${default})."`
	OperatorToken  string `group:"addresses" env:"SELLERD_OPERATOR_TOKEN" placeholder:"TEXT" help:"What opens the operator API, at least 16 characters; better in the environment, since others can see a command's flags. Default: a file beside the SQLite file, made at the first start."`
	BaseURL        string `group:"addresses" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where callers reach the service. Default: http://localhost and the port."`
	TrustedProxies string `group:"addresses" env:"SELLERD_TRUSTED_PROXIES" placeholder:"ADDRESS,…" help:"Addresses and networks of proxies before the server, such as 10.0.0.5 or 10.0.0.0/24. They are believed when they say who asks, and whether by https. Default: none."`
	SiteURL        string `group:"addresses" default:"https://www.delcampe.net" env:"SELLERD_SITE_URL" placeholder:"URL" help:"The marketplace's site, where an item's page is (default: ${default})."`
	RateLimit      int    `group:"limits" default:"180" env:"SELLERD_RATE_LIMIT" placeholder:"N" help:"Requests a minute for an account in each mode; 0 is off (default: ${default})."`
	OpenItems      int    `group:"limits" default:"100000" env:"SELLERD_OPEN_ITEMS" placeholder:"N" help:"Open items for an account in each mode; 0 is off (default: ${default})."`
	NewItemsPerDay int    `group:"limits" default:"10000" env:"SELLERD_NEW_ITEMS_PER_DAY" placeholder:"N" help:"New items a UTC day for an account in each mode; 0 is off (default: ${default})."`

	AllowPrivateTargets bool   `group:"development" env:"SELLERD_ALLOW_PRIVATE_TARGETS" help:"Let images and webhooks be on http and private addresses. For a developer's machine only."`
	Demo                bool   `group:"development" env:"SELLERD_DEMO" help:"Seed one seller once, serve demo images, and print its keys, a first curl line and the pages to open."`
	DemoAnyway          bool   `group:"development" env:"SELLERD_DEMO_ANYWAY" help:"Let --demo make its seller without a question in PostgreSQL or beside other accounts."`
	LogLevel            string `group:"log" default:"info" enum:"debug,info,warn,error" env:"SELLERD_LOG_LEVEL" placeholder:"LEVEL" help:"debug, info, warn or error (default: ${default})."`
}

// Validate rejects negative limits.
func (c *serveCmd) Validate() error {
	for _, limit := range []struct {
		flag  string
		value int
	}{{"--rate-limit", c.RateLimit}, {"--open-items", c.OpenItems}, {"--new-items-per-day", c.NewItemsPerDay}} {
		if limit.value < 0 {
			return fmt.Errorf("%s must be 0 or more, not %d", limit.flag, limit.value)
		}
	}
	return nil
}

// Run serves until the context ends. The end of the context is not an error, not even during the start: the unfinished
// parts of a start are undone, or the next start continues them.
func (c *serveCmd) Run(ctx context.Context) error {
	tuneMemory()
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return err
	}
	logger := newLogger(os.Stderr, level)
	err := c.serve(ctx, logger)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		logger.Info("stopped before it served")
		return nil
	}
	return err
}

func (c *serveCmd) serve(ctx context.Context, logger *slog.Logger) error {
	for _, address := range []struct{ flag, value string }{{"--base-url", c.BaseURL}, {"--site-url", c.SiteURL}} {
		if address.value == "" {
			continue
		}
		if err := checkURL(address.flag, address.value, exampleBaseURL); err != nil {
			return err
		}
	}
	proxies, err := server.ParseProxies(c.TrustedProxies)
	if err != nil {
		return wrong("--trusted-proxies: %v", err)
	}
	if c.OperatorToken != "" {
		if err := checkToken(c.OperatorToken, "--operator-token"); err != nil {
			return wrongUsage(err.Error())
		}
	}
	if err := c.dbRead.check(c.databaseURL); err != nil {
		return err
	}
	secret, err := c.given()
	if err != nil {
		return err
	}
	public, err := listenOn("--addr", c.Addr)
	if err != nil {
		return err
	}
	operator, err := listenOn("--operator-addr", c.OperatorAddr)
	if err != nil {
		return err
	}
	baseURL := strings.TrimSuffix(c.BaseURL, "/")
	if baseURL == "" {
		baseURL = fmt.Sprintf("http://localhost:%d", public.Addr().(*net.TCPAddr).Port)
	}
	starting, err := server.AnswerWhileStarting(server.StartingConfig{Logger: logger, Clock: v1.SystemClock{}, BaseURL: baseURL}, public, operator)
	if err != nil {
		return err
	}
	defer starting.Stop()
	db, config, err := c.databaseURL.open(ctx, asServer, logger)
	if err != nil {
		return err
	}
	defer db.Close()
	announce(db)
	reads, err := c.dbRead.open(ctx, db, logger)
	if err != nil {
		return err
	}
	defer reads.Close()
	if reads != nil {
		config.Reads = reads
	}
	if secret, err = c.serverSecret(ctx, db, secret); err != nil {
		return err
	}
	config.Secret = secret.bytes
	token, tokenFrom, err := c.operatorToken()
	if err != nil {
		return err
	}
	config.BaseURL = baseURL
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
	if err := claimSecret(ctx, service, secret); err != nil {
		return err
	}
	var demoFolder string
	if c.Demo {
		if demoFolder, err = filepath.Abs(c.folder()); err != nil {
			return err
		}
	}
	commit := builtFrom()
	srv, err := server.New(server.Config{
		Service: service, Logger: logger, BaseURL: config.BaseURL, Version: version, Commit: commit,
		OperatorToken: token, TrustedProxies: proxies, Collectors: append(storeMetrics(db), readMetrics(reads)...), Demo: c.Demo,
		DemoFolder: demoFolder,
	})
	if err != nil {
		return err
	}
	var demo demoSeller
	if c.Demo {
		if demo, err = c.demo(ctx, service, config, operator.Addr().String()); err != nil {
			return err
		}
	}
	starting.Stop() // connections that come from here on wait for the server
	logger.Info("serving", "addr", public.Addr().String(), "operator_addr", operator.Addr().String(), "database", db.Dialect(), "version", version, "commit", commit,
		"secret_from", secret.origin(), "operator_token_from", tokenFrom)
	if c.Demo {
		if err := demo.ready(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if err := srv.Run(ctx, public, operator); err != nil {
		return err
	}
	if err := errors.Join(reads.Close(), db.Close()); err != nil {
		return err
	}
	logger.Info("stopped")
	return nil
}

// keyFile is where --demo stores its keys.
func (c *serveCmd) keyFile() string { return filepath.Join(c.folder(), "demo-keys.json") }

// demo returns the seller of --demo, without making it. It fails if others may use the database and the operator has not agreed.
func (c *serveCmd) demo(ctx context.Context, service *v1.Service, config v1.Config, operatorAddr string) (demoSeller, error) {
	operatorURL, err := urlHere(operatorAddr)
	if err != nil {
		return demoSeller{}, err
	}
	demo := demoSeller{
		service: service, config: config, baseURL: config.BaseURL, operatorURL: operatorURL,
		keyFile: c.keyFile(), images: c.AllowPrivateTargets, out: os.Stdout,
		progress: newProgress(os.Stderr, v1.SystemClock{}.Now, "steps").onTerminal(),
	}
	return demo, demo.consent(ctx, demoConsent{
		anyway: c.DemoAnyway, postgres: c.path() == "", in: os.Stdin, out: os.Stderr, patience: demoPatience,
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	})
}

// listenOn opens the address of a flag.
func listenOn(flag, address string) (net.Listener, error) {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" { // without a port, Listen takes any free one
		return nil, wrong("%s must be HOST:PORT or :PORT, not %q", flag, address)
	}
	listener, err := net.Listen("tcp", address)
	var malformed *net.AddrError
	var unknown *net.DNSError
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%[1]s %[2]s is taken by another program: end that one, or choose another address with %[1]s", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%[1]s %[2]s is not for this user, as ports below 1024 often are: choose another with %[1]s", flag, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &unknown):
		return nil, fmt.Errorf("%s %s is not an address of this machine", flag, address)
	case errors.As(err, &malformed):
		return nil, wrong("%s must be HOST:PORT or :PORT, not %q", flag, address)
	}
	return nil, fmt.Errorf("%s %s: %w", flag, address, err)
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
