package paste

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"sellerd/translate"
	"sellerd/v1"
)

// This file recognises what was pasted: a command, or an address.

// notReadable is the error for a text that is no request.
const notReadable = "This is no curl command, no URL, no method and URL, and no record of one request. Paste one, such as: curl -X DELETE " + translate.OldHost + "/item/4711 -d reason=TestItem"

var (
	hasCurl    = regexp.MustCompile(`(?:^|[\s;|&(])(?:\S*[/\\])?curl(?:\.exe)?(?:[\s^]|$)`)
	prompt     = regexp.MustCompile(`^(?:[$%>]\s+)+`)
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	named      = regexp.MustCompile(`\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
	methodForm = regexp.MustCompile(`^(?i:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$`)
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
	text := prompt.ReplaceAllString(strings.TrimSpace(in.Request), "")
	if text == "" {
		return nil, refuseWith(v1.MissingField, "request", "Paste a request of the old interface: a curl command, a URL, a method and a URL, or a record of a request.")
	}
	p, err := readRequest(text, newVariables(in.Request+in.Body))
	if err != nil {
		return nil, err
	}
	switch {
	case p.vars.beyond:
		return nil, refusePaste("request", fmt.Sprintf("It has more than %d variables.", maxVariables))
	case p.file != "" && in.Body == "":
		return nil, refusePaste("body", "The command sends a file with "+p.file+", which is not here. Paste what is in it as the body.")
	}
	p.hasBody = p.hasBody || in.Body != ""
	return p, nil
}

// readRequest reads a command, a record or an address.
func readRequest(text string, vars *variables) (*pasted, error) {
	if p, err := readRecord(text, vars); p != nil || err != nil {
		return p, err
	}
	if hasCurl.MatchString(text) {
		words, err := curlWords(text, vars)
		if err != nil {
			return nil, err
		}
		p, err := readCurl(words, vars)
		if err == nil && p.address == "" {
			err = refusePaste("request", "The command has no address.")
		}
		return p, err
	}
	p := &pasted{vars: vars}
	words := strings.Fields(text)
	if methodForm.MatchString(words[0]) {
		p.method, words = strings.ToUpper(words[0]), words[1:]
	}
	if len(words) == 2 && strings.HasPrefix(words[1], "HTTP/") {
		words = words[:1]
	}
	if len(words) != 1 || strings.HasPrefix(words[0], "<") {
		return nil, refusePaste("request", notReadable)
	}
	p.address = named.ReplaceAllStringFunc(strings.Trim(words[0], `'"`), func(name string) string { return vars.mark(strings.Trim(name, "${}")) })
	return p, nil
}

// curlWords returns the words after the word curl, in a text with one such command.
func curlWords(text string, vars *variables) ([]string, error) {
	var commands []shellCommand
	var err error
	if ofWindows.MatchString(text) {
		var words []string
		words, err = windowsWords(text)
		commands = []shellCommand{{words: words}}
	} else {
		commands, err = shellCommands(text, vars)
	}
	if err != nil {
		return nil, refusePaste("request", "The command cannot be read: "+err.Error()+".")
	}
	var found [][]string
	for _, command := range commands {
		words := command.words
		for len(words) > 0 && (assignment.MatchString(words[0]) || words[0] == "export") {
			words = words[1:]
		}
		switch {
		case len(words) == 0:
		case isCurl(words[0]):
			found = append(found, words[1:])
		case !command.piped:
			return nil, refusePaste("request", "There are other commands beside curl. Paste the curl command alone; nothing is run here.")
		}
	}
	switch len(found) {
	case 0:
		return nil, refusePaste("request", notReadable)
	case 1:
		return found[0], nil
	default:
		return nil, refusePaste("request", fmt.Sprintf("These are %d requests. Paste one at a time.", len(found)))
	}
}

func isCurl(word string) bool {
	word = word[strings.LastIndexAny(word, `/\`)+1:]
	return word == "curl" || word == "curl.exe"
}

// checkText rejects a text that is not UTF-8 or contains U+0000.
func checkText(field, text string) error {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return refusePaste(field, "must be text in UTF-8, without the character U+0000")
	}
	return nil
}
