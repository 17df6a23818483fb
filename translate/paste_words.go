package translate

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file takes a pasted command apart into words, the way a POSIX shell does, and runs nothing. It reads every
// character once: a whole shell's parser takes seconds and much memory for 64 KiB of brackets, and anybody may paste.

// Reasons why a command cannot be read.
var (
	errQuote = errors.New("a quote is not closed")
	errHere  = errors.New("it reads from a here-document: give what it sends as the body")
)

// shellCommand is a command's words.
type shellCommand struct {
	words []string
	piped bool // its input is the output of the command before it
}

// lexer reads a command line. What a shell would only know when it runs becomes a mark, see variables.
type lexer struct {
	text string
	at   int
	vars *variables

	commands []shellCommand
	words    []string
	word     strings.Builder
	inWord   bool
	piped    bool
	skipNext bool // the next word is where a redirection leads
}

// shellCommands reads the commands of a text.
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

// step reads what begins at the current character outside quotes.
func (l *lexer) step() error {
	c := l.text[l.at]
	l.at++
	switch c {
	case ' ', '\t', '\r':
		l.endWord()
	case '\n', ';':
		l.endCommand(false)
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

// skip passes over the first of some texts that comes next.
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
		l.commands = append(l.commands, shellCommand{l.words, l.piped})
	}
	l.words, l.piped, l.skipNext = nil, piped, false
}

// ampersand ends a command, but not inside a word: addresses are pasted without quotes, though a shell needs them.
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

// redirection passes over where output goes: 2>/dev/null.
func (l *lexer) redirection(c byte) error {
	if c == '<' && strings.HasPrefix(l.rest(), "<") {
		return errHere
	}
	if l.inWord && digits(l.word.String()) {
		l.word.Reset()
		l.inWord = false
	}
	l.endWord()
	l.skip(">&", ">", "&", "|")
	l.skipNext = true
	return nil
}

// backslash takes the next character as it is. Before the end of a line it joins the next one, even where a space got
// behind it on the way to the clipboard.
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

func (l *lexer) single() error {
	text, _, closed := strings.Cut(l.rest(), "'")
	if !closed {
		return errQuote
	}
	l.add(text)
	l.at += len(text) + 1
	return nil
}

func (l *lexer) double() error {
	l.add("")
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch c {
		case '"':
			return nil
		case '\\':
			if next := l.rest(); next != "" && strings.ContainsAny(next[:1], "$`\"\\\n") {
				l.at++
				if next[0] != '\n' {
					l.add(next[:1])
				}
				continue
			}
			l.add(`\`)
		case '$':
			if err := l.dollar(true); err != nil {
				return err
			}
		case '`':
			if err := l.command('`'); err != nil {
				return err
			}
		default:
			l.add(l.text[l.at-1 : l.at])
		}
	}
	return errQuote
}

// dollar reads what a $ begins: a variable, a command in brackets, or a quote that knows escapes.
func (l *lexer) dollar(quoted bool) error {
	next := l.rest()
	switch {
	case strings.HasPrefix(next, "'") && !quoted:
		l.at++
		return l.ansi()
	case strings.HasPrefix(next, `"`) && !quoted:
		l.at++
		return l.double()
	case strings.HasPrefix(next, "("):
		l.at++
		return l.command(')')
	case strings.HasPrefix(next, "{"):
		inside, _, closed := strings.Cut(next[1:], "}")
		if !closed {
			return errQuote
		}
		l.at += len(inside) + 2
		name := inside[:nameLength(inside)] // ${KEY:-default}
		if name == "" {
			l.add(l.vars.mark(outputOfCommand))
		} else {
			l.add(l.vars.mark(name))
		}
	case nameLength(next) > 0:
		n := nameLength(next)
		l.at += n
		l.add(l.vars.mark(next[:n]))
	default:
		l.add("$")
	}
	return nil
}

// nameLength is how long the name of a variable is that a text begins with.
func nameLength(text string) int {
	n := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if n < 0 {
		n = len(text)
	}
	return n
}

// command passes over a command inside the command, up to the mark that ends it.
func (l *lexer) command(end byte) error {
	for depth := 1; l.at < len(l.text); {
		c := l.text[l.at]
		l.at++
		switch {
		case c == end:
			depth--
		case c == '(' && end == ')':
			depth++
		case c == '\\' && l.at < len(l.text):
			l.at++
		case (c == '\'' || c == '"') && end == ')':
			inside, _, closed := strings.Cut(l.rest(), string(c))
			if !closed {
				return errQuote
			}
			l.at += len(inside) + 1
		}
		if depth == 0 {
			l.add(l.vars.mark(outputOfCommand))
			return nil
		}
	}
	return errQuote
}

// ansiEscapes are the escapes of $'…' that stand for one character.
var ansiEscapes = map[byte]string{
	'a': "\a", 'b': "\b", 'e': "\x1b", 'E': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
	'\\': `\`, '\'': "'", '"': `"`, '?': "?",
}

// ansi reads $'…', in which browsers write what holds a quote or a line break.
func (l *lexer) ansi() error {
	l.add("")
	for l.at < len(l.text) {
		c := l.text[l.at]
		l.at++
		switch {
		case c == '\'':
			return nil
		case c == '\\' && l.at < len(l.text):
			l.ansiEscape()
		default:
			l.add(l.text[l.at-1 : l.at])
		}
	}
	return errQuote
}

func (l *lexer) ansiEscape() {
	c := l.text[l.at]
	if text, ok := ansiEscapes[c]; ok {
		l.at++
		l.add(text)
		return
	}
	most, base := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], 16
	if most > 0 {
		l.at++
	} else if c >= '0' && c <= '7' {
		most, base = 3, 8
	}
	from := l.at
	for l.at < len(l.text) && l.at-from < most {
		if _, err := strconv.ParseUint(l.text[l.at:l.at+1], base, 8); err != nil {
			break
		}
		l.at++
	}
	n, err := strconv.ParseUint(l.text[from:l.at], base, 32)
	switch {
	case err != nil && most > 0 && base == 16:
		l.add(`\` + string(c))
	case err != nil:
		l.add(`\`)
	case c == 'u' || c == 'U':
		l.add(string(rune(n)))
	default:
		l.add(string([]byte{byte(n)}))
	}
}
