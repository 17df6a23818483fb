// Package docs holds the pages about the service. Those for its callers are part of the program, which serves them
// under /docs. The others are for its operator.
package docs

import "embed"

// Files are the pages that are served, in Markdown, and the clients and examples they link to.
//
//go:embed api.md webhooks.md sandbox.md states.md legacy.md bridge.md scan.md conformance.md clients.md clients/*.py clients/*.php clients/*.mjs examples
var Files embed.FS
