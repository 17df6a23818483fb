package scan

import (
	"slices"
	"strings"
)

// This file reads the values of PowerShell: expressions, tables, and texts with names in them.

// argument reads a value of a command: an expression without spaces, or a word with names in it. Values with commas are a list.
func (r *psReader) argument() []node {
	var list []node
	for {
		one := r.oneArgument()
		r.space(false)
		if r.peek() != ',' {
			if list == nil {
				return one
			}
			list = append(list, one...)
			return []node{{open: '[', kids: list, at: list[0].at}}
		}
		list = append(append(list, one...), r.mark(","))
		r.at++
		r.space(true)
	}
}

func (r *psReader) oneArgument() []node {
	c := r.peek()
	if c == '(' || c == '"' || c == '\'' || c == '@' && r.at+1 < len(r.src) && strings.IndexByte(`{("'`, r.src[r.at+1]) >= 0 || strings.HasPrefix(r.src[r.at:], "$(") {
		nodes := r.primary()
		if end := r.peek(); end == '/' || end == '?' || end == '$' { // "$base"/item
			nodes = append(append(nodes, r.mark("+")), r.wordText())
		}
		return nodes
	}
	if c == '$' { // $item.id, or $base/item
		before := r.at
		nodes := r.primary()
		if end := r.peek(); end == 0 || isSpace(end) || strings.IndexByte(";|),}]", end) >= 0 {
			return nodes
		}
		r.at = before
	}
	return []node{r.wordText()}
}

// wordText reads a word with names in it as a text.
func (r *psReader) wordText() node {
	start, end := r.at, r.at
	for end < len(r.src) && !isSpace(r.src[end]) && strings.IndexByte(";|)},\"'", r.src[end]) < 0 {
		if strings.HasPrefix(r.src[end:], "$(") {
			inner := psReader{src: r.src, at: end + 1, depth: r.depth}
			inner.brackets()
			end = max(inner.at, end+1)
			continue
		}
		end++
	}
	r.at = end
	return r.text(start, end, false)
}

// text returns the text between two offsets, with the expressions in it.
func (r *psReader) text(from, to int, plain bool) node {
	t := &token{kind: tokenText, at: r.from + from}
	var b strings.Builder
	begin := from
	flush := func() {
		if b.Len() > 0 {
			t.parts = append(t.parts, part{text: b.String(), at: r.from + begin})
			b.Reset()
		}
	}
	for i := from; i < to; {
		c := r.src[i]
		if b.Len() == 0 {
			begin = i
		}
		switch {
		case plain && c == '\'' && i+1 < to:
			b.WriteByte(c)
			i += 2
			continue
		case plain:
		case c == '`' && i+1 < to:
			b.WriteByte(r.src[i+1])
			i += 2
			continue
		case c == '$':
			inner := psReader{src: r.src[:to], at: i, from: r.from, depth: r.depth}
			nodes := inner.variable()
			if nodes == nil {
				break
			}
			flush()
			t.parts = append(t.parts, part{code: append(flatten(nodes), token{kind: tokenMark, text: ""}), at: r.from + i})
			i = inner.at
			continue
		}
		b.WriteByte(c)
		i++
	}
	flush()
	if len(t.parts) == 0 {
		t.parts = []part{{at: r.from + from}}
	}
	return node{token: t, at: t.at}
}

// flatten returns nodes as tokens.
func flatten(nodes []node) (tokens []token) {
	for i := range nodes {
		n := &nodes[i]
		if n.token != nil {
			tokens = append(tokens, *n.token)
			continue
		}
		shut := map[byte]string{'(': ")", '[': "]", '{': "}"}[n.open]
		tokens = append(tokens, token{kind: tokenMark, text: string(n.open), at: n.at})
		tokens = append(tokens, flatten(n.kids)...)
		tokens = append(tokens, token{kind: tokenMark, text: shut, at: n.at})
	}
	return tokens
}

// variable reads $name, $scope:name, ${name} or $(…), nil when there is none.
func (r *psReader) variable() []node {
	rest := r.src[r.at:]
	start := r.at
	switch {
	case strings.HasPrefix(rest, "$("):
		r.at++
		return []node{r.brackets()}
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return nil
		}
		r.at += end + 1
		name := rest[2:end]
		return []node{r.word(name[strings.LastIndexByte(name, ':')+1:], start)}
	}
	n := nameBytes(rest[1:])
	if n == 0 {
		return nil
	}
	if more := rest[1+n:]; len(more) > 1 && more[0] == ':' && nameBytes(more[1:]) > 0 { // $script:base
		from := 1 + n + 1
		n = nameBytes(more[1:])
		r.at += from + n
		return []node{r.word(rest[from:from+n], start)}
	}
	r.at += 1 + n
	return []node{r.word(rest[1:1+n], start)}
}

// quoted reads a text in quotes.
func (r *psReader) quoted() node {
	quote := r.src[r.at]
	start := r.at + 1
	i := start
	for i < len(r.src) && r.src[i] != quote || i+1 < len(r.src) && r.src[i] == quote && r.src[i+1] == quote {
		switch {
		case r.src[i] == quote || r.src[i] == '`' && quote == '"':
			i += 2
		case quote == '"' && strings.HasPrefix(r.src[i:], "$(") && r.depth < maxDepth/4:
			inner := psReader{src: r.src, at: i + 1, depth: r.depth + maxDepth/8}
			inner.brackets()
			i = max(inner.at, i+1)
		default:
			i++
		}
	}
	i = min(i, len(r.src))
	r.at = min(i+1, len(r.src))
	return r.text(start, i, quote == '\'')
}

// primary reads a value with its members and its calls.
func (r *psReader) primary() (nodes []node) {
	rest := r.src[r.at:]
	start := r.at
	switch c := r.peek(); {
	case c == '"' || c == '\'':
		nodes = []node{r.quoted()}
	case strings.HasPrefix(rest, `@"`), strings.HasPrefix(rest, "@'"):
		end := strings.Index(rest[2:], "\n"+rest[1:2]+"@")
		if end < 0 {
			r.at = len(r.src)
			return nil
		}
		from := start + 2 + strings.IndexByte(rest[2:], '\n') + 1
		r.at = start + 2 + end + 3
		nodes = []node{r.text(min(from, start+2+end), start+2+end, rest[1] == '\'')}
	case strings.HasPrefix(rest, "@{"):
		r.at++
		nodes = []node{r.table()}
	case strings.HasPrefix(rest, "@("):
		r.at++
		list := r.brackets()
		list.open = '['
		nodes = []node{list}
	case c == '(':
		nodes = []node{r.brackets()}
	case c == '$':
		if nodes = r.variable(); nodes == nil {
			r.at++
			return nil
		}
	case c == '[':
		if nodes = r.typeName(); nodes == nil {
			return nil
		}
	case c == '{':
		r.blocks = append(r.blocks, r.block())
		return nil
	case isNameByte(c):
		for r.at < len(r.src) && isNameByte(r.src[r.at]) {
			r.at++
		}
		nodes = []node{r.word(r.src[start:r.at], start)}
		if c >= '0' && c <= '9' {
			nodes[0].kind = tokenNumber
		}
	default:
		return nil
	}
	return r.members(nodes)
}

// members reads what follows a value without a space: members, calls, and keys.
func (r *psReader) members(nodes []node) []node {
	for r.at < len(r.src) {
		rest := r.src[r.at:]
		size := 0
		switch {
		case strings.HasPrefix(rest, "::"):
			size = 2
		case strings.HasPrefix(rest, "?."):
			size = 2
		case rest[0] == '.' && len(rest) > 1 && rest[1] != '.':
			size = 1
		case rest[0] == '[':
			at := r.at
			r.at++
			nodes = append(nodes, node{open: '[', kids: r.statements(']'), at: r.from + at})
			for kids := &nodes[len(nodes)-1].kids; len(*kids) > 0 && (*kids)[len(*kids)-1].is(";"); {
				*kids = (*kids)[:len(*kids)-1]
			}
			continue
		default:
			return nodes
		}
		n := nameBytes(rest[size:])
		if n == 0 {
			return nodes
		}
		nodes = append(nodes, r.mark(rest[:size]))
		nodes = append(nodes, r.word(rest[size:size+n], r.at+size))
		r.at += size + n
		if r.peek() == '(' {
			nodes = append(nodes, r.brackets())
		}
	}
	return nodes
}

// typeName reads a type in square brackets: the name of one whose members follow, or nothing for a cast or an attribute.
func (r *psReader) typeName() []node {
	depth, end := 0, r.at
	for ; end < len(r.src); end++ {
		if c := r.src[end]; c == '[' || c == '(' {
			depth++
		} else if c == ']' || c == ')' {
			if depth--; depth == 0 {
				end++
				break
			}
		}
	}
	start := r.at
	r.at = end
	if !strings.HasPrefix(r.src[end:], "::") {
		r.space(true)
		if c := r.peek(); c == '$' || c == '[' || c == '(' || c == '"' || c == '\'' || c == '@' {
			return r.primary()
		}
		return nil
	}
	name := strings.Trim(r.src[start:end], "[] ")
	return []node{r.word(name[strings.LastIndexByte(name, '.')+1:], start)}
}

// table reads a table: its keys and their values.
func (r *psReader) table() node {
	t := node{open: '{', at: r.from + r.at}
	r.at++
	if r.depth++; r.depth > maxDepth {
		r.at = len(r.src)
	}
	defer func() { r.depth-- }()
	for {
		r.space(true)
		for r.peek() == ';' {
			r.at++
			r.space(true)
		}
		if r.peek() == '}' || r.at >= len(r.src) {
			r.at = min(r.at+1, len(r.src))
			return t
		}
		before := r.at
		key := r.primary()
		r.space(false)
		if len(key) != 1 || r.peek() != '=' {
			r.at = max(r.at, before+1)
			continue
		}
		mark := r.mark("=")
		r.at++
		r.space(true)
		if len(t.kids) > 0 {
			t.kids = append(t.kids, markNode(",", key[0].at))
		}
		value := slices.DeleteFunc(r.pipeline(), func(n node) bool { return n.is(";") })
		t.kids = append(append(append(t.kids, key...), mark), value...)
	}
}

// expression reads values with operators between them.
func (r *psReader) expression() (nodes []node) {
	if r.depth++; r.depth > maxDepth {
		r.at = len(r.src)
	}
	defer func() { r.depth-- }()
	from := 0 // of the operand
	for {
		r.space(false)
		c := r.peek()
		rest := r.src[r.at:]
		switch {
		case c == 0 || strings.IndexByte("\n;|)}]", c) >= 0:
			return nodes
		case c == '-' && len(rest) > 1 && (rest[1] >= 'a' && rest[1] <= 'z' || rest[1] >= 'A' && rest[1] <= 'Z'):
			at := r.at
			r.at++
			n := nameBytes(r.src[r.at:])
			operator := strings.TrimPrefix(strings.ToLower(r.src[r.at:r.at+n]), "c")
			r.at += n
			r.space(true)
			switch operator {
			case "f", "join":
				operand := slices.Clone(nodes[from:])
				args := r.expression()
				name, kids := "format", append(append(operand, markNode(",", r.from+at)), args...)
				if operator == "join" {
					if len(operand) == 1 && operand[0].token == nil {
						operand[0].open = '['
					}
					name, kids = "join", append(append(args, markNode(",", r.from+at)), operand...)
				}
				return append(nodes[:from:from], r.word(name, at), node{open: '(', kids: kids, at: r.from + at})
			case "replace", "ireplace", "replac":
				args := r.expression()
				return append(nodes, r.mark("."), r.word("replace", at), node{open: '(', kids: args, at: r.from + at})
			case "not":
			default:
				nodes = append(nodes, markNode("==", r.from+at))
			}
		case c == ',' || c == '=' || strings.IndexByte("+-*/%<>!", c) >= 0 || strings.HasPrefix(rest, "??") || strings.HasPrefix(rest, ".."):
			size := 1
			if len(rest) > 1 && rest[1] == '=' || strings.HasPrefix(rest, "??") || strings.HasPrefix(rest, "..") || strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--") {
				size = 2
			}
			nodes = append(nodes, r.mark(rest[:size]))
			r.at += size
			if rest[:size] == "++" || rest[:size] == "--" {
				continue
			}
			r.space(true)
			if c != '+' || size == 2 {
				from = len(nodes)
			}
			if c == '=' || size == 2 && rest[1] == '=' { // a command may follow
				return append(nodes, r.statement()...)
			}
		default:
			before := r.at
			nodes = append(nodes, r.primary()...)
			if r.at == before {
				r.at++
			}
		}
	}
}
