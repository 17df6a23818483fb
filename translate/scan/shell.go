package scan

import (
	"slices"
	"strings"
)

// This file reads shell scripts. A command becomes a statement that looks like a call: its name, and its words as arguments.

// shellWords are words before a command that are not the command.
var shellWords = []string{
	"if", "then", "else", "elif", "do", "while", "until", "!", "time", "sudo", "exec", "nohup", "env", "nice", "command", "builtin", "export", "local", "readonly", "declare", "typeset", "{", "RUN", "CMD", "@", "-",
}

// shellReader reads commands.
type shellReader struct {
	*program
	at    int
	from  int // where src begins in the file
	src   string
	words []node
	fn    *function
	depth int
	inner int
	here  []string // names of texts that begin after the line
}

// readShell adds the statements of a script to a program. from is the script's offset in the file.
func (p *program) readShell(src string, from int, fn *function, inner int) {
	r := &shellReader{program: p, src: src, from: from, fn: fn, inner: inner}
	for r.at < len(r.src) {
		r.budget.spend(1)
		r.step()
	}
	r.end()
	if r.fn != nil && r.fn != fn {
		r.fn.last = len(p.statements)
	}
}

// end adds the words that were read as a statement.
func (r *shellReader) end() {
	words := r.words
	r.words = nil
	depth := r.depth
	for i := range words {
		switch words[i].literal() {
		case "then", "do", "case":
			if i == 0 {
				depth++
			}
		case "fi", "done", "esac":
			if i == 0 {
				depth = max(depth-1, 0)
			}
		}
	}
	defer func() { r.depth = depth }()
	for len(words) > 0 && len(words[0].parts) == 1 && slices.Contains(shellWords, strings.TrimLeft(words[0].literal(), "@-")) {
		if words[0].literal() == "env" || words[0].literal() == "-" {
			for len(words) > 1 && strings.HasPrefix(words[1].literal(), "-") {
				words = words[1:] // the next word is skipped in its place
			}
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if first := words[0].literal(); first == "}" && r.fn != nil {
		r.fn.last = len(r.statements)
		r.fn = nil
		return
	} else if first == "for" && len(words) > 3 && words[2].literal() == "in" {
		values := node{open: '(', at: words[3].at}
		for i, word := range words[3:] {
			if i > 0 {
				values.kids = append(values.kids, markNode("||", word.at))
			}
			values.kids = append(values.kids, word)
		}
		r.assignment(words[1].literal(), "=", values)
		return
	} else if first == "function" && len(words) > 1 {
		r.function(words[1].literal())
		return
	}
	for len(words) > 0 {
		name, value, ok := assignmentWord(&words[0])
		if !ok {
			break
		}
		op := "="
		if inner, plus := strings.CutSuffix(name, "+"); plus {
			name, op = inner, "+="
		}
		r.assignment(strings.TrimRight(name, ":?"), op, value)
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if code := defaultOf(words); code != nil { // : "${NAME:=value}"
		r.assignment(code[0].text, "=", node{token: &code[2], at: code[2].at})
		return
	}
	if op := words[min(1, len(words)-1)].literal(); len(words) > 2 && (op == ":=" || op == "?=" || op == "=") && nameBytes(words[0].literal()) == len(words[0].literal()) {
		r.assignment(words[0].literal(), "=", words[2]) // of a makefile
		return
	}
	head := words[0]
	args := node{open: '(', at: head.at}
	for i, word := range words[1:] {
		if i > 0 {
			args.kids = append(args.kids, node{token: &token{kind: tokenMark, text: ",", at: word.at}, at: word.at})
		}
		args.kids = append(args.kids, word)
	}
	nodes := []node{head, args}
	if len(head.parts) == 1 && head.parts[0].code == nil {
		text := head.parts[0].text
		if i := strings.LastIndexByte(text, '/'); i >= 0 {
			text = text[i+1:]
		}
		nodes[0] = node{token: &token{kind: tokenName, text: text, at: head.at}, at: head.at}
	} else if len(head.parts) == 1 && len(head.parts[0].code) == 1 {
		for _, name := range []string{"curl", "wget"} { // $(CURL) -X DELETE …
			if containsAny(simple(head.parts[0].code[0].text), name) {
				nodes[0] = nameNode(name, head.at)
			}
		}
	}
	r.statements = append(r.statements, statement{nodes: nodes, fn: r.fn, depth: r.depth, at: head.at})
}

// defaultOf returns the expression of a command that only gives a name its default value, nil for another command.
func defaultOf(words []node) []token {
	if len(words) != 2 || words[0].literal() != ":" || len(words[1].parts) != 1 || len(words[1].parts[0].code) != 3 {
		return nil
	}
	return words[1].parts[0].code
}

// assignment adds a statement that assigns a word to a name.
func (r *shellReader) assignment(name, op string, value node) {
	at := value.at
	r.statements = append(r.statements, statement{nodes: []node{
		{token: &token{kind: tokenName, text: name, at: at}, at: at}, {token: &token{kind: tokenMark, text: op, at: at}, at: at}, value,
	}, fn: r.fn, depth: r.depth, at: at})
}

// assignmentWord splits a word such as BASE=https://… into its name and its value.
func assignmentWord(word *node) (name string, value node, ok bool) {
	if word.token == nil || len(word.parts) == 0 || word.parts[0].code != nil {
		return "", node{}, false
	}
	name, rest, ok := strings.Cut(word.parts[0].text, "=")
	if !ok || name == "" || nameBytes(strings.TrimRight(name, "+:?")) != len(strings.TrimRight(name, "+:?")) {
		return "", node{}, false
	}
	t := *word.token
	t.parts = slices.Clone(t.parts)
	t.parts[0].text, t.parts[0].at = rest, t.parts[0].at+len(name)+1
	return name, node{token: &t, at: t.parts[0].at}, true
}

// function begins a function.
func (r *shellReader) function(name string) {
	fn := &function{name: strings.TrimSuffix(name, "()"), first: len(r.statements), last: 1 << 30}
	for _, number := range []string{"1", "2", "3", "4", "5", "6"} {
		fn.params = append(fn.params, param{name: number})
	}
	r.functions = append(r.functions, fn)
	r.fn = fn
}

// step reads a word or a mark.
func (r *shellReader) step() {
	c := r.src[r.at]
	switch {
	case c == '\\' && r.at+1 < len(r.src) && (r.src[r.at+1] == '\n' || r.src[r.at+1] == '\r'):
		r.at += 2
		if r.src[r.at-1] == '\r' && r.at < len(r.src) && r.src[r.at] == '\n' {
			r.at++
		}
	case c == ' ' || c == '\t' || c == '\r':
		r.at++
	case c == '\n':
		r.at++
		r.end()
		r.hereDocuments()
	case c == ';' || c == '&' || c == '|':
		r.at++
		r.end()
	case c == '(':
		r.at++
		if strings.HasPrefix(r.src[r.at:], ")") && len(r.words) == 1 {
			r.at++
			name := r.words[0].literal()
			r.words = nil
			r.function(name)
			return
		}
		r.end()
	case c == ')':
		r.at++
		r.words = nil // a pattern of case, or the end of a list
	case c == '#':
		if i := strings.IndexByte(r.src[r.at:], '\n'); i >= 0 {
			r.at += i
		} else {
			r.at = len(r.src)
		}
	case c == '<' || c == '>':
		r.redirection()
	default:
		r.word()
	}
}

// redirection skips a redirection, and remembers a text that begins after the line.
func (r *shellReader) redirection() {
	if rest, ok := strings.CutPrefix(r.src[r.at:], "<<"); ok && !strings.HasPrefix(rest, "<") {
		trimmed := strings.TrimLeft(rest, "- '\"\\")
		n := nameBytes(trimmed)
		if n > 0 {
			r.here = append(r.here, trimmed[:n])
		}
		r.at += 2 + len(rest) - len(trimmed) + n
		if r.at < len(r.src) && (r.src[r.at] == '\'' || r.src[r.at] == '"') {
			r.at++
		}
		return
	}
	for r.at < len(r.src) && strings.IndexByte("<>&| ", r.src[r.at]) >= 0 {
		r.at++
	}
	count := len(r.words)
	if r.at < len(r.src) && r.src[r.at] != '\n' && r.src[r.at] != '(' {
		r.word()
	}
	r.words = r.words[:count]
}

// hereDocuments skips the texts that the line announced.
func (r *shellReader) hereDocuments() {
	for _, name := range r.here {
		for r.at < len(r.src) {
			line := r.src[r.at:]
			if i := strings.IndexByte(line, '\n'); i >= 0 {
				line = line[:i]
			}
			r.at = min(r.at+len(line)+1, len(r.src))
			if strings.TrimSpace(line) == name {
				break
			}
		}
	}
	r.here = nil
}

// word reads a word with its quotes and expressions.
func (r *shellReader) word() {
	start := r.at
	t := &token{kind: tokenText, at: r.from + start}
	var b strings.Builder
	literalAt := r.at
	flush := func() {
		if b.Len() > 0 {
			t.parts = append(t.parts, part{text: b.String(), at: r.from + literalAt})
			b.Reset()
		}
	}
	quote, asked := byte(0), false // asked: the word has a question mark after its last expression
	for r.at < len(r.src) {
		c := r.src[r.at]
		if b.Len() == 0 {
			literalAt, asked = r.at, false
		}
		switch {
		case quote == '\'' && c != '\'':
			b.WriteByte(c)
			r.at++
		case quote == c:
			quote = 0
			r.at++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
			r.at++
		case c == '\\' && r.at+1 < len(r.src):
			if r.src[r.at+1] != '\n' {
				b.WriteByte(r.src[r.at+1])
			}
			r.at += 2
		case c == '$' || c == '`':
			before := r.at
			name, otherwise, ok := r.expression()
			if !ok {
				b.WriteByte(c)
				r.at++
				continue
			}
			flush()
			at := r.from + before
			code := []token{{kind: tokenName, text: name, at: at}}
			if otherwise != "" { // ${NAME:-value}
				code = append(code, token{kind: tokenMark, text: "||", at: at}, token{kind: tokenText, parts: []part{{text: otherwise, at: at}}, at: at})
			}
			t.parts = append(t.parts, part{code: code, at: at})
		case quote == 0 && strings.IndexByte(" \t\r\n;&|()<>", c) >= 0:
			if c == '&' && r.at+1 < len(r.src) && isNameByte(r.src[r.at+1]) && asked {
				b.WriteByte(c) // an address without quotes
				r.at++
				continue
			}
			flush()
			r.addWord(t, start)
			return
		default:
			b.WriteByte(c)
			asked = asked || c == '?'
			r.at++
		}
	}
	flush()
	r.addWord(t, start)
}

func (r *shellReader) addWord(t *token, start int) {
	if len(t.parts) == 0 {
		t.parts = []part{{at: r.from + start}}
	}
	r.words = append(r.words, node{token: t, at: t.at})
}

// expression reads $name, ${name…}, $(command) or a command in grave accents, and returns the name of the variable, and the value
// that it has otherwise. The name of a command is empty: its output is not known.
func (r *shellReader) expression() (name, otherwise string, ok bool) {
	rest := r.src[r.at:]
	command := func(open int, end byte) (string, string, bool) {
		depth := 1
		for i := open; i < len(rest); i++ {
			switch {
			case rest[i] == '\\':
				i++
			case rest[i] == end:
				if depth--; depth == 0 {
					r.at += i + 1
					if r.inner < maxInner {
						r.readShell(rest[open:i], r.from+r.at-i-1+open, r.fn, r.inner+1)
					}
					return "", "", true
				}
			case rest[i] == '(':
				depth++
			}
		}
		r.budget.spend(len(rest))
		return "", "", false
	}
	switch {
	case strings.HasPrefix(rest, "`"):
		return command(1, '`')
	case strings.HasPrefix(rest, "$(") && len(rest) > 2 && isNameByte(rest[2]) && strings.HasPrefix(rest[2+nameBytes(rest[2:]):], ")") && nameBytes(rest[2:]) > 0:
		n := nameBytes(rest[2:]) // $(NAME) of a makefile
		r.at += n + 3
		return rest[2 : 2+n], "", true
	case strings.HasPrefix(rest, "$("):
		return command(2, ')')
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			r.budget.spend(len(rest) / 16)
			return "", "", false
		}
		r.at += end + 1
		inside := rest[2:end]
		n := nameBytes(inside)
		if n == 0 && inside != "" && inside[0] >= '0' && inside[0] <= '9' {
			n = 1
		}
		if after, ok := strings.CutPrefix(inside[n:], ":-"); ok || strings.HasPrefix(inside[n:], ":=") {
			otherwise = strings.TrimPrefix(after, ":=")
		}
		return inside[:n], strings.Trim(otherwise, `"'`), true
	case len(rest) > 1 && (rest[1] >= '0' && rest[1] <= '9' || strings.IndexByte("@*#?", rest[1]) >= 0):
		r.at += 2
		return rest[1:2], "", true
	}
	n := nameBytes(rest[1:])
	if n == 0 {
		return "", "", false
	}
	r.at += 1 + n
	return rest[1 : 1+n], "", true
}
