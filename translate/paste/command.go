package paste

import (
	_ "embed"
	"fmt"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file finds the command in a pasted command line. Each tool has a reader, which reads the words after the tool's name.

// tools are the readers of commands, by their names.
var tools = map[string]func(p *pasted, words []string) error{
	"curl": (*pasted).readCurl, "wget": (*pasted).readWget, "http": (*pasted).readHTTPie, "https": (*pasted).readHTTPie, "xh": (*pasted).readHTTPie,
	"xhs": (*pasted).readHTTPie,
}

//go:embed words.txt
var wordsText string

// valuesOf returns the words of a set with their values.
func valuesOf(set string) map[string]string {
	_, text, _ := strings.Cut(wordsText, "\n"+set+": ")
	text, _, _ = strings.Cut(strings.ReplaceAll(text, "\n ", ""), "\n")
	values := map[string]string{}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		values[name] = value
	}
	return values
}

// setOf returns the words of a set.
func setOf(set string) map[string]bool {
	words := map[string]bool{}
	for word := range valuesOf(set) {
		words[word] = true
	}
	return words
}

// The words of commands. Options of wget have the names of those of curl that say the same.
var (
	beside, before, wgetValues, httpieValues = setOf("beside"), setOf("before"), setOf("wget-values"), setOf("httpie-values")
	wgetNames                                = valuesOf("wget-names")
)

var (
	continued    = pattern.Late("([ \\t])[`^][ \\t]*(?:\\n|$)")
	ofWindows    = pattern.Late(`\^[ \t]*\n|\^["&%]|\^\\`)
	percentName  = pattern.Late(`%([G-Zg-z_][A-Za-z0-9_]*)%`)
	singleQuoted = pattern.Late(`(?:^|\s)'`)
	substitution = pattern.Late(`(?s)^\w+=\$\((.*)\)$`)
)

// commandsOf splits a text into commands, as the shell does that it was copied for.
func commandsOf(text string, vars *variables) ([]shellCommand, error) {
	text = percentName().ReplaceAllStringFunc(text, func(name string) string { return vars.mark(strings.Trim(name, "%")) })
	if found := substitution().FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	if ofWindows().MatchString(text) && !singleQuoted().MatchString(text) {
		words, err := windowsWords(text)
		return []shellCommand{{words: words}}, err
	}
	if strings.Contains(text, "curl.exe") {
		text = strings.ReplaceAll(text, "\\`\"", `\"`) // PowerShell escapes the quote for itself, and the backslash for the program
	}
	return shellCommands(continued().ReplaceAllString(text, "$1"), vars)
}

// readCommand reads a text with one command that sends a request.
func readCommand(text string, vars *variables) (*pasted, error) {
	commands, err := commandsOf(text, vars)
	if err != nil {
		return nil, refusePaste("request", "The command cannot be read: "+err.Error()+".")
	}
	p, found, input := &pasted{vars: vars}, 0, ""
	for _, command := range commands {
		words := withoutPrefix(command.words)
		if len(words) == 0 || beside[words[0]] {
			if len(words) > 1 && words[0] == "echo" {
				input = words[len(words)-1]
			}
			continue
		}
		read := tools[toolName(words[0])]
		switch {
		case read != nil:
			if found++; found > 1 {
				continue
			}
			err = read(p, words[1:])
			if isHTTPie := strings.HasPrefix(toolName(words[0]), "http") || strings.HasPrefix(toolName(words[0]), "xh"); isHTTPie && !p.hasBody && command.hasInput {
				p.file, p.hasBody = "its input", true
			}
			if command.piped && input != "" && (p.file != "" || !p.hasBody) {
				p.file = ""
				p.addForm(input)
			}
		case !command.piped:
			return nil, refusePaste("request", "There are other commands beside curl. Paste the curl command alone; nothing is run here.")
		}
	}
	switch {
	case found == 0:
		return nil, refusePaste("request", notReadable)
	case found > 1:
		return nil, refusePaste("request", fmt.Sprintf("These are %d requests. Paste one at a time.", found))
	}
	return p, err
}

// withoutPrefix returns the words of a command from its name on.
func withoutPrefix(words []string) []string {
	options := false // of a word such as sudo
	for len(words) > 0 {
		switch {
		case before[words[0]]:
			words, options = words[1:], true
		case options && (words[0] == "-u" || words[0] == "-g") && len(words) > 1: // sudo -u user
			words = words[2:]
		case assignment().MatchString(words[0]), options && strings.HasPrefix(words[0], "-"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// toolName returns the name of a program without its folder.
func toolName(word string) string {
	return strings.TrimSuffix(strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:]), ".exe")
}

// readWget reads the options of wget.
func (p *pasted) readWget(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case !strings.HasPrefix(word, "-"):
			if err := p.setAddress("", word); err != nil {
				return err
			}
			continue
		case strings.HasPrefix(word, "-i"):
			return refusePaste("request", "It reads addresses from a file, which is not here. Put the address into the command.")
		case !strings.HasPrefix(word, "--"): // a short option: -q, -O file, -qO-
			if strings.HasSuffix(word, "O") || strings.IndexAny(word, "oaPTtUeBwQl") == len(word)-1 {
				words = words[min(1, len(words)):]
			}
			continue
		case !joined && wgetValues[name] && len(words) > 0:
			value, words = words[0], words[1:]
		}
		if name == "input-file" || name == "config" {
			return refusePaste("request", "It reads a file with --"+name+", which is not here. Put what is in it into the command.")
		}
		if asked := longAsked[wgetNames[name]]; asked != nil {
			if err := asked(p, name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// httpieItem is a name and a value of HTTPie: a header, a field of the query, and fields of the form.
var httpieItem = pattern.Late(`(?s)^((?:[^:=@\\]|\\.)+?)(==|:=@|=@|:=|=|:|@)(.*)$`)

// readHTTPie reads the words of HTTPie: a method or none, an address, and items. HTTPie sends items as JSON without --form. The old
// interface takes no JSON, so they are read as its fields.
func (p *pasted) readHTTPie(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if strings.HasPrefix(word, "-") && len(word) > 1 {
			name, value, joined := strings.Cut(word, "=")
			if httpieValues[name] && !joined && len(words) > 0 {
				value, words = words[0], words[1:]
			}
			switch name {
			case "--raw":
				p.addForm(value)
			case "-a", "--auth":
				_ = p.user("", value)
			}
			continue
		}
		if err := p.httpieWord(word); err != nil {
			return err
		}
	}
	return nil
}

func (p *pasted) httpieWord(word string) error {
	item := httpieItem().FindStringSubmatch(word)
	switch {
	case p.address == "" && p.method == "" && methodForm().MatchString(word):
		p.method = strings.ToUpper(word)
		return nil
	case p.address == "":
		p.address = word
		if strings.HasPrefix(word, ":") {
			p.address = "localhost" + word
		}
		return nil
	case item == nil:
		return refusePaste("request", "One of its words is no field such as title=Postcard. Put quotes around what has spaces.")
	}
	name, value := strings.NewReplacer(`\:`, ":", `\=`, "=", `\@`, "@", `\\`, `\`).Replace(item[1]), item[3]
	switch item[2] {
	case "==":
		p.query = append(p.query, urlEncoded(name+"="+value))
	case ":":
		return p.header("", name+":"+value)
	case "=":
		p.addField(name, value)
	case ":=":
		if value != "null" { // which is not sent
			p.addField(name, strings.Trim(value, `"`))
		}
	default:
		p.file = "a file"
		return refusePaste("request", "It reads a field from a file. Put the field's value into the command.")
	}
	return nil
}
