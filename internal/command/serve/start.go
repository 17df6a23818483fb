package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/term"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/internal/command/demoseller"
	"sellerd/internal/downloads"
	"sellerd/internal/server"
	"sellerd/internal/store"
	"sellerd/v1"
)

// patience is how long callers wait for a server that starts. A balancer that asks /readyz every second, as that of docs/deploy does, has
// taken the server out by then.
const patience = 2 * time.Second

// serve checks what is given, opens what is needed, assembles the server and runs it.
func (c *Command) serve(ctx context.Context, p *command.Program, logger *slog.Logger) error {
	var given given
	if problems := c.problems(&given); len(problems) > 0 { // before anything is opened
		return problems[0]
	}
	defer given.downloads.Close()
	tracer, endTraces, err := newTracer(ctx, p, logger)
	if err != nil {
		return err
	}
	defer endTraces()
	at, err := c.listen()
	if err != nil {
		return err
	}
	if remedy := c.openKey(); remedy != "" {
		logger.Warn("other users may read the key of the certificate", "remedy", remedy)
	}
	defer given.secure.follow(ctx, p.Now, logger)()
	public, operator := given.secure.configs()
	starting, err := server.AnswerWhileStarting(server.StartingConfig{
		Logger: logger, Clock: v1.SystemClock{}, BaseURL: at.baseURL, Patience: patience, TLS: public, OperatorTLS: operator,
	}, at.public, at.operator)
	if err != nil {
		return err
	}
	defer starting.Stop()
	go v1.LoadReference() // beside the database; New asks for it again
	with, err := c.open(ctx, given, logger)
	if err != nil {
		return err
	}
	defer with.close()
	with.config.Tracer = tracer
	if err := c.configure(&with.config, at); err != nil {
		return err
	}
	srv, demo, err := c.assemble(ctx, p, given, at, with)
	if err != nil {
		return err
	}
	starting.Stop() // connections that come from here on wait for the server
	logger.Info("serving", "addr", at.public.Addr().String(), "operator_addr", at.operator.Addr().String(), "database", with.db.Dialect(),
		"version", p.Version, "commit", p.Commit, "traced", with.config.Tracer != nil, "secret_from", with.secret.Origin(), "operator_token_from", with.tokenFrom)
	if c.Demo {
		if err := demo.Ready(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if err := srv.Run(ctx, at.public, at.operator); err != nil {
		return err
	}
	if err := with.close(); err != nil {
		return err
	}
	logger.Info("stopped")
	return nil
}

// given is what the command line gives, checked.
type given struct {
	proxies   server.Proxies
	downloads *downloads.Folder   // nil if none was given
	secret    database.HeldSecret // empty if none was given
	secure    secure
}

// problems reads what the flags give, and says what is wrong with each. It opens nothing but files.
func (c *Command) problems(g *given) (found []error) {
	add := func(err error) {
		if err != nil {
			found = append(found, err)
		}
	}
	var err error
	if c.BaseURL != "" {
		add(command.CheckBaseURL("--base-url", c.BaseURL))
	}
	if c.SiteURL != "" {
		add(command.CheckAddress("--site-url", c.SiteURL))
	}
	if c.SecurityContact != "" && !isContact(c.SecurityContact) {
		add(command.Wrong("--security-contact must be like mailto:security@example.com or https://example.com/security, not %q", c.SecurityContact))
	}
	if g.proxies, err = server.ParseProxies(c.TrustedProxies); err != nil {
		add(command.Wrong("--trusted-proxies: %v", err))
	}
	add(c.checkOperatorHeader(g.proxies))
	if c.OperatorToken != "" {
		if err := checkToken(c.OperatorToken, "--operator-token"); err != nil {
			add(command.WrongUsage(err.Error()))
		}
	}
	add(c.URL.Check())
	add(c.dbRead.check(c.URL))
	g.secure.operator = c.OperatorTLS
	g.secure.pair, err = c.pair()
	add(err)
	if c.Downloads != "" {
		if g.downloads, err = downloads.Open(c.Downloads); err != nil {
			add(command.Wrong("--downloads: %v", err))
		}
	}
	g.secret, err = c.Given()
	add(err)
	return found
}

// checkOperatorHeader rejects an invalid header name, and Authorization and Host, which have another meaning.
func (c *Command) checkOperatorHeader(proxies server.Proxies) error {
	switch {
	case c.OperatorHeader == "":
		return nil
	case !httpguts.ValidHeaderFieldName(c.OperatorHeader):
		return command.Wrong("--operator-header must be the name of a header such as X-Forwarded-Email, not %q", c.OperatorHeader)
	case strings.EqualFold(c.OperatorHeader, "Authorization"), strings.EqualFold(c.OperatorHeader, "Host"):
		return command.Wrong("--operator-header must be a header of its own such as X-Forwarded-Email: %s has another meaning", c.OperatorHeader)
	case proxies == nil:
		return command.Wrong("--operator-header needs --trusted-proxies: nobody else is believed")
	}
	return nil
}

// isContact says whether a text is a URL by which people are reached: mailto: with one address, or https:.
func isContact(text string) bool {
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(text, " \t") {
		return false
	}
	if u.Scheme == "https" {
		return u.Host != ""
	}
	_, err = mail.ParseAddress(u.Opaque)
	return u.Scheme == "mailto" && err == nil
}

// addresses are where the server listens, and where callers reach it.
type addresses struct {
	public, operator net.Listener
	baseURL          string
}

// listen opens the addresses.
func (c *Command) listen() (at addresses, err error) {
	if at.public, err = listenOn("--addr", c.Addr); err != nil {
		return at, err
	}
	if c.samePort(at.public) {
		return at, errSamePort(c.OperatorAddr)
	}
	if at.operator, err = listenOn("--operator-addr", c.OperatorAddr); err != nil {
		return at, err
	}
	at.baseURL = strings.TrimRight(c.BaseURL, "/")
	if at.baseURL == "" {
		at.baseURL = fmt.Sprintf("%s://localhost:%d", scheme(c.TLSCert != ""), at.public.Addr().(*net.TCPAddr).Port)
	}
	return at, nil
}

// linkTo is where a person on this machine reaches a listener.
func linkTo(listener net.Listener, secure bool) string {
	at := listener.Addr().(*net.TCPAddr)
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "localhost"
	}
	return scheme(secure) + "://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
}

// samePort says whether the listener for callers takes the address for the operator.
func (c *Command) samePort(public net.Listener) bool {
	taken := public.Addr().(*net.TCPAddr)
	wanted, err := net.ResolveTCPAddr("tcp", c.OperatorAddr)
	return err == nil && wanted.Port == taken.Port &&
		(taken.IP.IsUnspecified() || wanted.IP == nil || wanted.IP.IsUnspecified() || wanted.IP.Equal(taken.IP))
}

func errSamePort(operator string) error {
	return command.Wrong("--operator-addr %s is taken by --addr: give each its own port", operator)
}

// checkListen rejects an address without a port, for which Listen would take any free one, and one whose port is none.
func checkListen(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil && port != "" {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return command.Wrong("%s must be HOST:PORT or :PORT, not %q", flag, address)
	}
	return nil
}

// listenOn opens the address of a flag.
func listenOn(flag, address string) (net.Listener, error) {
	if err := checkListen(flag, address); err != nil {
		return nil, err
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
		return nil, command.Wrong("%s must be HOST:PORT or :PORT, not %q", flag, address)
	}
	return nil, fmt.Errorf("%s %s: %w", flag, address, err)
}

// opened is what a server works with.
type opened struct {
	db     *store.DB
	reads  *store.Reads // nil without a standby
	config v1.Config
	secret database.HeldSecret

	token, tokenFrom string // of the operator API
}

// close closes the databases. To do so twice is no error.
func (o *opened) close() error { return errors.Join(o.reads.Close(), o.db.Close()) }

// open opens the databases, and finds or makes the secret.
func (c *Command) open(ctx context.Context, given given, logger *slog.Logger) (_ *opened, err error) {
	with := &opened{}
	if with.db, with.config, err = c.Open(ctx, database.AsServer, logger); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = with.close() // the first error is the reason
		}
	}()
	database.Announce(with.db)
	if with.reads, err = c.dbRead.open(ctx, with.db, logger); err != nil {
		return nil, err
	}
	if with.reads != nil {
		with.config.Reads = with.reads
	}
	if with.secret, err = c.ServerSecret(ctx, with.db, given.secret); err != nil {
		return nil, err
	}
	if with.secret.Remedy != "" { // a copy from a backup; the server of an earlier release ran with it, so it is no reason to stop
		logger.Warn("other users may read the service's secret", "remedy", with.secret.Remedy)
	}
	with.config.Secret = with.secret.Bytes
	return with, nil
}

// configure sets what the flags say about the service.
func (c *Command) configure(config *v1.Config, at addresses) error {
	config.BaseURL = at.baseURL
	config.SiteURL = strings.TrimRight(c.SiteURL, "/")
	config.RateLimit, config.OpenItems, config.NewItemsPerDay = c.RateLimit, c.OpenItems, c.NewItemsPerDay
	config.AllowPrivateTargets = c.AllowPrivateTargets
	config.NoKeyRotation, config.BuyerRetentionYears = c.NoKeyRotation, c.BuyerRetentionYears
	return server.AddLegacy(config)
}

// assemble makes the service and its server, and with --demo the seller, who is not made yet.
func (c *Command) assemble(ctx context.Context, p *command.Program, given given, at addresses, with *opened) (*server.Server, demoseller.Seller, error) {
	var demo demoseller.Seller
	service, err := v1.New(with.config)
	if err != nil {
		return nil, demo, err
	}
	if err := database.ClaimSecret(ctx, service, with.secret); err != nil {
		return nil, demo, err
	}
	if with.token, with.tokenFrom, err = c.operatorToken(); err != nil { // no file is made for a server that is refused
		return nil, demo, err
	}
	var demoFolder string
	if c.Demo {
		if demoFolder, err = filepath.Abs(c.Folder()); err != nil {
			return nil, demo, err
		}
	}
	public, operator := given.secure.configs()
	srv, err := server.New(server.Config{
		TLS: public, OperatorTLS: operator, Service: service, Logger: with.config.Logger, Tracer: with.config.Tracer,
		BaseURL: at.baseURL, Version: p.Version, Commit: p.Commit,
		OperatorToken: with.token, OperatorHeader: c.OperatorHeader, TrustedProxies: given.proxies, Demo: c.Demo,
		Collectors: append(append(storeMetrics(with.db), given.secure.metric()), readMetrics(with.reads)...),
		DemoFolder: demoFolder, OperatorURL: linkTo(at.operator, c.OperatorTLS), SecurityContact: c.SecurityContact, Downloads: given.downloads,
	})
	if err == nil && c.Demo {
		demo, err = c.demo(ctx, p, service, with.config, linkTo(at.operator, c.OperatorTLS))
	}
	return srv, demo, err
}

// demoKeys is the file that keeps the keys of the seller of --demo.
func (c *Command) demoKeys() string { return filepath.Join(c.Folder(), "demo-keys.json") }

// demo returns the seller of --demo, without making it. It fails if others may use the database and the operator has not agreed.
func (c *Command) demo(ctx context.Context, p *command.Program, service *v1.Service, config v1.Config, operatorURL string) (demoseller.Seller, error) {
	demo := demoseller.Seller{
		Service: service, Config: config, BaseURL: config.BaseURL, OperatorURL: operatorURL,
		KeyFile: c.demoKeys(), Images: c.AllowPrivateTargets, Out: os.Stdout,
		Progress: command.NewProgress(os.Stderr, p.Now, "steps").OnTerminal(),
	}
	return demo, demo.Consent(ctx, demoseller.Consent{
		Anyway: c.DemoAnyway, Postgres: c.Path() == "", In: os.Stdin, Out: os.Stderr, Patience: demoseller.Patience,
		Terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
	})
}
