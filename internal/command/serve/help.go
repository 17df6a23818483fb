package serve

import (
	_ "embed"

	"sellerd/internal/command"
)

//go:embed help.txt
var helpFile string

// Details are what --help says of the commands beyond their flags.
var Details = command.ReadDetails(helpFile)
