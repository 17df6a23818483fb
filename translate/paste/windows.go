package paste

import (
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads commands for the command prompt of Windows: lines that ^ joins, and double quotes.

// insideQuotes recognises what browsers wrote until 2023: they put carets inside of the quotes too, as if the prompt removed
// them there.
var insideQuotes = pattern.Late(`[^\^\s]\^[&%]|\^\\\^?"`)

// windowsWords returns the words of a command of the Windows command prompt. First the prompt removes its carets, and then the
// program splits the rest.
func windowsWords(text string) ([]string, error) {
	everywhere := insideQuotes().MatchString(text)
	var line strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '^' && (!quoted || everywhere) && i+1 < len(text):
			if after := strings.TrimLeft(text[i+1:], " \t"); strings.HasPrefix(after, "\n") {
				i = len(text) - len(after) // at the end of the line, which is skipped
				if strings.HasPrefix(after, "\n\n") {
					line.WriteByte('\n') // two line breaks become one
					i++
				}
				continue
			}
			i++
			line.WriteByte(text[i])
		case c == '"':
			quoted = !quoted
			line.WriteByte(c)
		case c == '\n' && !quoted:
			line.WriteByte(' ')
		default:
			line.WriteByte(c)
		}
	}
	return argumentWords(line.String())
}

// argumentWords splits a line as C programs on Windows do: a backslash escapes only a double quote.
func argumentWords(line string) (words []string, err error) {
	var word strings.Builder
	inWord, quoted := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			slashes := len(line[i:]) - len(strings.TrimLeft(line[i:], `\`))
			i += slashes - 1
			inWord = true
			if i+1 == len(line) || line[i+1] != '"' {
				word.WriteString(strings.Repeat(`\`, slashes))
				continue
			}
			word.WriteString(strings.Repeat(`\`, slashes/2))
			if slashes%2 == 1 {
				i++
				word.WriteByte('"')
			}
		case c == '"' && quoted && i+1 < len(line) && line[i+1] == '"':
			i++
			word.WriteByte('"')
		case c == '"':
			quoted, inWord = !quoted, true
		case !quoted && strings.IndexByte(" \t\n", c) >= 0:
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	if quoted {
		return nil, errQuote
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
