package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"sellerd/internal/command"
)

// healthTimeout is how long the server may take to answer.
const healthTimeout = 3 * time.Second

// healthAnswerSize is how much of the answer is printed, in bytes.
const healthAnswerSize = 4 << 10

// Health is the command for health checks of containers.
type Health struct {
	URL  string `env:"SELLERD_HEALTH_URL" placeholder:"URL" help:"What to ask; without a path, /readyz. Default: /readyz at the port of --addr on this machine, http://127.0.0.1:8080/readyz."`
	Addr string `default:":8080" env:"SELLERD_ADDR" placeholder:"HOST:PORT" help:"Where the server listens, as serve has it (default: ${default})."`
	Cert string `name:"tls-cert" env:"SELLERD_TLS_CERT" placeholder:"FILE" complete:"file" help:"Ask by https, because the server speaks TLS with this certificate. It is not read: any certificate is taken from this machine."`
}

// Run asks and prints the answer.
func (c *Health) Run(ctx context.Context) error {
	at := c.URL
	if at == "" {
		here, err := urlHere(c.Addr, c.Cert != "")
		if err != nil {
			return err
		}
		at = here
	}
	return askHealth(ctx, c.client(), readyAt(at), healthTimeout, os.Stdout)
}

// client asks. At the address of --addr any certificate is taken: it is made for the name that callers use, and nothing secret is sent.
func (c *Health) client() *http.Client {
	if c.URL != "" || c.Cert == "" {
		return http.DefaultClient
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return &http.Client{Transport: transport}
}

// readyAt is what is asked of a server. Its home page, which it also shows while it is not ready, is no answer.
func readyAt(address string) string {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" {
		u.Path = "/readyz"
		return u.String()
	}
	return address
}

// urlHere is the URL, without a path, of a server on this machine that listens on an address. An address without a
// host becomes 127.0.0.1 or ::1, and not localhost, which a container without /etc/hosts cannot resolve.
func urlHere(addr string, secure bool) (string, error) {
	if err := checkListen("--addr", addr); err != nil {
		return "", err
	}
	host, port, _ := net.SplitHostPort(addr) // it was checked
	switch ip := net.ParseIP(host); {
	case host == "", ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.IsUnspecified():
		host = "::1"
	}
	return scheme(secure) + "://" + net.JoinHostPort(host, port), nil
}

// askHealth fails unless the server says that it is ready.
func askHealth(ctx context.Context, client *http.Client, url string, timeout time.Duration, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := command.CheckURL("--url", url, "http://localhost:8080/readyz"); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer from %s within %s", url, timeout)
	}
	if err != nil {
		return fmt.Errorf("no answer from %s: %s", url, command.WhyNoAnswer(err, timeout))
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, healthAnswerSize))
	if err != nil {
		return fmt.Errorf("the answer of %s ended early: %w", url, err)
	}
	answer := strings.TrimSpace(string(text))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", url, response.Status, answer)
	}
	_, err = fmt.Fprintln(out, answer)
	return err
}
