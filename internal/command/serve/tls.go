package serve

import (
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sellerd/internal/base/certificate"
	"sellerd/internal/command"
)

// tlsFlags are the flags of a server that speaks TLS itself.
type tlsFlags struct {
	TLSCert     string `name:"tls-cert" group:"addresses" env:"SELLERD_TLS_CERT" placeholder:"FILE" complete:"file" help:"A certificate with its chain, in PEM: the server speaks TLS itself. When the file changes, the server takes it without a restart. Default: none, for a server behind a proxy."`
	TLSKey      string `name:"tls-key" group:"addresses" env:"SELLERD_TLS_KEY" placeholder:"FILE" complete:"file" help:"The key of the certificate, in PEM."`
	OperatorTLS bool   `name:"operator-tls" group:"addresses" env:"SELLERD_OPERATOR_TLS" help:"Speak TLS at --operator-addr, too, with the same certificate."`
}

// pair reads the certificate. Without one it is nil.
func (f tlsFlags) pair() (*certificate.Pair, error) {
	switch {
	case f.TLSCert == "" && f.TLSKey == "" && f.OperatorTLS:
		return nil, command.Wrong("--operator-tls needs a certificate: --tls-cert and --tls-key")
	case f.TLSCert == "" && f.TLSKey == "":
		return nil, nil
	case f.TLSCert == "" || f.TLSKey == "":
		return nil, command.Wrong("--tls-cert and --tls-key belong together: give both or none")
	}
	pair, err := certificate.Load(f.TLSCert, f.TLSKey)
	if err != nil {
		return nil, command.Wrong("--tls-cert, --tls-key: %v", err)
	}
	return pair, nil
}

// openKey is the command that keeps other users from reading the certificate's key; empty if they cannot.
func (f tlsFlags) openKey() (remedy string) {
	if info, err := os.Stat(f.TLSKey); err == nil && info.Mode().Perm()&0o007 != 0 {
		remedy = "chmod o= " + f.TLSKey
	}
	return remedy
}

// secure is a certificate in use. Without one everything stays as it is.
type secure struct {
	pair     *certificate.Pair // nil without one
	operator bool
}

// configs are for the listeners, nil where they do not speak TLS.
func (s secure) configs() (public, operator *tls.Config) {
	if s.pair != nil {
		public = s.pair.Config()
		if s.operator {
			operator = public
		}
	}
	return public, operator
}

// scheme is that of an address.
func scheme(secure bool) string {
	if secure {
		return "https"
	}
	return "http"
}

// follow lets the server take changed files until stop is called, which waits for it.
func (s secure) follow(ctx context.Context, now func() time.Time, logger *slog.Logger) (stop func()) {
	if s.pair == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { s.pair.Follow(ctx, now, logger) })
	return func() { cancel(); following.Wait() }
}

// metric is when the certificate ends.
func (s secure) metric() prometheus.Collector {
	return gauge("sellerd_tls_expiry_timestamp_seconds", "When the certificate of the server ends, as Unix time; 0 without one.", func() float64 {
		if s.pair == nil {
			return 0
		}
		return float64(s.pair.Leaf().NotAfter.Unix())
	})
}
