package client

import "embed"

// Sources are the files to copy, for pages that offer them. This file is not one of them.
//
//go:embed client.go lists.go webhook.go
var Sources embed.FS
