package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"sellerd/v1"
)

type shippingModelsCmd struct {
	List shippingModelListCmd `cmd:"" help:"Print an account's shipping models as a file that set reads."`
	Set  shippingModelSetCmd  `cmd:"" help:"Make an account's shipping models what a file says, all of it or nothing."`
}

type shippingModelListCmd struct {
	database
	Account string `arg:"" help:"The account's id."`
	Mode    string `default:"live" enum:"live,test" placeholder:"MODE" help:"live or test (default: ${default})."`
}

// Run prints the models as JSON.
func (c *shippingModelListCmd) Run(ctx context.Context) error {
	account, err := namedAccount("the account", c.Account)
	if err != nil {
		return err
	}
	return c.withService(ctx, func(s *v1.Service) error {
		models, err := s.ListShippingModels(ctx, account, c.Mode)
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, &models)))
	})
}

type shippingModelSetCmd struct {
	database
	Account string `arg:"" help:"The account's id."`
	File    string `arg:"" placeholder:"FILE.json" complete:"file" help:"JSON array of models, as list prints it."`
	Mode    string `default:"live" enum:"live,test" placeholder:"MODE" help:"live or test (default: ${default})."`
}

// Run sets the models and prints the result for each.
func (c *shippingModelSetCmd) Run(ctx context.Context) error {
	account, err := namedAccount("the account", c.Account)
	if err != nil {
		return err
	}
	text, err := c.read()
	if err != nil {
		return err
	}
	return c.withService(ctx, func(s *v1.Service) error {
		changes, err := s.SetShippingModels(ctx, account, c.Mode, text)
		var problems v1.Errors
		if errors.As(err, &problems) {
			return c.refused(problems)
		}
		if err != nil {
			return advise(err)
		}
		return printJSON(json.RawMessage(v1.EncodeJSON(nil, changes)))
	})
}

func (c *shippingModelSetCmd) read() ([]byte, error) {
	text, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrong("there is no file %s: `sellerd shipping-models list %s --mode %s` prints one to begin with", c.File, c.Account, c.Mode)
	case errors.Is(err, syscall.EISDIR):
		return nil, wrong("%s is a folder: name a JSON file", c.File)
	}
	return text, err
}

// refused describes the mistakes of the file. No model was changed.
func (c *shippingModelSetCmd) refused(problems v1.Errors) error {
	lines := []string{c.File + " is refused, and nothing has changed:"}
	for _, problem := range problems {
		lines = append(lines, strings.TrimSpace(problem.Field+" "+problem.Message))
	}
	return errors.New(strings.Join(lines, "\n"))
}
