package checks

import "sellerd/internal/command"

// Details are what --help says of the commands beyond their flags.
var Details = command.Details{
	"conformance run": {`The exit status is 1 when something is not as promised.`, `
SELLERD_KEY=dk_test_… sellerd conformance
SELLERD_KEY=dk_test_… sellerd conformance --base-url https://api.example.com --release 1.1.0`},
	"conformance coverage": {"", "sellerd conformance coverage"},
}
