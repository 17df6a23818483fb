// Package docs holds the pages about the service, as Markdown. internal/site lists which of them a server shows, and to
// whom.
package docs

import "embed"

// Files are the pages that are served, in Markdown, and the clients, examples and the unit they link to.
//
//go:embed *.md */README.md clients/*.py clients/*.php clients/*.mjs examples deploy/sellerd-bridge.service
var Files embed.FS
