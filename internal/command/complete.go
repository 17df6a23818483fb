package command

import (
	"embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Complete answers the scripts of completion. The last word is the one that is being typed, empty after a space. A
// line of the answer is a candidate, a tab and what it means; the line :files asks the shell for its own files.
type Complete struct {
	Words []string `arg:"" optional:"" help:"The words after the program's name."`
}

// Run prints the candidates for the next word.
func (c *Complete) Run(p *Program) error {
	parser, err := p.Parser(io.Discard)
	if err != nil {
		return err
	}
	return printCandidates(os.Stdout, p.Candidates(parser.Model.Node, c.Words))
}

// Candidate is a possible next word with its description.
type Candidate struct{ Value, Meaning string }

// anyFile stands for all files.
var anyFile = Candidate{Value: ":files"}

func printCandidates(out io.Writer, found []Candidate) error {
	for _, c := range found {
		if _, err := fmt.Fprintf(out, "%s\t%s\n", c.Value, c.Meaning); err != nil {
			return err
		}
	}
	return nil
}

// typed is the part of a command line that is already typed.
type typed struct {
	lists     map[string][]Candidate
	command   *kong.Node
	arguments int         // of the command, before the word that is being typed
	given     []string    // names of the flags so far
	waiting   *kong.Value // the flag whose value is the next word
	onlyArgs  bool        // after --
}

// Candidates lists what may come next on a command line of the program, as its parser describes it.
func (p *Program) Candidates(program *kong.Node, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	t := typed{lists: p.Lists, command: program}
	for _, word := range words[:len(words)-1] {
		t.take(word)
	}
	word := words[len(words)-1]
	name, beginning, assigned := strings.Cut(word, "=")
	switch {
	case t.waiting != nil:
		return beginningWith(t.valuesOf(t.waiting, word), word)
	case !t.onlyArgs && assigned && strings.HasPrefix(word, "--"):
		flag := t.flag(name)
		if flag == nil || flag.IsBool() {
			return nil
		}
		values := beginningWith(t.valuesOf(flag.Value, beginning), beginning)
		for i, value := range values {
			if value != anyFile {
				values[i].Value = name + "=" + value.Value
			}
		}
		return values
	case !t.onlyArgs && strings.HasPrefix(word, "-"):
		return beginningWith(t.flags(), word)
	}
	return beginningWith(t.next(word), word)
}

// take reads a word that is complete.
func (t *typed) take(word string) {
	name, _, assigned := strings.Cut(word, "=")
	switch {
	case t.waiting != nil:
		t.waiting = nil
	case t.onlyArgs:
		t.argument(word)
	case word == "--":
		t.onlyArgs = true
	case strings.HasPrefix(word, "-"):
		t.given = append(t.given, name)
		if flag := t.flag(name); flag != nil && !assigned && !flag.IsBool() {
			t.waiting = flag.Value
		}
	default:
		t.argument(word)
	}
}

// argument reads the name of a command, or an argument of a command.
func (t *typed) argument(word string) {
	for _, child := range t.command.Children {
		if t.arguments == 0 && (child.Name == word || slices.Contains(child.Aliases, word)) {
			t.command = child
			return
		}
	}
	if t.command.DefaultCmd != nil {
		t.command = t.command.DefaultCmd
	}
	t.arguments++
}

// allowed are the flags that are allowed here: of this command, of those above it, and of the default command when none is named.
func (t *typed) allowed() (flags []*kong.Flag) {
	for node := t.command; node != nil; node = node.Parent {
		flags = append(flags, node.Flags...)
	}
	if t.command.DefaultCmd != nil {
		flags = append(flags, t.command.DefaultCmd.Flags...)
	}
	return flags
}

// flag finds a flag by what is typed, nil without one.
func (t *typed) flag(name string) *kong.Flag {
	for _, flag := range t.allowed() {
		if slices.Contains(namesOf(flag), name) {
			return flag
		}
	}
	return nil
}

// namesOf are the ways to type a flag.
func namesOf(flag *kong.Flag) []string {
	names := []string{"--" + flag.Name}
	if flag.Tag.Negatable != "" {
		names = append(names, "--no-"+flag.Name)
	}
	if flag.Short != 0 {
		names = append(names, "-"+string(flag.Short))
	}
	return names
}

// flags are the flags that may still be given.
func (t *typed) flags() []Candidate {
	var found []Candidate
	for _, flag := range t.allowed() {
		names := namesOf(flag)
		given := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(t.given, name) })
		if flag.Hidden || given && !flag.IsCumulative() {
			continue
		}
		for _, name := range names {
			if strings.HasPrefix(name, "--") {
				found = append(found, Candidate{name, firstSentence(flag.Help)})
			}
		}
	}
	return found
}

// next are the commands or values that may come next.
func (t *typed) next(word string) []Candidate {
	var found []Candidate
	command := t.command
	if t.arguments == 0 {
		for _, child := range command.Children {
			if !child.Hidden {
				found = append(found, Candidate{child.Name, firstSentence(child.Help)})
			}
		}
	}
	if command.DefaultCmd != nil {
		command = command.DefaultCmd
	}
	if t.arguments < len(command.Positional) {
		found = append(found, t.valuesOf(command.Positional[t.arguments], word)...)
	}
	return found
}

// valuesOf are the values of a flag or an argument, as far as they are known: its enum, or what its tag complete lists or names.
func (t *typed) valuesOf(value *kong.Value, word string) []Candidate {
	known := value.Tag.Get("complete")
	switch list, ok := t.lists[known]; {
	case value.Enum != "":
		return plain(value.EnumSlice())
	case known == "file":
		return []Candidate{anyFile}
	case ok:
		// Names are separated by commas: the last of them is being typed.
		before := word[:strings.LastIndex(word, ",")+1]
		found := slices.Clone(list)
		for i := range found {
			found[i].Value = before + found[i].Value
		}
		return found
	case known != "":
		return plain(strings.Split(known, ","))
	}
	return nil
}

// plain are candidates that need no explanation.
func plain(values []string) []Candidate {
	found := make([]Candidate, len(values))
	for i, value := range values {
		found[i].Value = value
	}
	return found
}

func beginningWith(found []Candidate, beginning string) []Candidate {
	return slices.DeleteFunc(found, func(c Candidate) bool { return c != anyFile && !strings.HasPrefix(c.Value, beginning) })
}

// firstSentence is the first sentence of a help text, short enough for a list.
func firstSentence(help string) string {
	sentence, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(sentence, ".")
}

// Completion prints the part of completion that is in a shell's language. The scripts are short: each asks the program
// itself (sellerd complete) for the candidates. So they do not become outdated, and the answer is tested in one place. The
// completion libraries for kong support only bash; other shells emulate it without the descriptions.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

//go:embed completion
var completionScripts embed.FS

// Run prints the script.
func (c *Completion) Run(p *Program) error {
	script, err := p.completionScript(c.Shell)
	if err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(script)
	return err
}

// completionScript is the script for a shell. The files are written for sellerd.
func (p *Program) completionScript(shell string) (string, error) {
	script, err := completionScripts.ReadFile("completion/sellerd." + shell)
	if err != nil {
		return "", fmt.Errorf("there is no script for %s: %w", shell, err)
	}
	return strings.ReplaceAll(string(script), "sellerd", p.Name), nil
}
