package main

import (
	_ "embed"

	"github.com/alecthomas/kong"
)

// What `seller --help` says before the commands, where lines that are indented stay as they are, and after them.
var (
	//go:embed description.txt
	description string
	//go:embed ending.txt
	ending string
)

// groups are the headings under which commands and flags are listed, in this order.
var groups = []kong.Group{
	{Key: "old", Title: "The old interface:"},
	{Key: "shop", Title: "Your shop:"},
	{Key: "program", Title: "This program:"},
}
