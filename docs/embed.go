// Package docs holds the pages about the service, as Markdown, in a folder for each kind of reader. internal/site lists which of them a
// server shows, and to whom.
package docs

import "embed"

// Files are the pages that are served, in Markdown, and what they link to: clients, examples and the files for deployment.
//
//go:embed deploy/*.timer
//go:embed */*.md clients/*.py clients/*.php clients/*.mjs examples
//go:embed deploy/Dockerfile deploy/Dockerfile.dockerignore deploy/.env.example deploy/*.yaml deploy/*.yml deploy/*.cfg deploy/*.ini deploy/*.env deploy/*.service deploy/*.conf deploy/*.json deploy/Caddyfile deploy/standby deploy/patroni
var Files embed.FS
