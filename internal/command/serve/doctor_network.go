package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/internal/command"
	"sellerd/v1"
)

// hostOf is the host of an address, without its port.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// askLimit is how long the service may take to answer at its base URL.
const askLimit = 4 * time.Second

// examineBaseURL asks as callers do.
func (c *Doctor) examineBaseURL(ctx context.Context, e *examined, now func() time.Time) {
	if c.BaseURL == "" {
		e.warn("none is given, so links lead to localhost", "give the address that callers use as --base-url")
		return
	}
	if command.CheckBaseURL("--base-url", c.BaseURL) != nil {
		return // settings says so
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	before := now()
	answer, err := c.ask(ctx, nil)
	if err == nil {
		defer func() { _ = answer.Body.Close() }()
	}
	if err != nil {
		remedy := "is the server running, and does the address lead to it?"
		if untrusted := (*tls.CertificateVerificationError)(nil); errors.As(err, &untrusted) {
			remedy = "let this machine trust who signed the certificate, for example by naming it in SSL_CERT_FILE"
		}
		e.fail("there is no answer at "+c.BaseURL+": "+command.WhyNoAnswer(err, askLimit), remedy)
		return
	}
	if answer.StatusCode != http.StatusOK {
		e.fail("/readyz answers "+answer.Status+" at "+c.BaseURL, "see the server's log")
		return
	}
	e.ok("the server answers at " + c.BaseURL)
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		differ(e, "the base URL", date, before.Add(-time.Second), now()) // it has whole seconds
	}
	if strings.HasPrefix(c.BaseURL, "https:") {
		c.examineProxies(ctx, e, answer)
	}
}

// ask asks whether the service is ready.
func (c *Doctor) ask(ctx context.Context, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.BaseURL, "/")+"/readyz", http.NoBody)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	answer, err := cmp.Or(c.client, http.DefaultClient).Do(request)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer, errors.Join(err, answer.Body.Close())
}

// secureHeader is what the server sends callers who come by https, as far as it knows.
const secureHeader = "Strict-Transport-Security"

// forged is what a caller may claim to come by. A proxy must not pass it on.
var forged = http.Header{"X-Forwarded-Proto": {"http"}, "Forwarded": {"for=192.0.2.1;proto=http"}}

// examineProxies looks whether the server knows that a caller came by https, whatever the caller claims.
func (c *Doctor) examineProxies(ctx context.Context, e *examined, plain *http.Response) {
	if plain.Header.Get(secureHeader) == "" {
		e.warn("the server does not know that callers come by https, nor from where", "give the proxy's address as --trusted-proxies, and let it set X-Forwarded-For and "+
			"X-Forwarded-Proto")
		return
	}
	answer, err := c.ask(ctx, forged)
	if err == nil {
		defer func() { _ = answer.Body.Close() }()
	}
	switch {
	case err != nil:
		e.fail("the second request had no answer: "+command.WhyNoAnswer(err, askLimit), "")
	case answer.Header.Get(secureHeader) == "":
		e.fail("the proxy passes on what callers claim about themselves", "let it replace X-Forwarded-Proto and remove Forwarded")
	default:
		e.ok("the server knows that callers come by https, whatever they claim")
	}
}

// probeSecret signs the webhook to itself. It protects nothing.
const probeSecret = "whsec_c2VsbGVyZCBkb2N0b3IgcHJvYmVzIGl0c2VsZiE="

// examineWebhook delivers an event to a receiver of its own on this machine, which checks the signature as receivers do.
func examineWebhook(ctx context.Context, e *examined) {
	verifier, err := standardwebhooks.NewWebhook(probeSecret)
	if err != nil {
		e.fail(err.Error(), "")
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.fail("no receiver can listen on this machine: "+err.Error(), "")
		return
	}
	receiver := &http.Server{ReadHeaderTimeout: askLimit, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		if err != nil || verifier.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})}
	ended := make(chan error)
	go func() { ended <- receiver.Serve(listener) }()
	client := v1.NewOutboundClient(v1.OutboundConfig{AllowHTTP: true, AllowPrivate: true, Timeout: askLimit})
	err = v1.ProbeWebhook(ctx, client, v1.SystemClock{}, "http://"+listener.Addr().String()+"/", probeSecret)
	_ = receiver.Close() // it has answered
	<-ended
	if err != nil {
		e.fail("a signed event did not arrive at this machine itself: "+err.Error(), "is there a firewall on the loopback interface?")
		return
	}
	e.ok("a signed event arrived at this machine itself, and its signature is right")
}
