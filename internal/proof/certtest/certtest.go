// Package certtest makes certificates for tests of TLS.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Pair is a certificate for localhost and 127.0.0.1 that signs itself, with its key, in two files.
type Pair struct {
	Cert, Key string // paths
	Leaf      *x509.Certificate
}

// Make makes a pair, valid until an instant, in a folder of its own.
func Make(tb testing.TB, until time.Time) Pair {
	tb.Helper()
	folder := tb.TempDir()
	p := Pair{Cert: filepath.Join(folder, "cert.pem"), Key: filepath.Join(folder, "key.pem")}
	p.Renew(tb, until)
	return p
}

// Renew replaces the files of a pair by those of a new one.
func (p *Pair) Renew(tb testing.TB, until time.Time) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-90 * 24 * time.Hour), NotAfter: until, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		tb.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	err = errors.Join(
		os.WriteFile(p.Cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(p.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
	if err != nil {
		tb.Fatal(err)
	}
	if p.Leaf, err = x509.ParseCertificate(der); err != nil {
		tb.Fatal(err)
	}
}

// Trust makes a client trust the certificate, and no other.
func (p Pair) Trust() *tls.Config {
	known := x509.NewCertPool()
	known.AddCert(p.Leaf)
	return &tls.Config{RootCAs: known}
}
