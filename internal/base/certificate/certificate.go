// Package certificate keeps the certificate of a server of TLS, and reads it again when its files change. listener.go speaks TLS with it.
package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"sellerd/internal/base/pause"
)

// Pair is a certificate with its chain and its key, in two files of PEM. Its methods may be called from any goroutine.
type Pair struct {
	files   [2]string // the certificate's, the key's
	current atomic.Pointer[tls.Certificate]

	// What the owner of Follow knows.
	seen   [2][]byte // the texts that were read last, whether they could be used or not
	failed string    // why the files could not be used at the last look
	warned time.Time // when an end that is near was logged last
}

// Load reads a pair. Its errors name the file that is wrong.
func Load(certificate, key string) (*Pair, error) {
	p := &Pair{files: [2]string{certificate, key}}
	if _, err := p.Refresh(); err != nil {
		return nil, err
	}
	return p, nil
}

// Refresh reads the files, and says whether another pair is in use since. A pair that cannot be used changes nothing: the error tells why,
// once for the same content.
func (p *Pair) Refresh() (changed bool, err error) {
	var texts [2][]byte
	for i, file := range p.files {
		if texts[i], err = os.ReadFile(file); err != nil {
			var failed *fs.PathError
			if errors.As(err, &failed) {
				err = failed.Err
			}
			return false, fmt.Errorf("%s cannot be read: %w", file, err)
		}
	}
	if bytes.Equal(texts[0], p.seen[0]) && bytes.Equal(texts[1], p.seen[1]) {
		return false, nil
	}
	p.seen = texts
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return false, fmt.Errorf("%s and %s are no pair of a certificate and its key in PEM: %w", p.files[0], p.files[1], err)
	}
	p.current.Store(&pair)
	p.warned = time.Time{}
	return true, nil
}

// Leaf is the certificate in use.
func (p *Pair) Leaf() *x509.Certificate { return p.current.Load().Leaf }

// Config lets a server show the pair in use to new connections. They speak TLS 1.2 with the suites that HTTP/2 allows, or TLS 1.3.
func (p *Pair) Config() *tls.Config {
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.current.Load(), nil },
		MinVersion:     tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
		NextProtos: []string{"h2", "http/1.1"},
	}
}

// Times of Follow.
const (
	lookPause = 10 * time.Second // between two looks at the files
	warnPause = 24 * time.Hour   // between two warnings

	// Near is how long before its end a certificate is warned about. Those that are renewed by a program have 30 days then.
	Near = 14 * 24 * time.Hour
)

// Follow looks at the files until the context ends.
func (p *Pair) Follow(ctx context.Context, now func() time.Time, logger *slog.Logger) {
	for p.Look(now(), logger); pause.For(ctx, lookPause) == nil; {
		p.Look(now(), logger)
	}
}

// Look is one look at the files: it logs what changed, and once a day that the end is near.
func (p *Pair) Look(now time.Time, logger *slog.Logger) {
	changed, err := p.Refresh()
	before := p.failed
	p.failed = ""
	switch {
	case err != nil:
		if p.failed = err.Error(); p.failed != before {
			logger.Warn("the new certificate cannot be used, and the old one stays", "error", err)
		}
	case changed:
		logger.Info("another certificate is in use", "ends", p.Leaf().NotAfter.UTC())
	}
	if left := p.Leaf().NotAfter.Sub(now); left < Near && now.Sub(p.warned) >= warnPause {
		p.warned = now
		logger.Warn("the certificate ends soon, or has ended", "ends", p.Leaf().NotAfter.UTC(),
			"remedy", "renew "+p.files[0]+": the server takes the new one by itself")
	}
}
