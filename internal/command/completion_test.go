package command

import (
	"strings"
	"testing"
)

func TestTheScriptsCompleteTheProgramWhateverItsName(t *testing.T) {
	for shell, want := range map[string]string{
		"bash": "\ncomplete -F _shop shop\n", "zsh": "#compdef shop\n", "fish": "\ncomplete -c shop -f -a '(__shop_candidates)'\n",
	} {
		script, err := (&Program{Name: "shop"}).completionScript(shell)
		if err != nil || !strings.Contains(script, want) || strings.Contains(script, "sellerd") {
			t.Errorf("%s: want a script with %q, got %v\n%s", shell, want, err, script)
		}
	}
}
