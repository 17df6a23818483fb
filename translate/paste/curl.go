package paste

import (
	"net/http"
	"net/url"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
)

// This file reads the options of curl. Some describe the request, and some hold credentials. Of the others it only matters
// whether a value follows.

// pasted is a request as it was pasted. Its texts may contain marks of variables.
type pasted struct {
	method  string     // "" when the paste names none
	address string     // URL
	query   []string   // further parts of the query, encoded
	form    []string   // pieces of an encoded body
	parts   []formPart // of a multipart body
	media   string     // the Content-Type
	coding  string     // the Content-Encoding
	get     bool       // the form is sent in the query
	hasBody bool
	program bool          // it is a piece of a program
	members bool          // its form has the members of a map
	shell   command.Shell // that reads what is printed
	file    string        // the option that names a file to send
	secrets []string      // credentials, each followed by its replacement
	cleaner *strings.Replacer
	vars    *variables
	notes   []translate.Note // about this request of a program
	at      int              // where it begins in the program
	whole   bool             // it is one of a whole program

	doubtful bool // what it sends is changed by something that is not understood
}

// Short options of curl without a value, and with one.
const (
	shortFlags  = "#01234 6afgGiIjJklLMnNOpqRsSvVZB:"
	shortValues = "AbcCdDeEFHKmoPQrtTuUwxXyYzh"
)

// The words of options: the long names of the short ones that matter, long ones with a value that does not matter, and those without a value.
var shortNames, longValues, longFlags = valuesOf("curl-letters"), setOf("curl-values"), setOf("curl-flags")

// longAsked are the long options with a value that describe the request or hold credentials.
var longAsked = map[string]func(p *pasted, name, value string) error{
	"request": func(p *pasted, _, value string) error { p.method = strings.ToUpper(value); return nil },
	"url":     (*pasted).setAddress,
	"url-query": func(p *pasted, _, value string) error {
		p.query = append(p.query, urlEncoded(strings.TrimPrefix(value, "+")))
		return nil
	},
	"header": (*pasted).header,
	"user":   (*pasted).user, "proxy-user": (*pasted).user, "oauth2-bearer": (*pasted).user, "cookie": (*pasted).user,
	"data": (*pasted).data, "data-ascii": (*pasted).data, "data-binary": (*pasted).data, "json": (*pasted).data,
	"data-raw":       func(p *pasted, _, value string) error { p.addForm(value); return nil },
	"data-urlencode": (*pasted).dataEncoded,
	"form":           (*pasted).formPart, "form-string": (*pasted).formPart,
	"config": func(*pasted, string, string) error {
		return refusePaste("request", "It reads options from a file, which is not here. Put those options into the command.")
	},
	"upload-file": func(p *pasted, name, _ string) error { p.file, p.hasBody = "--"+name, true; return nil },
}

// readCurl reads the options of curl.
func (p *pasted) readCurl(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		var err error
		switch {
		case strings.HasPrefix(word, "--") && len(word) > 2:
			words, err = p.long(word[2:], words)
		case strings.HasPrefix(word, "-") && len(word) > 1:
			words, err = p.short(word[1:], words)
		default:
			err = p.setAddress("", word)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *pasted) long(name string, words []string) ([]string, error) {
	name, value, joined := strings.Cut(name, "=")
	switch asked := longAsked[name] != nil; {
	case !asked && longFlags[name]:
		return words, p.flag(name)
	case !asked && !longValues[name]:
		return nil, refusePaste("request", "One of its options is not known here. Take out what begins with -- and does not say what is asked.")
	}
	return p.valued(name, value, joined, words)
}

// short reads short options. Several may stand in one word: -sSXPOST.
func (p *pasted) short(letters string, words []string) ([]string, error) {
	for i := range len(letters) {
		name := shortNames[letters[i:i+1]]
		switch letter := letters[i]; {
		case strings.IndexByte(shortFlags, letter) >= 0:
			if err := p.flag(name); err != nil {
				return nil, err
			}
		case strings.IndexByte(shortValues, letter) >= 0:
			return p.valued(name, letters[i+1:], i+1 < len(letters), words)
		default:
			return nil, refusePaste("request", "One of its options is not known here. Take out what begins with - and does not say what is asked.")
		}
	}
	return words, nil
}

// valued reads an option with a value, which is the next word unless it is joined with the option.
func (p *pasted) valued(name, value string, joined bool, words []string) ([]string, error) {
	if !joined {
		if len(words) == 0 {
			return nil, refusePaste("request", "Its last option has no value: is the command whole?")
		}
		value, words = words[0], words[1:]
	}
	if asked := longAsked[name]; asked != nil {
		return words, asked(p, name, value)
	}
	return words, nil
}

func (p *pasted) flag(name string) error {
	switch name {
	case "get":
		p.get = true
	case "head":
		p.method = http.MethodHead
	case "next":
		return refusePaste("request", "These are several requests. Paste one at a time.")
	}
	return nil
}

func (p *pasted) setAddress(_, value string) error {
	if p.address != "" {
		return refusePaste("request", "It has more than one address. Paste one request, and put quotes around what has spaces.")
	}
	p.address = value
	return nil
}

func (p *pasted) header(_, value string) error {
	name, text, _ := strings.Cut(value, ":")
	switch text = strings.TrimSpace(text); strings.ToLower(name) {
	case "content-type":
		p.media = text
	case "content-encoding":
		p.coding = text
	case "x-http-method-override", "x-http-method", "x-method-override":
		p.vars.note(name, "This header is not read. The request has the method that it is sent with.")
	case "x-api-key":
		p.secret(text)
	case "authorization", "cookie", "proxy-authorization":
		return p.user("", text)
	}
	return nil
}

// user remembers the credentials in a value: user:password, Bearer token, the values of cookies.
func (p *pasted) user(_, value string) error {
	p.secret(value)
	for part := range strings.FieldsSeq(strings.ReplaceAll(value, ";", " ")) {
		p.secret(part)
		for _, separator := range []string{":", "="} {
			_, after, _ := strings.Cut(part, separator)
			p.secret(after)
		}
	}
	return nil
}

func (p *pasted) data(name, value string) error {
	if strings.HasPrefix(value, "@") {
		p.file, p.hasBody = "--"+name, true
		return nil
	}
	p.addForm(value)
	return nil
}

// addField adds a field of the form.
func (p *pasted) addField(name, text string) {
	p.addForm(url.QueryEscape(name) + "=" + url.QueryEscape(text))
}

func (p *pasted) addForm(texts ...string) { p.form, p.hasBody = append(p.form, texts...), true }

// dataEncoded reads content that curl itself encodes: content, =content or name=content. A file is not read.
func (p *pasted) dataEncoded(name, value string) error {
	if at, equals := strings.IndexByte(value, '@'), strings.IndexByte(value, '='); at >= 0 && (equals < 0 || at < equals) {
		p.file, p.hasBody = "--"+name, true
		return nil
	}
	p.addForm(urlEncoded(value))
	return nil
}

// urlEncoded returns name=content with the content encoded.
func urlEncoded(text string) string {
	name, content, named := strings.Cut(text, "=")
	if !named {
		return url.QueryEscape(text)
	}
	if name == "" {
		return url.QueryEscape(content)
	}
	return name + "=" + url.QueryEscape(content)
}
