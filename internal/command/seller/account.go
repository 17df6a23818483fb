package seller

import (
	"time"

	"sellerd/internal/apiclient"
	"sellerd/internal/command"
)

// account has the flags of commands that work on an account's items, sales and bills: where the service is, and with which key.
type account struct {
	BaseURL  string        `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string        `required:"" env:"SELLERD_KEY" secret:"" placeholder:"KEY" help:"API key, dk_live_ or dk_test_; better in the environment, since others can see a command's flags."`
	Patience time.Duration `default:"2m" placeholder:"DURATION" help:"How long to repeat a request while the service is away or asks to wait (default: ${default})."`
}

// client calls the service.
func (a *account) client(p *command.Program) (*apiclient.Client, error) {
	return newAPIClient(a.BaseURL, a.Key, a.Patience, p.Now)
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
