package paste

import (
	"regexp"
	"strings"
	"unicode"
)

// This file keeps credentials out of everything that is said of a paste. Those that stand where credentials belong are
// dropped; what looks like one is taken out wherever else it stands.

// minSecret is from how many characters on a credential is looked for elsewhere too.
const minSecret = 8

// removed stands in the place of a credential.
const removed = "[removed]"

var (
	keyForm   = regexp.MustCompile(`dk_(?:live|test)_[A-Za-z0-9_-]*`)
	afterTerm = regexp.MustCompile(`(?i)(?:token|api[_-]?key)\W+\S{8,}`) // a credential that was encoded together with its name
	longWord  = regexp.MustCompile(`[A-Za-z0-9_-]{33,}`)                 // old keys and tokens, where names of fields are expected
)

// secret notes a credential, so that it can be kept out of everything that is said.
func (p *pasted) secret(text string) {
	if len(text) >= minSecret {
		p.secrets, p.cleaner = append(p.secrets, text, removed), nil
	}
}

// withoutSecrets is a text without keys, and without this request's credentials.
func (p *pasted) withoutSecrets(text string) string {
	if p.cleaner == nil {
		p.cleaner = strings.NewReplacer(p.secrets...)
	}
	return keyForm.ReplaceAllString(p.cleaner.Replace(text), removed)
}

// nameWithoutSecrets is the name of a field, in whose place a key may stand that was pasted without its name.
func (p *pasted) nameWithoutSecrets(name string) string {
	return longWord.ReplaceAllString(afterTerm.ReplaceAllString(p.withoutSecrets(name), removed), removed)
}

// shown is the name of a field as it may be shown: with its variables, without keys and without what is no character.
func (p *pasted) shown(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, p.vars.restore(p.nameWithoutSecrets(strings.ToValidUTF8(name, "\ufffd"))))
}
