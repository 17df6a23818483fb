// Package docs holds the pages about the service. Those that are written for its callers are part of the program, which
// serves them under /docs; the others are for whoever runs it.
package docs

import "embed"

// Files are the pages that are served, in Markdown, and the examples they link to.
//
//go:embed webhooks.md sandbox.md states.md legacy.md conformance.md examples
var Files embed.FS
