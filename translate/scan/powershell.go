package scan

import (
	"slices"
	"strings"
)

// This file reads PowerShell. A command becomes a call: its words are arguments, and its parameters are arguments with names. The
// values of a command are in powershell_values.go.

// langPowerShell is written so that a $ begins a name, and so that commands need no brackets.
var langPowerShell = &language{name: "powershell", line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, quotes: `'"`, joins: []string{"+"}, sigils: true, caseless: true, template: '$'}

// psReader reads a script into groups of tokens.
type psReader struct {
	src    string
	from   int // where src begins in the file
	at     int
	depth  int
	params []node // of the block that is being read
	blocks []node // that commands are given, and that stand after them
}

// readPowerShell returns the nodes of a script.
func readPowerShell(src string) []node {
	r := &psReader{src: src}
	body := r.statements(0)
	return append(r.defaults(), body...)
}

// defaults returns the parameters of a script as assignments.
func (r *psReader) defaults() (nodes []node) {
	for _, part := range split(r.params, ",") {
		if len(part) > 2 && part[1].is("=") {
			nodes = append(append(nodes, part...), markNode(";", part[0].at))
		}
	}
	return nodes
}

func (r *psReader) mark(text string) node { return markNode(text, r.from+r.at) }

func (r *psReader) word(text string, at int) node { return nameNode(text, r.from+at) }

func (r *psReader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// space skips white space, comments and line breaks that a grave accent takes away. With lines it skips all line breaks.
func (r *psReader) space(lines bool) {
	for r.at < len(r.src) {
		rest := r.src[r.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || lines && rest[0] == '\n':
			r.at++
		case strings.HasPrefix(rest, "\ufeff"):
			r.at += 3
		case strings.HasPrefix(rest, "`\n"):
			r.at += 2
		case strings.HasPrefix(rest, "`\r\n"):
			r.at += 3
		case strings.HasPrefix(rest, "<#"):
			r.at = r.after("#>")
		case rest[0] == '#':
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				r.at += i
			} else {
				r.at = len(r.src)
			}
		default:
			return
		}
	}
}

// after returns the offset after the next occurrence of a text, or the end.
func (r *psReader) after(text string) int {
	if i := strings.Index(r.src[r.at:], text); i >= 0 {
		return r.at + i + len(text)
	}
	return len(r.src)
}

// statements reads statements up to a closing bracket, or to the end.
func (r *psReader) statements(end byte) (nodes []node) {
	if r.depth++; r.depth > maxDepth {
		r.at = len(r.src)
	}
	defer func() { r.depth-- }()
	for {
		r.space(true)
		switch c := r.peek(); {
		case c == 0 && r.at >= len(r.src):
			return nodes
		case c == end:
			r.at++
			return nodes
		case c == ';' || c == '|' || c == '&' || c == ')' || c == '}' || c == ']' || c == ',' || c == '=' || c == 0:
			r.at++
			if c == ',' || c == '=' {
				nodes = append(nodes, r.mark(string(c)))
			}
			continue
		}
		before := r.at
		nodes = append(nodes, r.statement()...)
		if r.at == before {
			r.at++
		}
		if end != ')' || len(r.blocks) > 0 {
			nodes = append(nodes, r.mark(";"))
		}
		for _, block := range r.blocks {
			nodes = append(nodes, nameNode("do", block.at), block)
		}
		r.blocks = nil
	}
}

// block reads statements in braces.
func (r *psReader) block() node {
	at := r.at
	r.at++
	pending := r.blocks
	r.blocks = nil
	kids := r.statements('}')
	r.blocks = pending
	return node{open: '{', kids: kids, at: r.from + at}
}

// bare returns the length of the word at the current position.
func (r *psReader) bare() int {
	n := 0
	for r.at+n < len(r.src) {
		c := r.src[r.at+n]
		if !isNameByte(c) && c != '-' && c != '.' && c != ':' && c != '\\' && c != '?' && c != '%' {
			break
		}
		n++
	}
	return n
}

// statement reads a statement, without what ends it.
func (r *psReader) statement() []node {
	n := nameBytes(r.src[r.at:])
	start, word := r.at, strings.ToLower(r.src[r.at:r.at+n])
	if r.bare() > n {
		word = ""
	}
	switch word {
	case "function", "filter":
		r.at += n
		return r.function()
	case "param":
		r.at += n
		r.space(true)
		if r.peek() == '(' {
			r.params = r.brackets().kids
		}
		return nil
	case "if", "elseif", "while", "foreach", "for", "switch", "until", "else", "try", "catch", "finally", "do", "begin", "process", "end", "trap", "dynamicparam":
		r.at += n
		r.space(true)
		return r.control(word, start)
	case "class", "enum":
		r.at += n
		r.space(true)
		name := r.at
		r.at += r.bare()
		nodes := []node{r.word("class", start), r.word(r.src[name:r.at], name)}
		for r.at < len(r.src) && r.peek() != '{' && r.peek() != '\n' {
			r.at++
		}
		if r.peek() == '{' {
			nodes = append(nodes, r.block())
		}
		return nodes
	case "return", "throw", "exit":
		r.at += n
		r.space(false)
		if word == "throw" {
			return []node{r.word("throw", start), {open: '(', kids: r.pipeline(), at: r.from + start}}
		}
		return append([]node{r.word("return", start)}, r.pipeline()...)
	}
	return r.pipeline()
}

// control reads a statement with blocks.
func (r *psReader) control(word string, start int) (nodes []node) {
	for r.peek() == '-' { // switch -Regex (…)
		r.at++
		r.at += r.bare()
		r.space(false)
	}
	if r.peek() == '(' {
		nodes = []node{r.word(word, start), r.brackets()}
		r.space(true)
	} else {
		nodes = []node{r.word("do", start)}
		for r.peek() == '[' { // catch [Exception]
			r.at = r.after("]")
			r.space(true)
		}
	}
	if r.peek() == '{' {
		nodes = append(nodes, r.block())
	}
	return nodes
}

// function reads a function after its first word.
func (r *psReader) function() []node {
	r.space(true)
	start := r.at
	n := r.bare()
	r.at += n
	name := r.src[start:r.at]
	if i := strings.LastIndexByte(name, ':'); i >= 0 { // global:name
		name = name[i+1:]
	}
	r.space(true)
	outer := r.params
	r.params = nil
	params := node{open: '(', at: r.from + start}
	if r.peek() == '(' {
		params = r.brackets()
		r.space(true)
	}
	nodes := []node{r.word("function", start), r.word(name, start), params}
	if r.peek() == '{' {
		body := r.block()
		if r.params != nil {
			nodes[2].kids = r.params
		}
		nodes = append(nodes, body)
	}
	r.params = outer
	return nodes
}

// brackets reads what is between round brackets.
func (r *psReader) brackets() node {
	at := r.at
	r.at++
	pending := r.blocks
	r.blocks = nil
	kids := r.statements(')')
	r.blocks = pending
	for len(kids) > 0 && kids[len(kids)-1].is(";") {
		kids = kids[:len(kids)-1]
	}
	return node{open: '(', kids: kids, at: r.from + at}
}

// pipeline reads commands and expressions with bars between them.
func (r *psReader) pipeline() (nodes []node) {
	for {
		r.space(false)
		if c := r.peek(); (c == '&' || c == '.') && r.at+1 < len(r.src) && (isSpace(r.src[r.at+1]) || r.src[r.at+1] == '"' || r.src[r.at+1] == '\'') {
			r.at++
			r.space(false)
			nodes = append(nodes, r.command()...)
		} else if isNameByte(c) && (c < '0' || c > '9') {
			nodes = append(nodes, r.command()...)
		} else {
			nodes = append(nodes, r.expression()...)
		}
		r.space(false)
		if r.peek() != '|' {
			return nodes
		}
		r.at++
		r.space(true)
		nodes = append(nodes, r.mark(";"))
	}
}

// requestCommands are the commands that send requests, and their short names.
var requestCommands = map[string]string{"irm": "Invoke-RestMethod", "iwr": "Invoke-WebRequest", "wget": "Invoke-WebRequest", "curl": "Invoke-WebRequest", "curl.exe": "Invoke-WebRequest"}

// switches are parameters without a value.
var switches = words("usebasicparsing verbose debug skipcertificatecheck passthru disablekeepalive force nonewline skiphttperrorcheck asjob raw wait followrellink s k g i l fail silent sse ss")

// command reads a command with its arguments.
func (r *psReader) command() []node {
	start := r.at
	var head node
	if c := r.peek(); c == '"' || c == '\'' || c == '$' {
		head = r.word("command", start)
		r.primary()
	} else {
		r.at += max(r.bare(), 1)
		name := r.src[start:r.at]
		low := strings.ToLower(name)
		if full := requestCommands[low]; full != "" {
			name = full
		} else if strings.HasPrefix(low, "write-") || strings.HasPrefix(low, "out-") {
			name = "log"
		}
		head = r.word(name, start)
		if r.peek() == '(' { // a method, or a call as in other languages
			nodes := []node{head, r.brackets()}
			r.space(true)
			if r.peek() == '{' {
				nodes = append(nodes, r.block())
			}
			return nodes
		}
	}
	group := node{open: '(', at: r.from + start}
	plain, named, splat := r.arguments()
	low := strings.ToLower(head.token.text)
	if sends := low == "invoke-restmethod" || low == "invoke-webrequest"; sends && !splat {
		named = withMethod(named, start+r.from)
	}
	for _, arg := range append(plain, named...) {
		if len(group.kids) > 0 {
			group.kids = append(group.kids, markNode(",", group.at))
		}
		group.kids = append(group.kids, arg...)
	}
	return []node{head, group}
}

// withMethod adds the method that a request has without a parameter for it. The options of curl are there under its own names.
func withMethod(named [][]node, at int) [][]node {
	method := "GET"
	for _, arg := range named {
		switch name := strings.ToLower(arg[0].text()); name {
		case "method", "custommethod", "me", "met", "meth":
			arg[0] = nameNode("Method", arg[0].at)
			return named
		case "x", "-request":
			arg[0] = nameNode("Method", arg[0].at)
			return named
		case "d", "f", "-data", "-data-urlencode", "-form", "-data-binary", "-data-raw":
			method = "POST"
		}
	}
	text := node{token: &token{kind: tokenText, at: at, parts: []part{{text: method, at: at}}}, at: at}
	return slices.Concat(named, [][]node{{nameNode("Method", at), markNode("=", at), text}})
}

// arguments reads the arguments of a command: those without a name, those of parameters, and whether a table of them is given.
func (r *psReader) arguments() (plain, named [][]node, splat bool) {
	for {
		r.space(false)
		c := r.peek()
		switch {
		case c == 0 || strings.IndexByte("\n;|)}]", c) >= 0 || c == '&':
			return plain, named, splat
		case c == '>' || c == '<' || c == '2' && strings.HasPrefix(r.src[r.at:], "2>"):
			for r.at < len(r.src) && strings.IndexByte("<>&12", r.src[r.at]) >= 0 {
				r.at++
			}
			r.space(false)
			if c := r.peek(); c != '\n' && c != 0 && c != '|' && c != ';' {
				r.argument()
			}
		case c == '{':
			r.blocks = append(r.blocks, r.block())
		case c == '@' && r.at+1 < len(r.src) && nameBytes(r.src[r.at+1:]) > 0:
			n := nameBytes(r.src[r.at+1:])
			plain = append(plain, []node{r.word(r.src[r.at+1:r.at+1+n], r.at)})
			r.at += 1 + n
			splat = true
		case c == '-' && r.at+1 < len(r.src) && (r.src[r.at+1] >= 'A' && r.src[r.at+1] <= 'z' || r.src[r.at+1] == '-'):
			start := r.at + 1
			r.at++
			for r.at < len(r.src) && (isNameByte(r.peek()) || r.peek() == '-') {
				r.at++
			}
			name := r.src[start:r.at]
			if r.peek() == ':' || r.peek() == '=' {
				r.at++
			}
			r.space(false)
			next := r.peek()
			if switches[strings.ToLower(name)] || next == 0 || strings.IndexByte("\n;|)}-", next) >= 0 {
				continue
			}
			if next == '{' {
				r.blocks = append(r.blocks, r.block())
				continue
			}
			named = append(named, append([]node{r.word(name, start), markNode("=", r.from+start)}, r.argument()...))
		default:
			before := r.at
			plain = append(plain, r.argument())
			if r.at == before {
				r.at++
			}
		}
	}
}
