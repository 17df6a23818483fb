package operator

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/v1"
)

// ShippingModels are the commands about the ways in which a seller charges for shipping.
type ShippingModels struct {
	List shippingModelList `cmd:"" help:"Print an account's shipping models as a file that set reads."`
	Set  shippingModelSet  `cmd:"" help:"Make an account's shipping models what a file says, all of it or nothing."`
}

type shippingModelList struct {
	database.Flags
	Account string `arg:"" help:"The account's id, nickname or e-mail address."`
	Mode    string `default:"live" enum:"live,test" placeholder:"MODE" help:"live or test (default: ${default})."`
}

// Run prints the models as JSON.
func (c *shippingModelList) Run(ctx context.Context) error {
	return printedOf(ctx, c.Flags, c.Account, func(s *v1.Service, account int64) (any, error) {
		models, err := s.ListShippingModels(ctx, account, c.Mode)
		return &models, err
	})
}

type shippingModelSet struct {
	database.Flags
	Account string `arg:"" help:"The account's id, nickname or e-mail address."`
	File    string `arg:"" placeholder:"FILE.json" complete:"file" help:"JSON array of models, as list prints it; - is the standard input."`
	Mode    string `default:"live" enum:"live,test" placeholder:"MODE" help:"live or test (default: ${default})."`
}

// Run sets the models and prints the result for each.
func (c *shippingModelSet) Run(ctx context.Context) error {
	text, err := command.Await(ctx, c.read)
	if err != nil {
		return err
	}
	return printedOf(ctx, c.Flags, c.Account, func(s *v1.Service, account int64) (any, error) {
		changes, err := s.SetShippingModels(ctx, account, c.Mode, text)
		if problems, ok := errors.AsType[v1.Errors](err); ok {
			err = c.refused(problems)
		}
		return changes, err
	})
}

func (c *shippingModelSet) read() ([]byte, error) {
	if c.File == "-" {
		text, err := io.ReadAll(os.Stdin)
		return withoutMark(text), err
	}
	text, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, command.Wrong("there is no file %s: `sellerd shipping-models list %s --mode %s` prints one to begin with", c.File, c.Account, c.Mode)
	case errors.Is(err, syscall.EISDIR):
		return nil, command.Wrong("%s is a folder: name a JSON file", c.File)
	}
	return withoutMark(text), err
}

// withoutMark takes away the byte order mark with which editors on Windows begin a file.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// source is what messages call the file.
func (c *shippingModelSet) source() string {
	if c.File == "-" {
		return "the standard input"
	}
	return c.File
}

// refused describes the mistakes of the file. No model was changed.
func (c *shippingModelSet) refused(problems v1.Errors) error {
	lines := []string{c.source() + " is refused, and nothing has changed:"}
	for _, problem := range problems {
		lines = append(lines, strings.TrimSpace(problem.Field+" "+problem.Message))
	}
	return errors.New(strings.Join(lines, "\n"))
}
