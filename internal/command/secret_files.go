package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// This file reads secrets from files, as containers and systemd hand them to programs: a flag with the tag secret takes its value also from
// the file that its variable names with _FILE behind it, such as SELLERD_SECRET_FILE.

// fileSuffix makes the name of a variable that names a file of the name of one that holds the value.
const fileSuffix = "_FILE"

// maxSecretFile is how many bytes such a file may have. A URL, a key or a token has fewer.
const maxSecretFile = 4 << 10

// IsSecret says whether the value of a flag must not be shown.
func IsSecret(flag *kong.Flag) bool { return flag.Tag.Has("secret") }

// variablesOf are the variables of a flag, those that name a file too.
func variablesOf(flag *kong.Flag) (names []string) {
	names = append(names, flag.Envs...)
	if IsSecret(flag) {
		for _, name := range flag.Envs {
			names = append(names, name+fileSuffix)
		}
	}
	return names
}

// withFileVariable is a flag's help, which names both variables of a secret.
func withFileVariable(value *kong.Value) string {
	help := kong.DefaultHelpValueFormatter(value)
	if value.Tag.Has("secret") && len(value.Tag.Envs) > 0 {
		name := "$" + value.Tag.Envs[0]
		help = strings.Replace(help, "("+name+")", "("+name+", or "+name+fileSuffix+" for a file with it)", 1)
	}
	return help
}

// takeFiles gives the flags of a command line their values from files. A flag on the line itself has precedence, as it has over its variable.
func takeFiles(parsed *kong.Context) error {
	given := onLine(parsed)
	for _, flag := range parsed.Flags() {
		if !IsSecret(flag) || given[flag.Value] {
			continue
		}
		for _, name := range flag.Envs {
			if err := takeFile(flag, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// onLine are the flags that stand on a command line itself.
func onLine(parsed *kong.Context) map[*kong.Value]bool {
	given := map[*kong.Value]bool{}
	for _, step := range parsed.Path {
		if step.Flag != nil {
			given[step.Flag.Value] = true
		}
	}
	return given
}

// takeFile gives a flag the value from the file that a variable names, if it is set.
func takeFile(flag *kong.Flag, name string) error {
	path := os.Getenv(name + fileSuffix)
	switch {
	case path == "":
		return nil
	case os.Getenv(name) != "":
		return fmt.Errorf("%[1]s and %[1]s%[2]s are both set: leave one of them out", name, fileSuffix)
	}
	text, err := readSecretFile(path)
	if err != nil {
		return fmt.Errorf("%s%s names %s, %w", name, fileSuffix, path, err)
	}
	return flag.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text}), flag.Target)
}

// readSecretFile is the line of text in a file. Its errors, which go on after the file's name, do not show the text.
func readSecretFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", whyUnread(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	text := strings.TrimSpace(strings.TrimPrefix(string(content), "\ufeff")) // editors on Windows begin a file with it
	switch {
	case err != nil:
		return "", whyUnread(err)
	case len(content) > maxSecretFile:
		return "", fmt.Errorf("which has more than %d bytes: it must hold one line, the value", maxSecretFile)
	case text == "":
		return "", errors.New("which is empty: it must hold one line, the value")
	case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl):
		return "", errors.New("which has other bytes than one line of text: write the value into it, bytes in base64")
	}
	return text, nil
}

// whyUnread says why a file cannot be read.
func whyUnread(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("which does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("which this user may not read")
	case errors.Is(err, syscall.EISDIR):
		return errors.New("which is a folder")
	}
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		err = file.Err
	}
	return fmt.Errorf("which cannot be read: %w", err)
}

// GivenBy says which of a flag, its variable and the file that another variable names gave a value.
func GivenBy(flag, variable, value string) string {
	if os.Getenv(variable) == value {
		return variable
	}
	if text, err := readSecretFile(os.Getenv(variable + fileSuffix)); err == nil && text == value {
		return variable + fileSuffix
	}
	return flag
}
