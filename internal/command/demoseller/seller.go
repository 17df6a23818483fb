package demoseller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"sellerd/internal/command"
	"sellerd/v1"
)

// Seller is the seller of `serve --demo`. It is made once. Its keys are kept in a file beside the database, because the
// database has only their hashes.
type Seller struct {
	Service     *v1.Service
	Config      v1.Config // what the service is made of
	BaseURL     string
	OperatorURL string
	KeyFile     string
	Images      bool // whether the service may fetch its own demo images
	Out         io.Writer

	Progress *command.Progress // nil shows nothing
}

// demoNickname is the nickname of the demo's seller.
const demoNickname = "demo-seller"

type demoKeys struct {
	Account string `json:"account"`
	Live    string `json:"live"`
	Test    string `json:"test"`
	// Unfinished is set from the creation of the keys to that of their data: the next start continues where an earlier one
	// was stopped.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Ready makes the seller unless it exists, and prints how to begin.
func (d Seller) Ready(ctx context.Context) error {
	keys, err := d.load(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		keys, err = d.introduce(ctx)
	}
	if err == nil && keys.Unfinished {
		keys, err = d.seed(ctx, keys)
	}
	if err != nil {
		return err
	}
	return d.welcome(keys)
}

func (d Seller) load(ctx context.Context) (demoKeys, error) {
	var keys demoKeys
	text, err := os.ReadFile(d.KeyFile)
	if err != nil {
		return keys, err
	}
	if err := json.Unmarshal(text, &keys); err != nil {
		return keys, fmt.Errorf("%s: %w", d.KeyFile, err)
	}
	if _, err := d.Service.Authenticate(ctx, keys.Test); err != nil {
		return keys, fmt.Errorf("the keys in %s do not belong to this database: delete the file or the database", d.KeyFile)
	}
	return keys, nil
}

// introduce makes the account and its keys.
func (d Seller) introduce(ctx context.Context) (demoKeys, error) {
	account, err := d.Service.CreateAccount(ctx, v1.NewAccount{Nickname: demoNickname, Email: "demo@example.com", Country: "BE", StoreName: "Demo stamps"})
	if errors.Is(err, v1.ErrNicknameTaken) { // an earlier start made it and was stopped before it stored the keys
		account, err = d.Service.FindAccount(ctx, demoNickname)
	}
	if err != nil {
		return demoKeys{}, err
	}
	keys := demoKeys{Account: account.ID.String(), Unfinished: true}
	for mode, key := range map[string]*string{"live": &keys.Live, "test": &keys.Test} {
		if *key, _, err = d.Service.CreateKey(ctx, v1.NewKey{Account: int64(account.ID), Mode: mode, Name: "demo"}); err != nil {
			return demoKeys{}, err
		}
	}
	return keys, d.save(keys)
}

// seed gives the account its data in both modes.
func (d Seller) seed(ctx context.Context, keys demoKeys) (demoKeys, error) {
	for _, of := range []struct{ mode, key string }{{"live", keys.Live}, {"test", keys.Test}} {
		var refused v1.Errors
		switch err := d.create(ctx, of.mode, of.key); {
		case errors.Is(err, errDemoLater):
			fmt.Fprintf(d.Out, "\n  The demo's %s data is made at the next start: %v.\n", of.mode, err)
			return keys, nil
		case errors.As(err, &refused): // by a limit, or weeks after a start was stopped half-way: the existing data is enough
			fmt.Fprintf(d.Out, "\n  The demo's %s data is incomplete: %v\n", of.mode, err)
		case err != nil:
			return keys, fmt.Errorf("%s data: %w", of.mode, err)
		}
	}
	keys.Unfinished = false
	return keys, d.save(keys)
}

// save stores the keys.
func (d Seller) save(keys demoKeys) error {
	text, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.KeyFile), 0o700); err != nil {
		return err
	}
	return command.ReplaceFile(d.KeyFile, append(text, '\n'))
}
