package paste

import (
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/scan"
)

// This file keeps credentials out of every answer. Fields and headers for credentials are dropped. Texts that look like
// credentials are removed wherever else they occur.

// minSecret is the length from which on a credential is searched for in other texts.
const minSecret = 8

// removed replaces a credential.
const removed = "[removed]"

var (
	keyForm   = pattern.Late(`d?k_(?:live|test)_[A-Za-z0-9_-]*`)     // an escape that is cut short may have taken the d
	afterTerm = pattern.Late(`(?i)(?:token|api[_-]?key)\W+\S{8,}`)   // a credential that was encoded together with its name
	longWord  = pattern.Late(`[A-Za-z0-9_-]{33,}`)                   // old keys and tokens, where names of fields are expected
	ofWords   = pattern.Late(`^(?:[A-Za-z]*[0-9]{0,4}(?:[_-]|$))+$`) // what is none: a name of words
)

// secret remembers a credential, so that no answer contains it.
func (p *pasted) secret(text string) {
	if len(text) >= minSecret {
		p.secrets, p.cleaner = append(p.secrets, text, removed), nil
	}
}

// withoutSecrets removes keys and the credentials of this request from a text.
func (p *pasted) withoutSecrets(text string) string {
	if p.cleaner == nil {
		p.cleaner = strings.NewReplacer(p.secrets...)
	}
	return keyForm().ReplaceAllString(p.cleaner.Replace(text), removed)
}

// nameWithoutSecrets removes credentials from the name of a field: a key may be pasted without its name.
func (p *pasted) nameWithoutSecrets(name string) string {
	return longWord().ReplaceAllString(afterTerm().ReplaceAllString(p.withoutSecrets(name), removed), removed)
}

// shown returns the name of a field for an answer: with its variables, and without keys and invalid characters.
func (p *pasted) shown(name string) string {
	return scan.Printable(p.vars.restore(p.nameWithoutSecrets(strings.ToValidUTF8(name, "\ufffd"))))
}
