package command

import "strings"

// Detail is what --help says of a command beyond its flags: a text and examples, of which each may be empty. An example is a line. They are
// written for sellerd, and may begin with an empty line. Lines of the text that are indented stay as they are.
type Detail [2]string

// Details are those of commands by their names, such as accounts create.
type Details map[string]Detail

// String is the detail as one text.
func (d Detail) String() string {
	text, examples := strings.TrimSpace(d[0]), strings.TrimSpace(d[1])
	if examples == "" {
		return text
	}
	title := "Example:"
	if strings.Contains(examples, "\n") {
		title = "Examples:"
	}
	return strings.TrimSpace(text + "\n\n" + title + "\n\n    " + strings.ReplaceAll(examples, "\n", "\n    "))
}

// ownDetails are those of the commands that every program has.
var ownDetails = Details{
	"completion": {`It completes commands, flags, their values and files. In the shell's start-up file:

    source <(sellerd completion bash)     ~/.bashrc
    source <(sellerd completion zsh)      ~/.zshrc, after compinit
    sellerd completion fish | source      ~/.config/fish/config.fish

Or for all users of a machine:

    sellerd completion bash > /usr/share/bash-completion/completions/sellerd
    sellerd completion zsh > /usr/local/share/zsh/site-functions/_sellerd
    sellerd completion fish > /usr/share/fish/vendor_completions.d/sellerd.fish`},
	"version": {"", "sellerd version"},
}
