//go:build npm

package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNPMLibrary lets the npm package of Standard Webhooks judge the deliveries that the verifiers of seller/signatures.md judge. It
// needs the network, so it stands behind a build tag: make npm
func TestNPMLibrary(t *testing.T) {
	folder := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-audit", "--no-fund", "standardwebhooks@1.0.0")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	const program = `
const { Webhook, WebhookVerificationError } = require('standardwebhooks');
function verify(secret, headers, body) {
  try {
    new Webhook(secret).verify(body.toString(), headers);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new Error('signature: ' + error.message);
  }
}
`
	if err := os.WriteFile(filepath.Join(folder, "npm.js"), []byte(program+jsDriver), 0o600); err != nil {
		t.Fatal(err)
	}
	compareVerdicts(t, signedCases(t), folder, []string{"node", "npm.js"})
}
