package command

import (
	"embed"
	"fmt"
	"os"
	"strings"
)

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
