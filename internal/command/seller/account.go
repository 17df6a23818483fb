package seller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"sellerd/internal/apiclient"
	"sellerd/internal/command"
)

// account has the flags of commands that work on an account's items, sales and bills: where the service is, and with which key.
type account struct {
	BaseURL  string        `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string        `env:"SELLERD_KEY" secret:"" placeholder:"KEY" help:"API key, dk_live_ or dk_test_; better in the environment, since others can see a command's flags. Without it, a terminal is asked for one."`
	Patience time.Duration `default:"2m" placeholder:"DURATION" help:"How long to repeat a request while the service is away or asks to wait (default: ${default})."`
}

// client calls the service. Without a key in the flags or the environment it asks for one, if somebody is there.
func (a *account) client(ctx context.Context, p *command.Program) (*apiclient.Client, error) {
	key := a.Key
	if key == "" {
		var err error
		if key, err = askForKey(ctx); err != nil {
			return nil, err
		}
	}
	return newAPIClient(a.BaseURL, key, a.Patience, p.Now)
}

// askForKey has a key typed or pasted into the terminal, which does not show it. It is kept nowhere.
func askForKey(ctx context.Context) (string, error) {
	before, err := term.MakeRaw(int(os.Stdin.Fd())) // and only then the prompt: what is pasted at once is hidden, too
	if err != nil {                                 // there is no terminal
		return "", command.WrongUsage("it needs an API key: set the variable SELLERD_KEY, or give --key")
	}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{os.Stdin, os.Stderr}, "")
	typed, err := command.Await(ctx, func() (string, error) {
		return screen.ReadPassword("Paste your API key, which stays hidden, and press Enter: ")
	})
	_ = term.Restore(int(os.Stdin.Fd()), before) // also after an interruption
	if err != nil {
		fmt.Fprintln(os.Stderr) // which Enter would have done
	}
	key := strings.TrimSpace(typed)
	switch {
	case errors.Is(err, io.EOF), err == nil && key == "": // by Ctrl-C or Ctrl-D, and by Enter alone
		return "", errors.New("no key was given: nothing was done")
	case err != nil:
		return "", fmt.Errorf("read the key: %w", err)
	}
	return key, nil
}

// newAPIClient makes the client of a command, from its flags.
func newAPIClient(base, key string, patience time.Duration, now func() time.Time) (*apiclient.Client, error) {
	if err := command.CheckBaseURL("--base-url", base); err != nil {
		return nil, err
	}
	client, err := apiclient.New(base, key, patience, now)
	if err != nil {
		return nil, command.WrongUsage(err.Error()) // about the key or the address
	}
	return client, nil
}
