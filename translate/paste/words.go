package paste

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// This file splits a pasted command into words as a POSIX shell does, and runs nothing. It reads every character once: the
// parser of a whole shell takes seconds and much memory for 64 KiB of brackets, and the translator needs no key.

// Errors of commands.
var (
	errQuote = errors.New("a quote is not closed")
	errHere  = errors.New("it reads from a here-document: give what it sends as the body")
)

// shellCommand is the words of a command.
type shellCommand struct {
	words    []string
	piped    bool // its input is the output of the command before it
	hasInput bool // from a file
}

// lexer splits a command line. A value that only a running shell knows becomes a mark, see variables.
type lexer struct {
	text string
	at   int
	vars *variables

	commands []shellCommand
	words    []string
	word     strings.Builder
	inWord   bool
	piped    bool
	hasInput bool
	skipNext bool // the next word is the target of a redirection
}

// shellCommands splits a text into commands.
func shellCommands(text string, vars *variables) ([]shellCommand, error) {
	l := lexer{text: strings.ReplaceAll(text, "\r\n", "\n"), vars: vars}
	for l.at < len(l.text) {
		if err := l.step(); err != nil {
			return nil, err
		}
	}
	l.endCommand(false)
	return l.commands, nil
}

func (l *lexer) rest() string { return l.text[l.at:] }

// step reads the character at the current position outside of quotes, with what belongs to it.
func (l *lexer) step() error {
	c := l.text[l.at]
	l.at++
	switch c {
	case ' ', '\t', '\r':
		l.endWord()
	case '\n', ';':
		if c == '\n' && strings.HasPrefix(strings.TrimLeft(l.rest(), " \t"), "-") {
			l.endWord() // no command begins so: the mark that joins the lines is lost
		} else {
			l.endCommand(false)
		}
	case '|':
		piped := !strings.HasPrefix(l.rest(), "|")
		l.skip("|", "&")
		l.endCommand(piped)
	case '&':
		l.ampersand()
	case '<', '>':
		return l.redirection(c)
	case '#':
		if l.inWord {
			l.add("#")
		} else if end := strings.IndexByte(l.rest(), '\n'); end >= 0 {
			l.at += end
		} else {
			l.at = len(l.text)
		}
	case '\\':
		l.backslash()
	case '\'':
		return l.single()
	case '"':
		return l.double()
	case '$':
		return l.dollar(false)
	case '`':
		return l.command('`')
	default:
		l.add(l.text[l.at-1 : l.at])
	}
	return nil
}

// skip skips the first of some texts that follows.
func (l *lexer) skip(texts ...string) {
	for _, text := range texts {
		if strings.HasPrefix(l.rest(), text) {
			l.at += len(text)
			return
		}
	}
}

func (l *lexer) add(text string) {
	l.inWord = true
	l.word.WriteString(text)
}

func (l *lexer) endWord() {
	if l.inWord && !l.skipNext {
		l.words = append(l.words, l.word.String())
	}
	if l.inWord {
		l.skipNext = false
	}
	l.word.Reset()
	l.inWord = false
}

func (l *lexer) endCommand(piped bool) {
	l.endWord()
	if len(l.words) > 0 {
		l.commands = append(l.commands, shellCommand{l.words, l.piped, l.hasInput})
	}
	l.words, l.piped, l.hasInput, l.skipNext = nil, piped, false, false
}

// ampersand ends a command, but not inside a word: addresses are often pasted without the quotes that a shell needs.
func (l *lexer) ampersand() {
	next := l.rest()
	switch {
	case strings.HasPrefix(next, ">"):
		l.endWord()
	case l.inWord && next != "" && !strings.ContainsAny(next[:1], "& \t\r\n;|"):
		l.add("&")
	default:
		l.skip("&")
		l.endCommand(false)
	}
}

// redirection skips a redirection of input or output: 2>/dev/null.
func (l *lexer) redirection(c byte) error {
	if c == '<' && strings.HasPrefix(l.rest(), "<") {
		return errHere
	}
	if l.inWord && isNumber(l.word.String()) {
		l.word.Reset()
		l.inWord = false
	}
	l.endWord()
	l.skip(">&", ">", "&", "|")
	l.skipNext = true
	l.hasInput = l.hasInput || c == '<'
	return nil
}

// backslash adds the next character as it is. At the end of a line it joins the next line, also when the clipboard added spaces
// after it.
func (l *lexer) backslash() {
	if line := strings.TrimLeft(l.rest(), " \t"); strings.HasPrefix(line, "\n") || line == "" {
		l.at = len(l.text) - len(line)
		l.skip("\n")
		return
	}
	_, size := utf8.DecodeRuneInString(l.rest())
	l.add(l.rest()[:size])
	l.at += size
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
