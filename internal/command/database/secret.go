package database

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"sellerd/internal/command"
	"sellerd/internal/store"
	"sellerd/v1"
)

// SecretFlag is the flag of the commands that need the service's secret.
type SecretFlag struct {
	Secret string `group:"database" env:"SELLERD_SECRET" secret:"" placeholder:"BASE64" help:"32 random bytes in base64 that protect cursors and webhook secrets. Processes on one PostgreSQL must share it. Default: a file beside the SQLite file, made at the first start."`
}

// unusedSecret is the flag of commands that needed the secret in release 1.2.0. It stays so that scripts with it still
// work.
type unusedSecret struct {
	Secret string `group:"database" hidden:"" placeholder:"BASE64" help:"Is not needed any more."`
}

// HeldSecret is a secret and its origin, which may be logged.
type HeldSecret struct {
	Bytes []byte
	from  string // a flag, a variable or a file
	made  bool   // the file was made by this process

	// Remedy is the command that keeps other users from reading the file; empty if they cannot.
	Remedy string
}

// Origin is the secret's origin as the log has it.
func (h HeldSecret) Origin() string {
	if h.made {
		return h.from + MadeNow
	}
	return h.from
}

// MadeNow is added to the origin if this start made the file.
const MadeNow = ", made now"

// Given is the secret of the command line or the environment; without one it is empty.
func (f SecretFlag) Given() (HeldSecret, error) {
	if f.Secret == "" {
		return HeldSecret{}, nil
	}
	secret, err := base64.StdEncoding.DecodeString(f.Secret)
	if err != nil || len(secret) != v1.SecretLength {
		return HeldSecret{}, command.Wrong("--secret must be 32 bytes in base64: make one with `openssl rand -base64 32`")
	}
	return HeldSecret{Bytes: secret, from: command.GivenBy("--secret", "SELLERD_SECRET", f.Secret)}, nil
}

// secretFile is the name of the file that keeps a secret beside a database.
const secretFile = "sellerd.secret"

// secretPath is the file that keeps the secret of a service that is given none.
func (d URL) secretPath() string { return filepath.Join(d.Folder(), secretFile) }

// KeptSecret is the secret that is given, or that of the file beside the database; it is empty if there is neither.
func (d URL) KeptSecret(given HeldSecret) (HeldSecret, error) {
	if given.Bytes != nil {
		return given, nil
	}
	path := d.secretPath()
	secret, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return HeldSecret{}, nil
	case err != nil:
		return HeldSecret{}, fmt.Errorf("the secret in %s cannot be read: %w: it must be a file that this user may read", path, reason(err))
	case len(secret) != v1.SecretLength:
		return HeldSecret{}, fmt.Errorf("the file %s must hold the secret, 32 bytes: put it back %s", path, damagedAdvice)
	}
	held := HeldSecret{Bytes: secret, from: path}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		held.Remedy = "chmod 600 " + path
	}
	return held, nil
}

// makeSecret makes the file with a new secret. If another process was faster, its secret is used.
func (d URL) makeSecret() (HeldSecret, error) {
	path := d.secretPath()
	secret := make([]byte, v1.SecretLength)
	if _, err := rand.Read(secret); err != nil {
		return HeldSecret{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return HeldSecret{}, d.Explain(err)
	}
	if err := command.WriteOnce(path, secret); err != nil {
		return HeldSecret{}, d.Explain(err)
	}
	kept, err := d.KeptSecret(HeldSecret{})
	kept.made = bytes.Equal(kept.Bytes, secret)
	return kept, err
}

const (
	secretAdvice  = fromBackup + secretMade
	damagedAdvice = fromBackup + "move the file away, and " + secretMade // which does not overwrite what may be mended
	fromBackup    = "from the backup, or give the secret with --secret or SELLERD_SECRET; if there is none any more, "
	secretMade    = "`sellerd secret replace` makes one, and its help says what that costs"
	otherAdvice   = "the backup or another server has the right one; if that is lost or has leaked, `sellerd secret replace` goes on with this one, and " +
		"its help says what that costs"
)

// ServerSecret is the secret of a starting server. If there is none it makes one, but only for a new database.
func (d URL) ServerSecret(ctx context.Context, db *store.DB, given HeldSecret) (HeldSecret, error) {
	kept, err := d.KeptSecret(given)
	if err != nil || kept.Bytes != nil {
		return kept, err
	}
	may, err := v1.SecretMayBeMade(ctx, db)
	if err != nil {
		return HeldSecret{}, err
	}
	if !may {
		return HeldSecret{}, fmt.Errorf("this database is in use, and its secret is not here: put it back as %s %s; or, if this database was never served, "+
			"run `sellerd secret replace`", d.secretPath(), secretAdvice)
	}
	return d.makeSecret()
}

// ClaimSecret makes sure that the database belongs to the service's secret. If several servers make a secret for one
// PostgreSQL at the same time, all but one fail here; their files are removed, since they are of no use.
func ClaimSecret(ctx context.Context, service *v1.Service, secret HeldSecret) error {
	err := service.Secret.Claim(ctx)
	switch {
	case errors.Is(err, v1.ErrOtherSecret):
		if secret.made {
			err := fmt.Errorf("another server made the secret of this database at the same time: %s", otherServer)
			return errors.Join(err, os.Remove(secret.from))
		}
		return fmt.Errorf("the secret from %s is not the one that this database belongs to: %s", secret.from, otherAdvice)
	case errors.Is(err, v1.ErrUnprovenSecret):
		return fmt.Errorf("the secret from %s opens none of the webhooks in this database: %s", secret.from, otherAdvice)
	}
	return err
}

// otherServer is the advice for the server that was too late.
const otherServer = "give its secret to this one with --secret or SELLERD_SECRET"

// Secret is the command about the secret of a database.
type Secret struct {
	Replace secretReplace `cmd:"" help:"Let a database go on with another secret."`
}

type secretReplace struct {
	URL
	SecretFlag
}

// Run replaces the secret of the database and prints the consequences.
func (c *secretReplace) Run(ctx context.Context) (err error) {
	secret, err := c.Given()
	if err != nil {
		return err
	}
	logger := command.NewLogger(os.Stderr, slog.LevelWarn)
	db, config, err := c.Open(ctx, AsOnlyProcess, logger) // a running server would still use the old secret
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	secret, err = c.KeptSecret(secret)
	if err == nil && secret.Bytes == nil {
		secret, err = c.makeSecret()
	}
	if err != nil {
		return err
	}
	config.Secret, config.Actor = secret.Bytes, actor(ctx)
	service, err := v1.New(config)
	if err != nil {
		return err
	}
	replaced, err := service.ReplaceSecret(ctx)
	if errors.Is(err, v1.ErrSameSecret) {
		return fmt.Errorf("this database belongs to the secret from %s already: give another with --secret or SELLERD_SECRET, or move the file away and "+
			"another is made", secret.from)
	}
	if err != nil {
		return c.explainDisk(err)
	}
	return command.PrintJSON(json.RawMessage(v1.EncodeJSON(nil, &struct {
		From     string                 `json:"secret_from"`
		Compared bool                   `json:"compared"`
		Webhooks []v1.UnreadableWebhook `json:"webhooks"`
		Answers  int                    `json:"answers"`
	}{secret.Origin(), replaced.Compared, replaced.Webhooks, replaced.Answers})))
}
