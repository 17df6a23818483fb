package command

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// This file writes commands for the shells of sellers' machines. PowerShell has a command of its own for requests: how it hands quotation
// marks to another program depends on its version. The command prompt of Windows calls curl, which Windows has.

// Shell is a shell that reads a printed command.
type Shell string

// The shells.
const (
	Sh         Shell = "sh" // and every other shell of POSIX
	PowerShell Shell = "powershell"
	Cmd        Shell = "cmd" // as one types it at the prompt; in a batch file, % would need another one
)

// ShellOf is the shell that a person on a system has most likely: on Windows PowerShell, but the shell of Git if the program was started
// there, which sets SHELL.
func ShellOf(system string, getenv func(string) string) Shell {
	if system == "windows" && getenv("SHELL") == "" {
		return PowerShell
	}
	return Sh
}

// Word is a word of a command: texts that stay as they are, and variables of the shell between them.
type Word []Part

// Part is a text, or the name of a variable.
type Part struct {
	Text     string
	Variable bool
}

// Text is a word without variables.
func Text(text string) Word { return Word{{Text: text}} }

// Word writes a word.
func (s Shell) Word(w Word) string {
	switch s {
	case PowerShell:
		return powerShellWord(w)
	case Cmd:
		return cmdWord(w)
	}
	var b strings.Builder
	for _, part := range w {
		switch {
		case part.Variable:
			b.WriteString(`"$` + part.Text + `"`)
		case part.Text != "":
			b.WriteString(Quote(part.Text))
		}
	}
	return b.String()
}

// powerShellWord is an expression. Inside of a text, each mark that PowerShell takes for an apostrophe stands twice.
func powerShellWord(w Word) string {
	var parts []string
	for _, part := range w {
		switch {
		case part.Variable:
			parts = append(parts, "$env:"+part.Text)
		case part.Text != "":
			parts = append(parts, "'"+powerShellMarks.Replace(part.Text)+"'")
		}
	}
	switch len(parts) {
	case 0:
		return "''"
	case 1:
		return parts[0]
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

var powerShellMarks = strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛")

// cmdWord is a word for the command prompt, which takes each character after ^ for itself, and then for the program, which takes what is
// between quotation marks for one word, and \" for a mark.
func cmdWord(w Word) string {
	var b strings.Builder
	b.WriteString(`^"`)
	backslashes := 0
	for _, part := range w {
		if part.Variable {
			b.WriteString("%" + part.Text + "%")
			backslashes = 0
			continue
		}
		for _, r := range part.Text {
			switch {
			case r == '\\':
				backslashes++
				b.WriteByte('\\')
				continue
			case r == '"':
				b.WriteString(strings.Repeat(`\`, backslashes+1) + `^"`)
			case strings.ContainsRune("()%!^<>&|", r):
				b.WriteString("^" + string(r))
			default:
				b.WriteRune(r)
			}
			backslashes = 0
		}
	}
	b.WriteString(strings.Repeat(`\`, backslashes) + `^"`)
	return b.String()
}

// Header is a header of a printed request.
type Header struct {
	Name  string
	Value Word
}

// Print returns a request of /v1 as a command. The body is JSON, and none if it has no parts.
func (s Shell) Print(method string, address Word, headers []Header, body Word) string {
	switch s {
	case PowerShell:
		lines := []string{"Invoke-RestMethod -Method " + method + " -Uri " + s.Word(address)}
		fields := []string{"'X-Api-Key' = $env:KEY"}
		for _, header := range headers {
			fields = append(fields, s.Word(Text(header.Name))+" = "+s.Word(header.Value))
		}
		lines = append(lines, "-Headers @{"+strings.Join(fields, "; ")+"}")
		if len(body) > 0 {
			lines = append(lines, "-ContentType 'application/json; charset=utf-8'", "-Body "+s.Word(body))
		}
		return strings.Join(lines, " `\n  ")
	case Cmd:
		lines := []string{"curl -X " + method + " " + s.Word(address), `-H "X-Api-Key: %KEY%"`}
		for _, header := range headers {
			lines = append(lines, "-H "+s.Word(append(Text(header.Name+": "), header.Value...)))
		}
		if len(body) > 0 {
			lines = append(lines, `-H "Content-Type: application/json"`, "-d "+s.Word(oneLine(body)))
		}
		return strings.Join(lines, " ^\n  ")
	}
	var words []string
	for _, header := range headers {
		words = append(words, s.Word(joined(append(Text(header.Name+": "), header.Value...))))
	}
	return V1(method, s.Word(address), words, s.Word(body))
}

// joined puts texts that follow each other together.
func joined(w Word) (out Word) {
	for _, part := range w {
		if last := len(out) - 1; last >= 0 && !part.Variable && !out[last].Variable {
			out[last].Text += part.Text
			continue
		}
		out = append(out, part)
	}
	return out
}

// oneLine is a body of JSON on one line, in ASCII, and without the characters that the command prompt reads: it ends a command with its
// line, and hands curl the characters of the machine's code page.
func oneLine(body Word) Word {
	out := make(Word, len(body))
	for i, part := range body {
		if compact := jsontext.Value(part.Text); len(body) == 1 && compact.Compact() == nil {
			part.Text = string(compact)
		}
		var b strings.Builder
		for _, r := range strings.ReplaceAll(part.Text, "\n", " ") {
			switch {
			case r < 0x80 && !strings.ContainsRune("%!^<>&|", r):
				b.WriteRune(r)
			case r > 0xffff:
				high, low := utf16.EncodeRune(r)
				fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
			default:
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		}
		part.Text = b.String()
		out[i] = part
	}
	return out
}

// SetAct is the line that sets ACT, after a comment.
func (s Shell) SetAct() string {
	const words = "ACT: a new value for each new act; without this line the request is repeated\n"
	switch s {
	case PowerShell:
		return "# " + words + "$env:ACT = [DateTime]::UtcNow.Ticks\n"
	case Cmd:
		return "rem " + words + "set ACT=%RANDOM%%RANDOM%%RANDOM%\n"
	}
	return "# " + words + SetAct + "\n"
}

// Comment is a line that the shell skips.
func (s Shell) Comment(text string) string {
	if s == Cmd {
		return "rem " + text
	}
	return "# " + text
}
