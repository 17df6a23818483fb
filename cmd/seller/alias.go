package main

import "strings"

// alias is the name of the program that this one replaces. It had one command, and took its flags with one dash, too.
const alias = "sellerd-bridge"

// arguments are what the program was given. Where it is installed under the old name, as units of that time start it, it is its command
// bridge.
func arguments(line []string) []string {
	if len(line) == 0 {
		return nil
	}
	name := line[0][strings.LastIndexAny(line[0], `/\`)+1:]
	if !strings.EqualFold(name, alias) && !strings.EqualFold(name, alias+".exe") {
		return line[1:]
	}
	given := []string{"bridge"}
	for _, word := range line[1:] {
		if len(word) > 2 && word[0] == '-' && word[1] != '-' {
			word = "-" + word
		}
		given = append(given, word)
	}
	if len(given) == 2 && given[1] == "--version" {
		return given[1:]
	}
	return given
}
