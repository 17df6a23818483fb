package certificate_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/certificate"
	"sellerd/internal/proof/certtest"
)

// begin is the instant at which the tests begin.
var begin = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// messages are those of the lines of a log, with their level.
func messages(log *bytes.Buffer) (said []string) {
	for line := range strings.Lines(log.String()) {
		level, text, _ := strings.Cut(strings.TrimPrefix(line, "level="), " msg=")
		text, _, _ = strings.Cut(strings.TrimPrefix(text, `"`), `"`)
		said = append(said, level+" "+text)
	}
	log.Reset()
	return said
}

// logged is a logger without instants.
func logged(log *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestAChangedPairIsTakenAndABrokenOneIsNot(t *testing.T) {
	files := certtest.Make(t, begin.Add(60*24*time.Hour))
	first := files.Leaf
	pair, err := certificate.Load(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	step := func(name string, want ...string) {
		t.Helper()
		pair.Look(begin, logged(&log))
		if diff := cmp.Diff(want, messages(&log)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	inUse := func(name string, want []byte) {
		t.Helper()
		shown, err := pair.Config().GetCertificate(nil)
		if err != nil || !bytes.Equal(shown.Certificate[0], want) {
			t.Errorf("%s: another certificate is in use, or none: %v", name, err)
		}
	}
	step("nothing has changed")
	if err := os.WriteFile(files.Cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	step("a broken certificate", "WARN the new certificate cannot be used, and the old one stays")
	step("is logged once")
	inUse("after a broken one", first.Raw)
	files.Renew(t, begin.Add(90*24*time.Hour))
	step("a new pair", "INFO another certificate is in use")
	inUse("after a new pair", files.Leaf.Raw)
	other := certtest.Make(t, begin.Add(time.Hour))
	key, err := os.ReadFile(other.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files.Key, key, 0o600); err != nil {
		t.Fatal(err)
	}
	step("the key of another", "WARN the new certificate cannot be used, and the old one stays")
	inUse("after the key of another", files.Leaf.Raw)
	if err := os.Remove(files.Key); err != nil {
		t.Fatal(err)
	}
	step("no key", "WARN the new certificate cannot be used, and the old one stays")
	step("is logged once, too")
}

func TestTheEndIsWarnedAboutOnceADay(t *testing.T) {
	files := certtest.Make(t, begin.Add(20*24*time.Hour))
	pair, err := certificate.Load(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	const warning = "WARN the certificate ends soon, or has ended"
	for _, step := range []struct {
		days float64
		want []string
	}{{0, nil}, {5.9, nil}, {6.1, []string{warning}}, {6.5, nil}, {7.2, []string{warning}}, {21, []string{warning}}} {
		pair.Look(begin.Add(time.Duration(step.days*24)*time.Hour), logged(&log))
		if diff := cmp.Diff(step.want, messages(&log)); diff != "" {
			t.Errorf("after %v days (-want +got):\n%s", step.days, diff)
		}
	}
}

func TestAPairThatCannotBeUsedIsNamed(t *testing.T) {
	files, other := certtest.Make(t, begin), certtest.Make(t, begin)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ cert, key, want string }{
		{"none.pem", files.Key, "none.pem cannot be read: no such file or directory"},
		{files.Cert, "none.pem", "none.pem cannot be read: no such file or directory"},
		{empty, files.Key, empty + " and " + files.Key + " are no pair of a certificate and its key in PEM: tls: failed to find any PEM data in certificate input"},
		{files.Cert, other.Key, files.Cert + " and " + other.Key + " are no pair of a certificate and its key in PEM: tls: private key does not match public key"},
	} {
		_, err := certificate.Load(test.cert, test.key)
		if err == nil {
			t.Fatalf("%s and %s are taken", test.cert, test.key)
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
