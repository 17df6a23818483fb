package paste

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file evaluates programs in JavaScript, Python, PHP, C# and PowerShell, as far as they are literals: texts, lists and
// maps, joined, assigned to names and handed to functions. Whatever else stands there becomes a variable of the paste. Nothing is
// run.

// dialect is the language of a script.
type dialect int

const (
	javaScript dialect = iota // and Python
	php
	powerShell
	cSharp
)

// script is a piece of a program that is evaluated.
type script struct {
	dialect
	text     string
	at       int
	depth    int
	left     *int // characters that may still be passed over or copied, which bounds the work on a hostile paste
	vars     *variables
	known    map[string]*value
	requests []*pasted
	client   *value            // whose options a request has besides its own
	sources  map[string]string // of variables, by their names
	err      error             // why a request cannot be translated

	// A program may have several requests. What is not understood of one is noted, and it is a request when a function gets a path of the
	// old interface.
	whole  bool
	isPath func(text string) bool
	callAt int // where the call begins that is evaluated

	blocks, branchBlocks, branchAt int // how many blocks are open, and how many were at the last condition, which is there
}

// These bound what is evaluated of a paste: expressions in expressions, and the characters for each of its own.
const (
	maxDepth = 40
	maxWork  = 40
)

var (
	ofPHP       = pattern.Late(`<\?php|\bcurl_\w+|\bwp_remote_|['"]\s*=>|\$\w+\s*=[^=]|->`)
	blank       = pattern.Late(`^(?:\s+|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/|<\?php|<#(?s:.*?)#>)+`)
	assigned    = pattern.Late(`^(?:(?:const|let|var|my|export|final)\s+)?(\$?[A-Za-z_]\w*)(?:[ \t]*:[ \t]*(?:[A-Z]\w*|str|string|dict|any|int|object)(?:[\[<][^=\n]*[\]>])?)?\s*([-+.*/%&^]|\|\|?|\?\?|\*\*|//)?=\s*`)
	indexed     = pattern.Late(`^\$?([A-Za-z_]\w*)(?:\[\s*(['"]?[^\]'"\n]*['"]?)\s*\]|(?:\.|->)(\w+))\s*([-+.|*/?&]*)=\s*`)
	keyword     = pattern.Late(`^(?:new|await|return|yield|async|echo|print)\s+`)
	nameForm    = pattern.Late(`^(?:\$(?i:env|global|script|using):|\$)?[A-Za-z_][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)*|^\$(?:\.\w+)+`)
	memberName  = pattern.Late(`^[A-Za-z_$][\w-]*`)
	number      = pattern.Late(`^-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
	prefixed    = pattern.Late(`^(?i:[frbu]{0,2})['"]`)
	ofType      = pattern.Late(`^\[[\w.]+\](?:::[\w.]+)?`)
	character   = pattern.Late(`^\[char\]\s*(0x[0-9A-Fa-f]+|\d+)$`)
	chained     = pattern.Late(`^\??(?:\.|->)(\w+)\s*\(`)
	dots        = pattern.Late(`\??\.|->|::`)
	index       = pattern.Late(`^\[\s*['"]?(\w*)['"]?\s*\]`)
	branching   = pattern.Late(`^(?:if|elif|else|elseif|switch|case|default|unless|except|catch)\b`)
	removing    = pattern.Late(`^(?:(?:del|delete)\s+|unset\s*\(\s*)\$?(\w+)[^\n;]*`)
	byMethod    = pattern.Late(`^(\w+)\.get_method\s*=\s*lambda[^:\n]*:\s*`)
	callback    = pattern.Late(`^(?:(?:static\s+|async\s+)?(?:function\b|fn\s*\()|lambda\b|\w+\s*\([^()]*\)\s*\{)`)
	arrow       = pattern.Late(`^(?:async\s+)?(?:\([^()]*\)|\w+)\s*=>`)
	neutral     = setOf("neutral")
	extending   = setOf("extending")
	reading     = setOf("reading")
	toJSON      = pattern.Late(`^(?:\|\s*)?(?i:ConvertTo-Json)\b`)
	flagsOfJSON = pattern.Late(`^(?:[ \t]+-\w+(?:[ \t:]+\d+)?)+`)
	harmless    = setOf("harmless")
	formatted   = pattern.Late(`\{[\w:.]*\}|%[-+.\d]*[a-zA-Z%]?`)
)

// readScript reads a piece of a program with one request.
func readScript(text string, isPowerShell bool, vars *variables) (*pasted, error) {
	left := maxWork * (len(text) + 100)
	s := &script{text: text, left: &left, vars: vars, known: map[string]*value{}, sources: map[string]string{}, branchAt: -1}
	switch {
	case isPowerShell:
		s.dialect = powerShell
	case ofPHP().MatchString(text):
		s.dialect = php
	}
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
func (s *script) run() (found []*pasted) {
	for s.skip(); s.at < len(s.text); s.skip() {
		if at, found := s.at, len(s.requests); !s.statement() {
			s.at, s.requests = at, s.requests[:found]
			s.pass(max(1, len(memberName().FindString(s.rest()))))
		}
	}
	for _, p := range s.requests {
		if p.address != "" {
			found = append(found, p)
		}
	}
	return found
}

func (s *script) rest() string { return s.text[s.at:] }

// pass passes over some characters.
func (s *script) pass(n int) {
	s.at = min(s.at+n, len(s.text))
	if !s.spend(n) {
		s.at = len(s.text)
	}
}

// spend says whether there is work left for some characters.
func (s *script) spend(n int) bool {
	*s.left -= n
	return *s.left >= 0
}

// next returns the character at a distance, 0 behind the end.
func (s *script) next(distance int) byte {
	if s.at+distance < len(s.text) {
		return s.text[s.at+distance]
	}
	return 0
}

// skip passes over spaces and comments.
func (s *script) skip() { s.pass(len(blank().FindString(s.rest()))) }

// take passes over a text if it comes next.
func (s *script) take(text string) bool {
	if s.at < len(s.text) && strings.HasPrefix(s.rest(), text) {
		s.pass(len(text))
		return true
	}
	return false
}

// match passes over what a pattern matches at this place.
func (s *script) match(form func() *regexp.Regexp) []string {
	found := form().FindStringSubmatch(s.rest())
	if found != nil {
		s.pass(len(found[0]))
	}
	return found
}

// statement evaluates an assignment or an expression. What else a program has is passed over, word by word.
func (s *script) statement() bool {
	start := s.at
	if c := s.text[s.at]; strings.IndexByte("{};,)]=", c) >= 0 {
		s.blocks += strings.Count("{", string(c)) - strings.Count("}", string(c))
		if c == '}' && s.blocks <= s.branchBlocks {
			s.branchAt = -1
		}
		s.pass(1)
		return true
	}
	if branching().MatchString(s.rest()) {
		s.branchAt, s.branchBlocks = s.at, s.blocks
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
	if m := s.match(assigned); m != nil && s.next(0) != '=' && s.next(0) != '>' {
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
	if m := s.match(indexed); m != nil && s.next(0) != '=' {
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
	if m := s.match(nameForm); m != nil && s.next(0) != '(' && (s.dialect != powerShell || !cmdlet().MatchString(s.text[start:])) {
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
	rest := strings.TrimLeft(s.rest(), " \t\r")
	goesOn := rest != "" && strings.IndexByte("\n;,)}]#", rest[0]) < 0 && !strings.HasPrefix(rest, "//")
	if rest = strings.TrimSpace(rest); s.dialect != powerShell && rest != "" && strings.IndexByte("?|&*", rest[0]) >= 0 {
		goesOn = true
	}
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
func (s *script) conditional(at int) bool {
	if s.branchAt < 0 {
		return false
	}
	indent := func(at int) int {
		line := s.text[strings.LastIndexByte(s.text[:at], '\n')+1 : at]
		return len(line) - len(strings.TrimLeft(line, " \t"))
	}
	return s.blocks > s.branchBlocks || !strings.Contains(s.text[s.branchAt:at], "\n") || indent(at) > indent(s.branchAt)
}

// name returns a variable's name as it is remembered.
func (s *script) name(name string) string {
	if name = strings.TrimPrefix(name, "$"); s.dialect == powerShell {
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
	source = strings.TrimPrefix(source, "$")
	for i, first := 2, name; s.sources[name] != "" && s.sources[name] != source && i < maxVariables; i++ {
		if name = plain(source); s.sources[name] != "" && s.sources[name] != source {
			name = first + "_" + strconv.Itoa(i)
		}
	}
	s.sources[name] = source
	return s.vars.mark(name)
}
