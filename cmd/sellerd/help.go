package main

import (
	_ "embed"

	"github.com/alecthomas/kong"
)

// What `sellerd --help` says before the commands, where lines that are indented stay as they are, and after them.
var (
	//go:embed description.txt
	description string
	//go:embed ending.txt
	ending string
)

// groups are the headings under which commands and flags are listed, in this order.
var groups = []kong.Group{
	{Key: "server", Title: "Server:"},
	{Key: "sellers", Title: "Sellers:"},
	{Key: "integrators", Title: "Integrators:"},
	{Key: "checks", Title: "Checks:"},
	{Key: "program", Title: "This program:"},

	{Key: "addresses", Title: "Addresses:"},
	{Key: "limits", Title: "Limits:"},
	{Key: "development", Title: "Development:"},
	{Key: "log", Title: "Log:"},
	{Key: "database", Title: "Database:"},
}
