package paste

import (
	"net/http"
	"net/url"
	"strings"

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
}

// Short options of curl without a value, and with one.
const (
	shortFlags  = "#01234 6afgGiIjJklLMnNOpqRsSvVZB:"
	shortValues = "AbcCdDeEFHKmoPQrtTuUwxXyYzh"
)

// shortNames are the long names of the short options that matter.
var shortNames = map[byte]string{
	'X': "request", 'd': "data", 'F': "form", 'H': "header", 'u': "user", 'U': "proxy-user", 'b': "cookie", 'G': "get", 'I': "head", 'T': "upload-file", 'K': "config", ':': "next",
}

// longValues are the long options with a value that do not matter.
var longValues = setOf(`abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers connect-timeout connect-to
 continue-at cookie-jar create-file-mode crlf crlfile curves delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header
 ech engine etag-compare etag-save expect100-timeout happy-eyeballs-timeout-ms haproxy-clientip hostpubsha256 hsts interface ip-tos ipfs-gateway
 keepalive-cnt keepalive-time key key-type limit-rate local-port login-options max-filesize max-redirs max-time netrc-file noproxy output
 output-dir parallel-max pass pinnedpubkey postquote preproxy proto proto-default proto-redir proxy proxy-cacert proxy-cert proxy-header proxy-key
 proxy1.0 quote random-file range rate referer request-target resolve retry retry-delay retry-max-time sasl-authzid service-name socks4 socks4a
 socks5 socks5-hostname speed-limit speed-time stderr telnet-option time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace
 trace-ascii trace-config unix-socket user-agent variable vlan-priority write-out`)

// longFlags are the long options without a value.
var longFlags = setOf(`anyauth append basic ca-native compressed compressed-ssh create-dirs digest disable disallow-username-in-url
 fail fail-early fail-with-body false-start form-escape ftp-pasv get globoff head http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3
 http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies list-only location location-trusted negotiate netrc
 netrc-optional next no-alpn no-buffer no-clobber no-keepalive no-location no-npn no-progress-meter no-sessionid ntlm parallel
 parallel-immediate path-as-is post301 post302 post303 progress-bar proxy-insecure raw remote-header-name remote-name remote-name-all
 remove-on-error retry-all-errors retry-connrefused show-error show-headers silent skip-existing ssl ssl-no-revoke ssl-reqd sslv2 sslv3
 styled-output tcp-fastopen tcp-nodelay tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose
 xattr`)

// longAsked are the long options with a value that describe the request or hold credentials.
var longAsked = map[string]func(p *pasted, name, value string) error{
	"request": func(p *pasted, _, value string) error { p.method = strings.ToUpper(value); return nil },
	"url":     (*pasted).setAddress,
	"url-query": func(p *pasted, _, value string) error {
		p.query = append(p.query, urlEncoded(strings.TrimPrefix(value, "+")))
		return nil
	},
	"header":         (*pasted).header,
	"user":           (*pasted).user,
	"proxy-user":     (*pasted).user,
	"oauth2-bearer":  (*pasted).user,
	"cookie":         (*pasted).user,
	"data":           (*pasted).data,
	"data-ascii":     (*pasted).data,
	"data-binary":    (*pasted).data,
	"data-raw":       func(p *pasted, _, value string) error { p.addForm(value); return nil },
	"data-urlencode": (*pasted).dataEncoded,
	"form":           (*pasted).formPart,
	"form-string":    (*pasted).formPart,
	"json":           (*pasted).data,
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
	asked := longAsked[name]
	switch {
	case asked == nil && longFlags[name]:
		return words, p.flag(name)
	case asked == nil && !longValues[name]:
		return nil, refusePaste("request", "One of its options is not known here. Take out what begins with -- and does not say what is asked.")
	case joined:
	case len(words) == 0:
		return nil, refusePaste("request", "Its last option has no value: is the command whole?")
	default:
		value, words = words[0], words[1:]
	}
	if asked != nil {
		return words, asked(p, name, value)
	}
	return words, nil
}

// short reads short options. Several may stand in one word: -sSXPOST.
func (p *pasted) short(letters string, words []string) ([]string, error) {
	for i := range len(letters) {
		letter := letters[i]
		name := shortNames[letter]
		switch {
		case strings.IndexByte(shortFlags, letter) >= 0:
			if err := p.flag(name); err != nil {
				return nil, err
			}
			continue
		case strings.IndexByte(shortValues, letter) < 0:
			return nil, refusePaste("request", "One of its options is not known here. Take out what begins with - and does not say what is asked.")
		}
		value := letters[i+1:]
		if value == "" {
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
