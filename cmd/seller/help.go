package main

import "github.com/alecthomas/kong"

// description is what `seller --help` says before the commands. Lines that are indented stay as they are.
const description = `Tools for sellers of a collectibles marketplace: leave the old interface, list items from a file, follow what happens.

Examples:

    seller scan shop                          what do my programs call of the old interface?
    seller bridge --to https://api.example.com
    SELLERD_KEY=dk_test_… seller import listings.csv`

// groups are the headings under which commands and flags are listed, in this order.
var groups = []kong.Group{
	{Key: "old", Title: "The old interface:"},
	{Key: "shop", Title: "Your shop:"},
	{Key: "program", Title: "This program:"},
}

// ending is what `seller --help` says after the commands.
const ending = `
Environment:
  A flag with a name such as $SELLERD_KEY in its help may be set by that variable
  instead; the flag wins. Give keys as variables: other users of the machine can
  see a command's flags.

Exit status:
  0  done.
  1  The command failed: a server or an object is missing, the content of a file
     is wrong, or the request was refused. The last line printed has the reason.
  2  The command line is wrong: a command, a flag or a value cannot be used, or
     a file that it names does not exist or is a folder. Nothing was done.

Documentation:
  The service shows it under /docs.`
