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
	"strconv"
	"strings"

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

	ended map[string]string // the status of each key that is not active any more, by its mode
}

// Ready makes the seller unless it exists, and prints how to begin.
func (d Seller) Ready(ctx context.Context) error {
	keys, err := d.load(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		keys, err = d.introduce(ctx)
	}
	if err == nil {
		keys, err = d.renew(ctx, keys)
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
	keys.ended = map[string]string{}
	for mode, key := range map[string]string{"live": keys.Live, "test": keys.Test} {
		switch status, err := d.statusOf(ctx, keys.Account, key); {
		case err != nil:
			return keys, err
		case status == "":
			return keys, fmt.Errorf("the %s key in %s is not of this database: move the file away, and start again, which makes new keys", mode, d.KeyFile)
		case status != "active":
			keys.ended[mode] = status
		}
	}
	return keys, nil
}

// statusOf says whether a key is active, revoked or expired. It is empty for a key that the database does not know.
func (d Seller) statusOf(ctx context.Context, account, key string) (string, error) {
	_, err := d.Service.Authenticate(ctx, key)
	var refused v1.Errors
	if !errors.As(err, &refused) || refused[0].Code != v1.InvalidAPIKey {
		return "active", err
	}
	id, err := strconv.ParseInt(account, 10, 64)
	if err != nil {
		return "", nil //nolint:nilerr // no account has this id
	}
	known, err := d.Service.ListKeys(ctx, id)
	if errors.Is(err, v1.ErrNoAccount) {
		return "", nil
	}
	for _, info := range known {
		if strings.HasPrefix(key, info.Prefix+"_") {
			return info.Status, err
		}
	}
	return "", err
}

// renew makes a key in place of each that has ended.
func (d Seller) renew(ctx context.Context, keys demoKeys) (demoKeys, error) {
	for mode, key := range map[string]*string{"live": &keys.Live, "test": &keys.Test} {
		status := keys.ended[mode]
		if status == "" {
			continue
		}
		account, err := strconv.ParseInt(keys.Account, 10, 64)
		if err == nil {
			*key, _, err = d.Service.CreateKey(ctx, v1.NewKey{Account: account, Mode: mode, Name: "demo"})
		}
		if err == nil {
			err = d.save(keys)
		}
		if err != nil {
			return keys, fmt.Errorf("the %s key in %s is %s, and no new one was made: %w", mode, d.KeyFile, status, err)
		}
		fmt.Fprintf(d.Out, "\n  The %s key was %s. A new one is in %s.\n", mode, status, d.KeyFile)
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
