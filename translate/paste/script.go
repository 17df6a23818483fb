package paste

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
)

// This file evaluates programs in JavaScript, Python, PHP, C# and PowerShell, as far as they are literals: texts, lists and
// maps, joined, assigned to names and handed to functions. Whatever else stands there becomes a variable of the paste. Nothing is
// run. Package source reads the tokens.

// The families of languages that are evaluated, as package source names them.
const (
	javaScript = "js"
	python     = "python"
	php        = "php"
	powerShell = "power"
	cSharp     = "c"
)

// script is a piece of a program that is evaluated.
type script struct {
	*source.File
	language string
	at       int // the token that comes next
	depth    int
	left     *int // characters that may still be read or copied, which bounds the work on a hostile paste
	vars     *variables
	known    map[string]*value
	requests []*pasted
	client   *value // whose options a request has besides its own
	err      error  // why a request cannot be translated

	// A program may have several requests. What is not understood of one is noted, and it is a request when a function gets a path of the
	// old interface.
	whole  bool
	isPath func(text string) bool
	callAt int // the token with which the call begins that is evaluated

	own      map[string]bool // functions of the program's own that got a path
	pathless []lostCall      // calls of functions without one

	blocks, branchBlocks, branchAt int // how many blocks are open, and how many were at the last condition, which is at that token
}

// These bound what is evaluated of a paste: expressions in expressions, and the characters for each of its own.
const (
	maxDepth = 40
	maxWork  = 40
)

var (
	ofPHP    = pattern.Late(`<\?php|\bcurl_\w+|\bwp_remote_|['"]\s*=>|\$\w+\s*=[^=]|->`)
	ofPython = pattern.Late(`(?m)^\s*(?:def \w+\(|import [\w.]+(?:, [\w.]+)*(?: as \w+)?[ \t]*$|from [\w.]+ import |#)|\brequests\.|\burllib|` +
		`\b(?:True|False|None)\b|[(\[{=,:+ \n][fr]["']|\bdict\(|['"]\s*%\s*\(`)
	// assigned is a name that gets a value, with a type behind it. Words and types before it are statements of their own here.
	assigned = pattern.Late(`^([A-Za-z_]\w*)(?:[ \t]*:[ \t]*(?:[A-Z]\w*|str|string|dict|any|int|object)(?:[\[<][^=\n]*[\]>])?)?` +
		`\s*([-+.*/%&^]|\|\|?|\?\?|\*\*|//)?=`)
	indexed   = pattern.Late(`^([A-Za-z_]\w*)(?:\[\s*(['"]?[^\]'"\n]*['"]?)\s*\]|(?:\.|->)(\w+))\s*([-+.|*/?&]*)=`)
	nameForm  = pattern.Late(`^(?:[A-Za-z_][\w$:]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)*|\$(?:\.\w+)+)`)
	dots      = pattern.Late(`\??\.|->|::`)
	branching = pattern.Late(`^(?:if|elif|else|elseif|switch|case|default|unless|except|catch)\b`)
	removing  = pattern.Late(`^(?:(?:del|delete)\s+|unset\s*\(\s*)\$?(\w+)[^\n;]*`)
	byMethod  = pattern.Late(`^(\w+)\.get_method\s*=\s*lambda[^:\n]*:\s*`)
)

// The words of functions and methods.
var neutral, extending, reading, harmless = setOf("neutral"), setOf("extending"), setOf("reading"), setOf("harmless")

// newScript is a piece of a program that is not evaluated yet.
func newScript(text, language string, vars *variables) *script {
	left, file := maxWork*(len(text)+100), source.Lex(language, text)
	if language == javaScript && strings.Contains(text, "<script") {
		file = source.Parse("page", text, nil)
	}
	return &script{
		File: file, language: language, at: 1, left: &left, vars: vars,
		known: map[string]*value{}, branchAt: -1, own: map[string]bool{},
	}
}

// languageOf is the language of a program that is no C#.
func languageOf(text string) string {
	switch {
	case ofPHP().MatchString(text):
		return php
	case ofPython().MatchString(text):
		return python
	}
	return javaScript
}

// readScript reads a piece of a program with one request.
func readScript(text, language string, vars *variables) (*pasted, error) {
	s := newScript(text, language, vars)
	found := s.run()
	switch {
	case s.err != nil:
		return nil, s.err
	case *s.left < 0:
		return nil, refusePaste("request", "It is too much to read. Paste the call that sends the request, and the lines that set its fields.")
	case len(found) == 0:
		return nil, refusePaste("request", notReadable)
	case len(found) > 1:
		return nil, refusePaste("request", "These are "+strconv.Itoa(len(found))+" requests. Paste one at a time.")
	}
	return found[0], nil
}

// run evaluates the text, and returns the requests that have an address.
func (s *script) run() []*pasted {
	for s.at < len(s.Tokens) {
		if at, found := s.at, len(s.requests); !s.statement() {
			s.at, s.requests = at+1, s.requests[:found]
		}
		if *s.left < 0 {
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(s.requests), func(p *pasted) bool { return p.address == "" })
}

// spend says whether there is work left for some characters.
func (s *script) spend(n int) bool {
	*s.left -= n
	return *s.left >= 0
}

// from returns where a token begins in the text: a name behind its $, a text behind its quote.
func (s *script) from(i int) int {
	if i < len(s.Tokens) {
		return int(s.Tokens[i].From)
	}
	return len(s.Text)
}

// written returns the text of the tokens from one on to the next that comes.
func (s *script) written(first int) string {
	if s.at <= first {
		return ""
	}
	return s.Text[s.from(first):s.Tokens[s.at-1].To]
}

// maxHead is how much of a statement or an entry patterns look at, in bytes.
const maxHead = 300

// rest returns the beginning of the text that comes next, "" when that is a text in quotes.
func (s *script) rest() string {
	if s.Is(s.at, source.Text) && s.Tokens[s.at].Sign != 0 {
		return ""
	}
	from := s.from(s.at)
	return s.Text[from:min(from+maxHead, len(s.Text))]
}

// match passes over the tokens that a pattern matches.
func (s *script) match(form func() *regexp.Regexp) []string {
	found := form().FindStringSubmatch(s.rest())
	if found != nil {
		s.pass(len(found[0]))
	}
	return found
}

// pass passes over so many bytes.
func (s *script) pass(n int) {
	for end := s.from(s.at) + n; s.from(s.at) < end; {
		s.at++
	}
}

// take passes over a sign.
func (s *script) take(signs string) bool {
	if s.Sign(s.at, signs) {
		s.at++
		return true
	}
	return false
}

// isVariable says whether a token is a name with a $ before it.
func (s *script) isVariable(i int) bool {
	return s.Is(i, source.Name) && s.from(i) > 0 && s.Text[s.from(i)-1] == '$'
}

// isGlued says whether a sign comes with no blank before it.
func (s *script) isGlued(sign string) bool { return s.Sign(s.at, sign) && s.Tokens[s.at].Glued }

// statement evaluates an assignment or an expression. What else a program has is passed over, token by token.
func (s *script) statement() bool {
	start := s.at
	if s.spend(1); s.take("{") {
		s.blocks++
		return true
	} else if s.take("}") {
		if s.blocks--; s.blocks <= s.branchBlocks {
			s.branchAt = -1
		}
		return true
	}
	if s.language == cSharp && s.Str(start) == "using" && s.Sign(start+1, "(") {
		s.at += 2
		return true
	}
	if !s.isVariable(start) && branching().MatchString(s.rest()) {
		s.branchAt, s.branchBlocks = start, s.blocks
	}
	if m := s.match(removing); m != nil {
		if of := s.known[s.name(m[1])]; of != nil {
			of.doubt = "the removal of a field"
		}
		return true
	}
	if m := s.match(byMethod); m != nil {
		v, ok := s.expression()
		if of := s.known[m[1]]; ok && of != nil && of.request != nil {
			s.options(of.request, &value{pairs: []pair{{"method", v}}})
		}
		return ok
	}
	if m := s.match(assigned); m != nil && s.Sign(s.at-1, "=a") {
		v, ok := s.assigned(start)
		if name := s.name(m[1]); ok && m[2] != "" && s.known[name] != nil {
			of := s.known[name]
			s.known[name] = s.joined(of, v)
			if strings.Contains("+.", m[2]) || m[2] == "|" && of.isMap && v.isMap {
				return ok
			}
			s.known[name].doubt = m[2] + "="
		} else if ok {
			s.known[name] = v
		}
		return ok
	}
	s.at = start
	if m := s.match(indexed); m != nil && s.Sign(s.at-1, "=a") {
		v, ok := s.assigned(start)
		of, key := s.known[s.name(m[1])], strings.Trim(m[2], `'"`)+m[3]
		switch {
		case !ok || of == nil:
		case of.request != nil:
			s.options(of.request, &value{pairs: []pair{{key, v}}})
		case m[4] != "" || m[2] == key && !isNumber(key): // whose name is in a variable
			of.doubt = "a field that is set in a loop or from a variable"
			if key == "" && m[4] == "" { // PHP adds to a list
				of.doubt = "[] ="
			}
		default:
			of.pairs = slices.DeleteFunc(of.pairs, func(member pair) bool { return member.name == key })
			of.add(key, v)
			of.like(&value{branch: v.branch})
		}
		return ok
	}
	s.at = start
	if !s.isCmdlet() && s.match(nameForm) != nil && !s.isGlued("(") {
		return true
	}
	s.at = start
	_, ok := s.expression()
	return ok
}

// assigned evaluates what is assigned. It is doubtful when the line goes on behind what is understood.
func (s *script) assigned(start int) (*value, bool) {
	v, ok := s.expression()
	if !ok {
		return nil, false
	}
	goesOn := s.at < len(s.Tokens) && (!s.Tokens[s.at].Fresh && !s.Sign(s.at, ";,)}]") || s.language != powerShell && s.Sign(s.at, "?|&*"))
	if conditional := s.conditional(start); goesOn || conditional {
		copied := *v
		v = &copied
		v.branch = v.branch || conditional
		if goesOn {
			v.doubt = "an expression"
		}
	}
	return v, true
}

// conditional says whether a statement stands under a condition: in its block, on its line, or further to the right.
func (s *script) conditional(start int) bool {
	if s.branchAt < 0 {
		return false
	}
	indent := func(i int) int {
		at := s.from(i)
		line := s.Text[strings.LastIndexByte(s.Text[:at], '\n')+1 : at]
		return len(line) - len(strings.TrimLeft(line, " \t"))
	}
	return s.blocks > s.branchBlocks || !strings.Contains(s.Text[s.from(s.branchAt):s.from(start)], "\n") || indent(start) > indent(s.branchAt)
}

// name returns a variable's name as it is remembered.
func (s *script) name(name string) string {
	if name = strings.TrimPrefix(name, "$"); s.language == powerShell {
		return strings.ToLower(name)
	}
	return name
}

// noWord is what names of variables do not have, and noName what stands before the name of a variable of the environment.
var (
	noWord = pattern.Late(`\W+`)
	noName = pattern.Late(`^(?:os_environ|process_env|env|_ENV|_SERVER|this|self)_`)
)

// mark returns the mark of a variable whose value is not known. Expressions that are written differently are different variables.
func (s *script) mark(name, source string) string {
	plain := func(text string) string {
		text = noName().ReplaceAllString(strings.Trim(noWord().ReplaceAllString(text, "_"), "_"), "")
		return text[:min(len(text), 40)]
	}
	if name = plain(name); name == "" {
		return s.vars.mark(outputOfCommand)
	}
	return s.vars.markOf(strings.TrimPrefix(source, "$"), name, plain(source))
}
