package paste

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/v1"
)

// This file recognises what was pasted: a command, a piece of a program, a record, or an address.

// notReadable is the error for a text that is no request.
const notReadable = "No request of /rest can be read here. Paste one: a command, an address, a piece of a program or a record of a request, such as: curl -X DELETE " +
	translate.OldHost + "/item/4711 -d reason=TestItem"

var (
	ofCommand    = pattern.Late(`(?:^|[\s;|&(])(?:\S*[/\\])?(?:curl|wget)(?:\.exe)?(?:[\s^]|$)|(?m)(?:^|[;|&][ \t]*)(?:\w+=\S+[ \t]+|(?:sudo|time|env)[ \t]+)*(?:https?|xhs?)[ \t]`)
	ofPowerShell = pattern.Late(`(?i)\b(?:invoke-(?:webrequest|restmethod)|iwr|irm)[ \t]|^(?:curl|wget)[ \t](?:[^\n]*[ \t])?-(?:uri|method|body)[ \t]`)
	ofScript     = pattern.Late(`\bcurl_(?:setopt|init)|\bfetch\s*\(|\baxios\b|\bRequest\s*\(|\bXMLHttpRequest\b|\bwp_remote_\w+\s*\(|` +
		`\b(?:file_get_contents|simplexml_load_file|readfile|fopen|urlopen)\s*\(|(?:[\w$)]\s*\.|->|::)(?:get|post|put|delete|patch|head|request|ajax)\s*\(`)
	// otherLanguage are clients of languages that are not read: their names for what is sent would be taken for variables.
	otherLanguage = pattern.Late(`\b(?:Net::HTTP|RestRequest|HttpRequestMessage|HttpClient|OkHttpClient|RestTemplate|` +
		`LWP::UserAgent|Faraday|http\.NewRequest)\b`)
	assignment = pattern.Late(`^[A-Za-z_][A-Za-z0-9_]*=`)
	named      = pattern.Late(`\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
	inline     = pattern.Late(`^(?:python[\d.]*|py|node|php)\s+-[cer]\s`)
	// ofFolder is a program with its folder, which may have blanks.
	ofFolder   = pattern.Late(`(?i)(?:"[a-z]:\\[^"\n]*\\(curl|wget)(?:\.exe)?"|\b[a-z]:\\\S*\\(curl|wget)(?:\.exe)?)([ \t])`)
	methodForm = pattern.Late(`^(?i:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$`)
)

// read reads a paste without its fields.
func read(in Input) (*pasted, error) {
	if len(in.Request)+len(in.Body) > MaxBytes {
		return nil, refuseWith(v1.PayloadTooLarge, "", fmt.Sprintf("The request and its body have more than %d KiB together.", MaxBytes>>10))
	}
	for _, part := range [][2]string{{"request", in.Request}, {"body", in.Body}} {
		if err := checkText(part[0], part[1]); err != nil {
			return nil, err
		}
	}
	text := tidy(in.Request)
	if text == "" {
		return nil, refuseWith(v1.MissingField, "request", "Paste a request of the old interface: a curl command, a URL, a method and a URL, or a record of a request.")
	}
	p, err := readRequest(text, newVariables(in.Request+in.Body))
	if err != nil {
		return nil, err
	}
	if p.file != "" && in.Body == "" {
		return nil, refusePaste("body", "The command sends a file with "+p.file+", which is not here. Paste what is in it as the body.")
	}
	p.hasBody = p.hasBody || in.Body != ""
	return p, nil
}

// readRequest reads a command, a piece of a program, a record or an address.
func readRequest(text string, vars *variables) (*pasted, error) {
	if p, err := readRecord(text, vars); p != nil || err != nil {
		return p, err
	}
	text = ofFolder().ReplaceAllString(text, "$1$2$3")
	if inline().MatchString(text) { // a program in the quotes of a shell
		if commands, err := shellCommands(text, vars); err == nil && len(commands[0].words) > 2 {
			text = commands[0].words[2]
		}
	}
	var p *pasted
	var err error
	switch {
	case ofPowerShell().MatchString(text):
		p, err = readScript(text, powerShell, vars)
	case ofScript().MatchString(text):
		if p, err = readScript(text, languageOf(text), vars); err != nil && otherLanguage().MatchString(text) {
			err = refusePaste("request", notReadable)
		} else if err == nil {
			p.program = true
		}
	case ofCommand().MatchString(text):
		p, err = readCommand(text, vars)
	default:
		return readAddress(text, vars)
	}
	if err == nil && p.address == "" {
		err = refusePaste("request", "The command has no address.")
	}
	return p, err
}

// readAddress reads an address, with a method before it or without.
func readAddress(text string, vars *variables) (*pasted, error) {
	p := &pasted{vars: vars}
	words := strings.Fields(text)
	if inside, ok := strings.CutPrefix(text, "<http"); ok && strings.HasSuffix(inside, ">") { // as mails and documents set addresses apart
		words = strings.Fields("http" + strings.TrimSuffix(inside, ">"))
	}
	if len(words) > 0 && methodForm().MatchString(words[0]) {
		p.method, words = strings.ToUpper(words[0]), words[1:]
	}
	if len(words) == 2 && strings.HasPrefix(words[1], "HTTP/") {
		words = words[:1]
	}
	if len(words) != 1 || strings.HasPrefix(words[0], "<") || strings.HasPrefix(words[0], `{"`) {
		return nil, refusePaste("request", notReadable)
	}
	p.address = named().ReplaceAllStringFunc(strings.Trim(words[0], `'"`), func(name string) string { return vars.mark(strings.Trim(name, "${}")) })
	return p, nil
}

// checkText rejects a text that is not UTF-8 or contains U+0000.
func checkText(field, text string) error {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return refusePaste(field, "must be text in UTF-8, without the character U+0000")
	}
	return nil
}
