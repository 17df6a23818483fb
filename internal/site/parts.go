package site

import (
	"bytes"
	"fmt"
	"strings"

	"sellerd/docs"
	"sellerd/internal/base/pattern"
)

// A page can show parts of programs in tabs. The programs are in a folder of docs, and run as they are. The tab before them is the block of
// commands above, which the page shows alone as a file.

// tabbed finds the comment that names programs and their part, and the block of commands above it, if there is one.
var tabbed = pattern.Late("(?s)(?:```sh\n((?:[^`]|`[^`])*?)```\n)?<!-- tabs: ([\\w/.-]+), part ([0-9]+) -->\n")

// inLanguages are the languages of the tabs after the first, with the endings of their programs and what a program begins with.
var inLanguages = []struct{ language, ending, begins string }{{"php", ".php", "<?php\n\n"}, {"js", ".mjs", ""}, {"python", ".py", ""}, {"go", ".go", ""}}

// withTabs is the text of a page with the blocks that its comments name.
func withTabs(source string) string {
	return tabbed().ReplaceAllStringFunc(source, func(found string) string {
		match := tabbed().FindStringSubmatch(found)
		var out strings.Builder
		if match[1] != "" {
			fmt.Fprintf(&out, "```sh tab\n%s```\n\n", match[1])
		}
		for _, in := range inLanguages {
			if program, err := docs.Files.ReadFile(match[2] + in.ending); err == nil {
				begins := ""
				if match[3] == "1" {
					begins = in.begins
				}
				fmt.Fprintf(&out, "```%s tab\n%s%s\n```\n\n", in.language, begins, part(program, match[3]))
			}
		}
		return out.String()
	})
}

// partBegins finds the comment above a part: its number and its heading.
var partBegins = pattern.Late(`(?m)^[ \t]*(?://|#) ([0-9]+)\. .*\n`)

// part is a part of a program without the comment above it.
func part(program []byte, number string) []byte {
	begins := append(partBegins().FindAllSubmatchIndex(program, -1), []int{len(program)})
	for i, at := range begins[:len(begins)-1] {
		if string(program[at[2]:at[3]]) == number {
			return bytes.TrimRight(program[at[1]:begins[i+1][0]], "\n")
		}
	}
	panic(fmt.Sprintf("the program has no part %s", number))
}
