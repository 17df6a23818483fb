package site

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// widest is how many columns of code a page shows on the screen of a desk.
const widest = 78

// besideButton is how many columns of the first line the button takes.
const besideButton = 7

// gap is a place in commands where a line may end.
type gap struct {
	at   int    // where the next word begins
	ends string // what ends the line there
}

const (
	beforeOption = " \\\n"
	afterPipe    = "\n"
)

// brokenAtOptions are commands whose long lines end before an option or after a pipe, where there is one. They do the same. What the shell
// does not understand stays as it is.
func brokenAtOptions(source string) string {
	if !slices.ContainsFunc(strings.Split(source, "\n"), func(line string) bool { return utf8.RuneCountInString(line) > widest-besideButton }) {
		return source
	}
	gaps := append(gapsIn(source), gap{at: len(source)})
	var out strings.Builder
	from, column, indent := 0, besideButton, ""
	for i, g := range gaps[:len(gaps)-1] {
		before := source[from:g.at]
		from = g.at
		if begins := strings.LastIndexByte(before, '\n') + 1; begins > 0 {
			column, indent = 0, before[begins:len(before)-len(strings.TrimLeft(before[begins:], " \t"))]
		}
		column += utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
		width := widthBefore(source[g.at:], gaps[i+1:], g)
		if column+width <= widest || column <= len(indent) {
			out.WriteString(before)
			continue
		}
		deeper := indent + "  "
		out.WriteString(strings.TrimRight(before, " ") + g.ends + deeper)
		column = len(deeper)
	}
	out.WriteString(source[from:])
	return out.String()
}

// widthBefore is how many columns a line gets longer if it does not end at a gap: up to the next one, or, after a pipe, up to the next pipe, so
// that a command is not torn if it fits on a line.
func widthBefore(rest string, later []gap, g gap) int {
	next := later[slices.IndexFunc(later, func(l gap) bool { return l.ends == "" || l.ends == g.ends || l.ends == afterPipe })]
	line, _, goesOn := strings.Cut(rest[:next.at-g.at], "\n")
	width := utf8.RuneCountInString(strings.TrimRight(line, " "))
	if !goesOn && next.ends != "" {
		width += len(` \`)
	}
	return width
}

// gapsIn are the places in commands where a line may end, in their order: not after the name of a command, which says nothing on a line of its
// own. There are none if the lines after a command are its input.
func gapsIn(source string) (found []gap) {
	file, err := syntax.NewParser().Parse(strings.NewReader(source), "")
	if err != nil {
		return nil
	}
	input := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			for _, word := range node.Args[min(2, len(node.Args)):] {
				if literal, ok := word.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(literal.Value, "-") && literal.Value != "-" {
					found = append(found, gap{int(word.Pos().Offset()), beforeOption})
				}
			}
		case *syntax.BinaryCmd:
			found = append(found, gap{int(node.Y.Pos().Offset()), afterPipe})
		case *syntax.Redirect:
			input = input || node.Op == syntax.Hdoc || node.Op == syntax.DashHdoc
		}
		return true
	})
	if input {
		return nil
	}
	slices.SortFunc(found, func(a, b gap) int { return a.at - b.at })
	return found
}
