package command

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"sellerd/internal/base/address"
	"sellerd/internal/base/httplog"
	"sellerd/internal/bridge"
	"sellerd/v1"
)

// Command is the bridge's flags.
type Command struct {
	To           string   `required:"" placeholder:"URL" help:"Where the seller API is, such as https://api.example.com, without /rest or /v1."`
	Addr         string   `default:"127.0.0.1:8090" placeholder:"HOST:PORT" help:"Address for your programs (default: ${default})."`
	Keys         string   `placeholder:"FILE" complete:"file" help:"File of old keys, with lines OLDKEY dk_live_…, which only you can read (mode 0600)."`
	State        string   `placeholder:"DIR" complete:"file" help:"Folder for the secret that seals sessions. Default: $$STATE_DIRECTORY, or a folder among your settings."`
	Record       string   `placeholder:"FILE" complete:"file" help:"Append a line of JSON for each call to this file: what was called and what it became. It has no keys."`
	TLSCert      string   `name:"tls-cert" placeholder:"FILE" complete:"file" help:"Certificate with which to serve https, as PEM; goes with --tls-key."`
	TLSKey       string   `name:"tls-key" placeholder:"FILE" complete:"file" help:"Key of the certificate, as PEM."`
	Host         []string `name:"host" placeholder:"NAME" help:"Another name under which your programs call. On an address of this machine alone, requests for other names than localhost are refused, since they may come from a web page."`
	InsecureBind bool     `help:"Serve http on an address that other machines reach. Everybody on the way can read the keys."`

	Version string `kong:"-"`
}

// UsageError is an error in the value of a flag. Nothing was done.
type UsageError struct{ error }

func wrong(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// CheckFlags rejects flags that contradict each other, and values that cannot be right. It shortens the address of --to.
func (c *Command) CheckFlags() error {
	to, err := serviceAddress(c.To)
	if err != nil {
		return err
	}
	c.To = to
	host, _, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		return fmt.Errorf("--addr must be HOST:PORT, such as 127.0.0.1:8090, not %q", c.Addr)
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case c.Record == "-":
		return errors.New("--record is written to a file: name one, not -")
	case slices.ContainsFunc(c.Host, noName):
		return errors.New("--host must be a name alone, such as shop.example.com, of letters a to z, digits, dots, hyphens and underscores: " +
			"without http://, a port, a path or *")
	case !isLoopback(host) && c.TLSCert == "" && !c.InsecureBind:
		return fmt.Errorf("--addr %s can be reached by other machines: give --tls-cert and --tls-key for https, or --insecure-bind if everybody on the way may read your keys", c.Addr)
	}
	return nil
}

// noName says whether a name is none that a program can send as its Host, which has another form for letters beyond ASCII.
func noName(name string) bool {
	return name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_", r)
	})
}

// Run serves until ctx ends. A person at a terminal gets a greeting and a line a call on out; otherwise the log goes to log as
// JSON.
func (c *Command) Run(ctx context.Context, out, log *os.File) (err error) {
	tuneMemory()
	certificate, err := given(c.TLSCert, "--tls-cert and --tls-key", c.readCertificate)
	if err != nil {
		return err
	}
	keys, err := given(c.Keys, "--keys", bridge.LoadKeys)
	if err != nil {
		return err
	}
	folder, err := c.stateFolder()
	if err != nil {
		return err
	}
	record, err := given(c.Record, "--record", func(path string) (*os.File, error) {
		return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	})
	if err != nil {
		return err
	}
	defer func() {
		if record != nil {
			err = errors.Join(err, record.Close())
		}
	}()
	secret, err := bridge.LoadSecret(folder)
	if err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	screen := newScreen(out, log)
	httplog.TakeOver(screen.logger)
	host, _, _ := net.SplitHostPort(c.Addr) // CheckFlags has read it
	config := bridge.Config{
		Hosts: c.Host, AnyHost: !isLoopback(host) && len(c.Host) == 0,
		To: c.To, Secret: secret, Clock: v1.SystemClock{}, Logger: screen.logger, Version: c.Version, Keys: keys,
	}
	if record != nil {
		config.Record = record
	}
	b, err := bridge.New(config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("--addr %s cannot be served; perhaps another program has it: choose another port (%w)", c.Addr, err)
	}
	debug.FreeOSMemory() // what the start needed
	screen.greet(c, addressOf(listener, certificate != nil), folder, len(keys))
	asking, cancel := context.WithCancel(ctx)
	asked := make(chan struct{})
	go func() { defer close(asked); screen.report(asking, c.To, b.Ask) }()
	err = b.Serve(ctx, listener, certificate)
	cancel()
	<-asked
	screen.end()
	return err
}

// tuneMemory keeps the program small beside others: its garbage is a page of a list or two, and collecting it often costs
// little. There is no limit: while large bodies need more than one, the program would do nothing but collect. GOGC in the
// environment takes precedence.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(15)
	}
}

// given reads the file that a flag names, if it names one.
func given[T any](path, flag string, read func(path string) (T, error)) (found T, err error) {
	if path == "" {
		return found, nil
	}
	if found, err = read(path); err != nil {
		return found, wrong("%s: %w", flag, err)
	}
	return found, nil
}

// readCertificate reads the certificate and its key.
func (c *Command) readCertificate(path string) (*tls.Certificate, error) {
	certificate, err := readPEM(path)
	key, keyErr := readPEM(c.TLSKey)
	if err = errors.Join(err, keyErr); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	return &pair, err
}

// readPEM reads a file without the mark that editors on Windows begin it with.
func readPEM(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// stateFolder is the folder of --state, that which systemd gives, or one among the user's settings.
func (c *Command) stateFolder() (string, error) {
	if folder := c.State; folder != "" {
		return folder, nil
	}
	if folder, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":"); folder != "" {
		return folder, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", wrong("name a folder with --state: %w", err)
	}
	return filepath.Join(folder, "sellerd-bridge"), nil
}

// privateNote tells what cannot be checked of a file of keys, and where the service says more.
func privateNote(to string) string {
	if bridge.PrivateByMode {
		return ""
	}
	return " (" + runtime.GOOS + " does not tell who else can read it: see " + to + "/docs/bridge-windows)"
}

// serviceAddress is the address of --to as the bridge uses it: https, or http on this machine, and nothing behind the host. A slash at
// its end is left out.
func serviceAddress(to string) (string, error) {
	u := address.Parse(to)
	switch {
	case u == nil:
		return "", fmt.Errorf("--to must be like https://api.example.com, not %q", bridge.Redact(address.Shown(to)))
	case u.User != nil:
		return "", fmt.Errorf("--to has a user or a password, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case strings.ContainsAny(to, "?#"):
		return "", fmt.Errorf("--to has a ? or a #, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case u.Path != "" && u.Path != "/":
		return "", fmt.Errorf("--to has a path, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("--to must begin with https://, because everybody on the way to %s could read your keys", u.Hostname())
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// isLoopback says whether a host is this machine and nothing else.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// addressOf is where programs reach a listener: on this machine, if it serves all addresses.
func addressOf(listener net.Listener, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
