package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// Setting is a flag of a command line with the value that holds.
type Setting struct {
	Flag     string `json:"flag"`
	Variable string `json:"variable"`
	Value    string `json:"value"` // secrets are masked
	From     string `json:"from"`  // the flag, a variable, or "default"
}

// Settings are the flags of a command that variables may set, with their values.
func Settings(parsed *kong.Context) (all []Setting) {
	given := onLine(parsed)
	for _, flag := range parsed.Selected().Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		s := Setting{Flag: "--" + flag.Name, Variable: flag.Envs[0], Value: fmt.Sprint(flag.Target.Interface()), From: "default"}
		switch {
		case given[flag.Value]:
			s.From = s.Flag
		case os.Getenv(s.Variable) != "":
			s.From = s.Variable
		case IsSecret(flag) && os.Getenv(s.Variable+fileSuffix) != "":
			s.From = s.Variable + fileSuffix
		}
		if IsSecret(flag) {
			s.Value = Masked(s.Value)
		}
		all = append(all, s)
	}
	return all
}

const mask = "********"

// Masked is a secret without what is secret of it. Of the URL of a database that is the password; the rest says which database it is.
func Masked(secret string) string {
	switch {
	case secret == "", strings.HasPrefix(secret, "sqlite:"):
		return secret
	case strings.HasPrefix(secret, "postgres://"), strings.HasPrefix(secret, "postgresql://"):
		return passwordParameter.ReplaceAllString(passwordOfURL.ReplaceAllString(secret, "://${1}:"+mask+"@"), "${1}"+mask)
	}
	return mask
}

var (
	passwordOfURL     = regexp.MustCompile(`://([^:/?@]*):.*@`) // up to the last @, for one in the password may be written as it is
	passwordParameter = regexp.MustCompile(`([?&](?:ssl)?password=)[^&]*`)
)
