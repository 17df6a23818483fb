package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
)

// minTokenLength is the fewest characters an operator's token may have.
const minTokenLength = 16

// operatorToken is the token of the operator API, and where it came from: the given one, which was checked before, or that
// of a file beside the database, which is made at the first start.
func (c *Command) operatorToken() (token, from string, err error) {
	if c.OperatorToken != "" {
		return c.OperatorToken, command.GivenBy("--operator-token", "SELLERD_OPERATOR_TOKEN", c.OperatorToken), nil
	}
	path := c.tokenPath()
	from = path
	token, err = c.keptToken()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", "", c.Explain(err)
		}
		if err := command.WriteOnce(path, []byte(rand.Text()+"\n")); err != nil {
			return "", "", c.Explain(err)
		}
		from += database.MadeNow
		token, err = c.keptToken()
	}
	return token, from, c.Explain(err)
}

// tokenPath is the file that keeps the token of a service that is given none.
func (c *Command) tokenPath() string { return filepath.Join(c.Folder(), "operator-token") }

// keptToken is the token of that file. Without a file it fails with fs.ErrNotExist.
func (c *Command) keptToken() (token string, err error) {
	path := c.tokenPath()
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others may read the operator's token: chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token = strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) // editors on Windows begin a file with it
	return token, checkToken(token, "the operator's token in "+path)
}

// checkToken rejects a token that is easily guessed or that a header cannot carry. Its errors do not show the token.
func checkToken(token, name string) error {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(token) < minTokenLength || strings.IndexFunc(token, odd) >= 0 {
		return fmt.Errorf("%s must have at least %d characters, all of them visible ASCII", name, minTokenLength)
	}
	return nil
}
