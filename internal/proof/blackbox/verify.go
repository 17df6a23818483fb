package blackbox

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Every delivery is verified by the reference library for Go when it arrives, and with -npm by that for JavaScript at the
// end of the test: an independent program that sees only the bytes that were sent.
var npm = flag.Bool("npm", false, "verify deliveries with the npm package standardwebhooks as well")

// verified counts the deliveries that were verified, and by whom.
var verified struct{ byGo, byNPM, twice atomic.Int64 }

// verifier knows the secrets of a receiver's endpoints.
type verifier struct {
	mu      sync.Mutex
	secrets map[string][]string // all there ever were, newest first
	unknown []delivery          // with a signature of a secret that was not known yet
	journal *journal            // nil without -npm
	anyTime atomic.Bool         // a signature may be as old, or as new, as it likes
}

// delivery is what was signed, and the signature.
type delivery struct {
	Endpoint  string `json:"-"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Signature string `json:"signature"`
	Body      string `json:"body"`
	// Secrets are those that made the signatures, in the same order. The JavaScript library is to agree on each.
	Secrets []string `json:"secrets"`
}

func newVerifier(tb testing.TB) *verifier {
	tb.Helper()
	v := &verifier{secrets: map[string][]string{}}
	if *npm {
		v.journal = newJournal(tb)
	}
	return v
}

func (v *verifier) trust(endpoint, secret string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.secrets[endpoint] = append([]string{secret}, v.secrets[endpoint]...)
}

// verify does what a receiver does that knows the newest secret and the one before. Beyond that, each single signature
// must be of a secret of this endpoint: with those of a secret that is too new to be known here, finish deals.
func (v *verifier) verify(endpoint string, header http.Header, body []byte) (signatures int, err error) {
	v.mu.Lock()
	secrets := v.secrets[endpoint]
	v.mu.Unlock()
	_, live := secretOf(secrets[:min(len(secrets), 2)], func(hook *standardwebhooks.Webhook) error {
		if v.anyTime.Load() {
			return hook.VerifyIgnoringTimestamp(body, header)
		}
		return hook.Verify(body, header)
	})
	if !live {
		return 0, errors.New("it is of none of the live secrets")
	}
	verified.byGo.Add(1)
	d := delivery{
		Endpoint: endpoint, ID: header.Get(standardwebhooks.HeaderWebhookID), Timestamp: header.Get(standardwebhooks.HeaderWebhookTimestamp),
		Signature: header.Get(standardwebhooks.HeaderWebhookSignature), Body: string(body),
	}
	if !d.identify(secrets) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.unknown = append(v.unknown, d)
		return 0, nil
	}
	return len(d.Secrets), v.note(d)
}

// secretOf is the first secret by which a delivery verifies.
func secretOf(secrets []string, verify func(*standardwebhooks.Webhook) error) (secret string, found bool) {
	for _, secret := range secrets {
		if hook, err := standardwebhooks.NewWebhook(secret); err == nil && verify(hook) == nil {
			return secret, true
		}
	}
	return "", false
}

// identify finds the secret of each signature, and says whether it found them all.
func (d *delivery) identify(secrets []string) bool {
	d.Secrets = nil
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, d.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, d.Timestamp)
	for signature := range strings.SplitSeq(d.Signature, " ") {
		header.Set(standardwebhooks.HeaderWebhookSignature, signature)
		secret, found := secretOf(secrets, func(hook *standardwebhooks.Webhook) error {
			return hook.VerifyIgnoringTimestamp([]byte(d.Body), header)
		})
		if !found {
			return false
		}
		d.Secrets = append(d.Secrets, secret)
	}
	return true
}

func (v *verifier) note(d delivery) error {
	if len(d.Secrets) > 1 {
		verified.twice.Add(1)
	}
	if v.journal == nil {
		return nil
	}
	return v.journal.write(d)
}

// finish checks again the deliveries that were signed with secrets that were too new, and lets JavaScript verify all.
func (v *verifier) finish(tb testing.TB) {
	tb.Helper()
	for _, d := range v.unknown {
		if !d.identify(v.secrets[d.Endpoint]) {
			tb.Errorf("%s: event %s has a signature of no secret there ever was: %s", d.Endpoint, d.ID, d.Signature)
			continue
		}
		if err := v.note(d); err != nil {
			tb.Error(err)
		}
	}
	if v.journal != nil {
		v.journal.verify(tb)
	}
}

//go:embed verify.mjs
var verifyScript string

// javascript is a folder with the npm package and the script that uses it, made once.
var javascript = sync.OnceValues(func() (string, error) {
	folder, err := scratch()
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "verify.mjs"), []byte(verifyScript), 0o600); err != nil {
		return "", err
	}
	install := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, "standardwebhooks@1.1.1")
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install standardwebhooks: %w\n%s", err, out)
	}
	return folder, nil
})

// journal is a file of deliveries, one a line.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	buffer *bufio.Writer
	lines  int64
}

// newJournal is nil, with a message that is hard to miss, where JavaScript cannot run.
func newJournal(tb testing.TB) *journal {
	tb.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			tb.Logf("NOT VERIFIED WITH JAVASCRIPT: %s is not installed.", name)
			return nil
		}
	}
	if _, err := javascript(); err != nil {
		tb.Fatal(err)
	}
	file, err := os.Create(filepath.Join(tb.TempDir(), "deliveries.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { file.Close() })
	return &journal{file: file, buffer: bufio.NewWriterSize(file, 1<<20)}
}

func (j *journal) write(d delivery) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines++
	_, err = j.buffer.Write(append(line, '\n'))
	return err
}

func (j *journal) verify(tb testing.TB) {
	tb.Helper()
	folder, err := javascript()
	if err = errors.Join(err, j.buffer.Flush()); err != nil {
		tb.Error(err)
		return
	}
	var stderr strings.Builder
	node := exec.Command("node", filepath.Join(folder, "verify.mjs"), j.file.Name())
	node.Stderr = &stderr
	out, err := node.Output()
	if want := fmt.Sprintf("verified %d\n", j.lines); err != nil || string(out) != want {
		tb.Errorf("JavaScript says %q instead of %q: %v\n%s", out, want, err, stderr.String())
		return
	}
	verified.byNPM.Add(j.lines)
}
