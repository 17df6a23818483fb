package paste

import (
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
)

// This file reads the cmdlets of PowerShell that make requests.

var (
	cmdlet        = pattern.Late(`^(?i:invoke-webrequest|invoke-restmethod|iwr|irm|curl|wget)\b`)
	parameterForm = pattern.Late(`^-([A-Za-z]+):?`)
	bareWord      = pattern.Late("^[^\\s;|`]+")
)

// parameters are the parameters of the cmdlets that describe the request. PowerShell understands every beginning of a name.
var parameters = []string{"uri", "method", "headers", "body", "form", "contenttype", "custommethod", "credential", "token"}

// isCmdlet says whether a command of PowerShell comes that sends a request.
func (s *script) isCmdlet() bool { return s.language == powerShell && cmdlet().MatchString(s.rest()) }

// cmdlet reads a command of PowerShell.
func (s *script) cmdlet() (*value, bool) {
	s.match(cmdlet)
	options := &value{isMap: true}
	for !s.cmdletEnds() {
		if s.Sign(s.at, "@") && s.Is(s.at+1, source.Name) {
			name := s.Str(s.at + 1)
			if splat := s.known[s.name(name)]; splat != nil {
				options.pairs = append(options.pairs, splat.pairs...)
				s.check(splat, 0)
			} else {
				s.keep(refusePaste("request", "Its parameters are in @"+s.vars.clean(name)+", which is not here. Paste the lines that set it as well."))
			}
			s.at += 2
			continue
		}
		name := "uri"
		if m := s.match(parameterForm); m != nil {
			name = strings.ToLower(m[1])
			if i := slices.IndexFunc(parameters, func(known string) bool { return strings.HasPrefix(known, name) }); i >= 0 {
				name = parameters[i]
			}
			if s.cmdletEnds() || parameterForm().MatchString(s.rest()) {
				continue // a switch
			}
		}
		v, ok := s.parameter()
		if !ok {
			return nil, false
		}
		options.add(name, v)
	}
	p := s.begin("")
	s.options(p, options)
	return &value{request: p}, true
}

// cmdletEnds says whether a command ends here. A line that ends with ` goes on in the next one.
func (s *script) cmdletEnds() bool {
	if s.Sign(s.at, "`") && s.at+1 < len(s.Tokens) && s.Tokens[s.at+1].Fresh {
		s.at++
		return s.Sign(s.at, ";|)}")
	}
	return s.at >= len(s.Tokens) || s.Tokens[s.at].Fresh && !s.Sign(s.at-1, "`") || s.Sign(s.at, ";|)}")
}

// parameter evaluates the value of a parameter, which may be a bare word.
func (s *script) parameter() (*value, bool) {
	if rest := s.rest(); rest == "" || s.isVariable(s.at) || strings.IndexByte("@([`", rest[0]) >= 0 {
		return s.term()
	}
	word := bareWord().FindString(s.Text[s.from(s.at):])
	s.pass(len(word))
	return &value{text: s.unescaped(word, `"`, false)}, word != ""
}
