// Package docs holds the pages about the service. Those for its callers are part of the program, which serves them
// under /docs. The others are for its operator.
package docs

import "embed"

// Files are the pages that are served, in Markdown, and the examples they link to.
//
//go:embed api.md webhooks.md sandbox.md states.md legacy.md bridge.md scan.md conformance.md examples
var Files embed.FS
