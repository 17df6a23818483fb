// Package outbound calls addresses from sellers: the URLs of images and of webhooks. The service calls them only through
// this package.
//
// There are two checks. CheckURL checks the text alone, so that a seller learns at once that a URL cannot work. The guard
// of the dialer is the protection: it checks the address of each connection before it is opened, after the name was
// resolved and for every redirect, so a change between the two checks has no effect. ImageFetcher downloads images through
// such a client and measures them.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Config has the timeouts and the rules of a client for sellers' addresses. Zero durations mean the default in brackets.
type Config struct {
	// AllowPrivate permits plain http and private addresses. It is for a developer's machine, where the receiver runs on
	// localhost, and switches the guard off altogether.
	AllowPrivate bool
	// AllowHTTP permits plain http to public addresses, as CheckLegacyURL does: for what programs of /rest gave. A redirect
	// from https to http is not followed.
	AllowHTTP bool

	Timeout       time.Duration // for one call: redirects and the whole body included [20 s]
	DialTimeout   time.Duration // for resolving the name and connecting [5 s]
	TLSTimeout    time.Duration // for the TLS handshake [5 s]
	HeaderTimeout time.Duration // from the request sent to the response's headers [15 s]

	// IdlePerHost is how many idle connections to one host are kept open [4].
	IdlePerHost int

	// MaxRedirects is how many redirects one call follows. With 0 a 3xx answer is the result of the call, like any other
	// status. With more, one redirect too many is an error of code "redirect".
	MaxRedirects int

	UserAgent string         // sent when the request does not carry its own; empty means Go's
	Resolver  *net.Resolver  // nil means the system's
	RootCAs   *x509.CertPool // nil means the system's

	// Dial opens connections in place of the guarded dialer, see Config.Dial. It is nil in production.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// The limits of memory for one peer: header bytes of a response, and HTTP/2 data that are not read yet. The library's
// default is 4 MiB for each HTTP/2 stream, which hundreds of hostile receivers could fill at once.
const (
	maxOutboundHeaderBytes = 64 << 10
	maxOutboundStreamBytes = 512 << 10
	maxOutboundConnBytes   = 1 << 20
)

// outboundGuard rejects addresses that are not on the public internet: those in IANA's special-purpose registries, and two
// that the registries lack. 3ffe::/16 was used by the 6bone and is no longer assigned. 168.63.129.16 looks public and is
// the host agent of every virtual machine on Azure. All ports are allowed, because addresses from before
// CheckURL limited their ports are still called: with TLS, a mail server or a database sees a handshake that it does not understand,
// and for http their ports are forbidden.
var outboundGuard = ssrf.New(
	ssrf.WithAnyPort(),
	ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")),
	ssrf.WithDeniedV6Prefixes(netip.MustParsePrefix("3ffe::/16")),
)

// NewClient returns a client for addresses from sellers. It connects to public addresses only (see Config.AllowPrivate),
// re-checks the URL of every redirect, and keeps no cookies. It ignores proxies named in the environment, because the guard
// cannot check the connections of a proxy. Bodies are not decompressed. ErrorCode classifies the client's errors.
func NewClient(cfg Config) *http.Client {
	return newClient(cfg, outboundGuard.Safe)
}

func newClient(cfg Config, guard func(network, address string, c syscall.RawConn) error) *http.Client {
	dialer := &outboundDialer{
		Dialer:     net.Dialer{Timeout: cmp.Or(cfg.DialTimeout, 5*time.Second), Resolver: cfg.Resolver},
		tlsConfig:  &tls.Config{RootCAs: cfg.RootCAs, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12},
		tlsTimeout: cmp.Or(cfg.TLSTimeout, 5*time.Second),
		instead:    cfg.Dial,
	}
	if !cfg.AllowPrivate {
		dialer.Control = func(network, address string, c syscall.RawConn) error {
			if guard(network, address, c) != nil {
				return errBlockedTarget // the guard's own message has the address
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       cmp.Or(cfg.Timeout, 20*time.Second),
		CheckRedirect: followAtMost(cfg.MaxRedirects),
		Transport: &outboundTransport{
			rules:     outboundRules{plain: cfg.AllowHTTP, private: cfg.AllowPrivate},
			userAgent: cfg.UserAgent,
			Transport: &http.Transport{
				DialContext:            dialer.DialContext,
				DialTLSContext:         dialer.dialTLS,
				ForceAttemptHTTP2:      true,
				DisableCompression:     true,
				ResponseHeaderTimeout:  cmp.Or(cfg.HeaderTimeout, 15*time.Second),
				MaxResponseHeaderBytes: maxOutboundHeaderBytes,
				MaxIdleConns:           256, // as many deliveries as may be in flight (v1/delivery/slots.go)
				MaxIdleConnsPerHost:    cmp.Or(cfg.IdlePerHost, callersTurns),
				IdleConnTimeout:        30 * time.Second,
				HTTP2: &http.HTTP2Config{
					MaxReceiveBufferPerStream:     maxOutboundStreamBytes,
					MaxReceiveBufferPerConnection: maxOutboundConnBytes,
				},
			},
		},
	}
}

// followAtMost returns a redirect policy. The previous URL is not sent to the next host, because image URLs may be signed.
func followAtMost(n int) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if n == 0 {
			return http.ErrUseLastResponse
		}
		if len(via) > n {
			return errRedirect
		}
		req.Header.Del("Referer")
		return nil
	}
}

// outboundDialer opens connections. It does the TLS handshake itself, because only here an error certainly belongs to the
// handshake: most errors of the TLS library have no type.
type outboundDialer struct {
	net.Dialer
	tlsConfig  *tls.Config
	tlsTimeout time.Duration
	instead    func(ctx context.Context, network, address string) (net.Conn, error) // of the guarded dialer, or nil
}

// DialContext opens a connection to an address that the guard lets through.
func (d *outboundDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.instead != nil {
		return d.instead(ctx, network, address)
	}
	return d.Dialer.DialContext(ctx, network, address)
}

func (d *outboundDialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("split host and port: %w", err)
	}
	plain, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := d.tlsConfig.Clone()
	config.ServerName = host
	conn := tls.Client(plain, config)
	ctx, cancel := context.WithTimeout(ctx, d.tlsTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		plain.Close()
		return nil, tlsError{err}
	}
	return conn, nil
}

// outboundTransport checks the URL of every request, first ones and redirects alike, before the library sees it.
type outboundTransport struct {
	*http.Transport
	rules     outboundRules
	userAgent string
}

func (t *outboundTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	rules := t.rules
	if from := req.Response; from != nil { // the response that redirected to this request
		rules.ports = true
		rules.plain = rules.plain && from.Request.URL.Scheme != "https"
	}
	if err := checkOutboundURL(req.URL, rules); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("%w: %w", errBlockedTarget, err)
	}
	if query := asciiQuery(req.URL.RawQuery); query != req.URL.RawQuery {
		req = req.Clone(req.Context())
		req.URL.RawQuery = query
	}
	if t.userAgent != "" && req.Header.Get("User-Agent") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("User-Agent", t.userAgent)
	}
	resp, err := t.Transport.RoundTrip(req)
	if err != nil {
		return nil, markHeaderError(err)
	}
	if resp.StatusCode/100 != 3 {
		return resp, nil
	}
	if _, err := req.URL.Parse(resp.Header.Get("Location")); err != nil {
		resp.Body.Close()
		return nil, errRedirect // the client would fail on it too, with an error without a type
	}
	return resp, nil
}

// markHeaderError gives ErrResponseTooLarge to the two errors that mean "headers beyond the limit". The library has no type
// for them, so their messages are compared. (Headers of twice the limit over HTTP/2 just break the connection.)
func markHeaderError(err error) error {
	for _, words := range []string{"response headers exceeded", "response header list larger"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%w: %w", ErrResponseTooLarge, err)
		}
	}
	return err
}

// ErrResponseTooLarge is for callers that read a response up to a limit; ErrorCode recognises it.
var ErrResponseTooLarge = errors.New("response is too large")

var (
	errBlockedTarget = errors.New("target is not a public address of the web")
	errRedirect      = errors.New("redirect that is not followed")
)

// tlsError is any error of a TLS handshake.
type tlsError struct{ error }

func (e tlsError) Unwrap() error { return e.error }

// outboundCodes are the codes in the order they are tried: a blocked address is also a failed dial, a lookup that timed out
// is dns, a handshake that timed out is timeout.
var outboundCodes = []struct {
	code string
	is   func(error) bool
}{
	{"blocked_target", func(err error) bool { return errors.Is(err, errBlockedTarget) }},
	{"redirect", func(err error) bool { return errors.Is(err, errRedirect) }},
	{"response_too_large", func(err error) bool { return errors.Is(err, ErrResponseTooLarge) }},
	{"interrupted", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"dns", isNameError},
	{"timeout", isTimeout},
	{"tls", func(err error) bool { _, ok := errors.AsType[tlsError](err); return ok }},
}

// ErrorCode is the code of an error of an outbound client, from a closed set: dns, connect, tls, timeout, blocked_target,
// redirect, response_too_large, or interrupted if the caller cancelled the context. Every other error is connect: the
// connection was refused, broke, or did not speak HTTP. It is "" for nil. Only this code may be shown to sellers; the
// error's own text names resolvers and inner addresses.
func ErrorCode(err error) string {
	if err == nil {
		return ""
	}
	for _, c := range outboundCodes {
		if c.is(err) {
			return c.code
		}
	}
	return "connect"
}

// isNameError says whether a host's name led to no address. Go's resolver asks nothing about .onion (RFC 7686), and then
// says that the address is wrong instead of the name.
func isNameError(err error) bool {
	_, asked := errors.AsType[*net.DNSError](err)
	_, unasked := errors.AsType[*net.AddrError](err)
	return asked || unasked
}

// isTimeout checks every error of the chain, since the outermost ones only report the next one.
func isTimeout(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
			return true
		}
	}
	return false
}
