package seller

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/internal/apiclient"
	"sellerd/internal/command"
)

// Listen brings events to a developer's machine, which webhooks cannot reach. Like the import it is an ordinary client
// of the API: it has the service's address and a key, and uses HTTP.
//
//   - listen.go begins, follows the feed of events and ends.
//   - listen_forward.go reads what is new and sends it on, signed.
//   - listen_state.go stores how far it got, and takes over the state of earlier releases.
type Listen struct {
	ForwardTo string   `required:"" placeholder:"URL" help:"Where to send events, such as http://localhost:3000/hook."`
	Events    []string `default:"*" complete:"events" placeholder:"NAME" help:"Which events: names, item.* and the like, or * (default: ${default})."`
	NotKeyID  []string `placeholder:"ID" help:"Leave out what these keys cause. An id is the part of a key between its second and its third underscore."`
	Changed   []string `placeholder:"MEMBER" help:"Of item.updated, forward only events in which one of these members of the item changed, such as price."`
	BaseURL   string   `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key       string   `required:"" env:"SELLERD_KEY" secret:"" placeholder:"KEY" help:"API key, dk_test_; better in the environment, since others can see a command's flags."`
	Live      bool     `help:"Take a dk_live_ key as well, and forward real buyers' data."`
	Keep      bool     `help:"Keep the secret and the place at the end. The next start forwards the events since then, signed with the same secret."`
	State     string   `placeholder:"FILE" complete:"file" help:"Where to remember the secret and how far it got (default: a file in the user's cache folder)."`
}

// Run forwards until the context ends.
func (c *Listen) Run(ctx context.Context, p *command.Program) error {
	if err := command.CheckURL("--forward-to", c.ForwardTo, "http://localhost:3000/hook"); err != nil {
		return err
	}
	if c.Events = slices.DeleteFunc(c.Events, func(name string) bool { return name == "" }); len(c.Events) == 0 {
		return command.Wrong("--events must name an event such as item.sold, item.* or *")
	}
	client, err := newAPIClient(c.BaseURL, c.Key, startPatience, p.Now)
	if err != nil {
		return err
	}
	l := newListener(client, c, newConsole(os.Stdout))
	return l.listen(ctx)
}

const (
	startPatience = 10 * time.Second // so that a wrong address is reported soon
	// pollEvery is the time between two requests if the service did not wait for an event.
	pollEvery = time.Second
	// waitSeconds is how long the service waits for an event before it answers.
	waitSeconds = 20
	saveEvery   = time.Second
)

// listener forwards events.
type listener struct {
	client   *apiclient.Client
	flags    *Listen
	receiver *http.Client
	console  *console

	name   string // of this machine and target, as the file has it
	state  listenState
	signer *standardwebhooks.Webhook
	wait   int // how many seconds the service waits for an event

	unsaved bool
	saved   time.Time
}

func newListener(client *apiclient.Client, flags *Listen, console *console) *listener {
	host, _ := os.Hostname() // without one, all nameless machines are one
	sum := sha256.Sum256([]byte(host + "\x00" + flags.ForwardTo))
	client.Notice = console.trouble
	return &listener{
		client: client, flags: flags, console: console, name: fmt.Sprintf("%x", sum[:8]), wait: waitSeconds,
		receiver: &http.Client{
			Timeout:       receiverTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// listen begins, forwards until the context ends, and cleans up. The end of the context is not an error.
func (l *listener) listen(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	l.console.greet(l.flags.ForwardTo, l.state)
	l.client.Patience = math.MaxInt64 // laptops sleep, and networks come back
	err := l.follow(ctx)
	if ctx.Err() != nil {
		err = nil
	}
	if l.unsaved {
		err = errors.Join(err, l.save())
	}
	if l.flags.Keep {
		return err
	}
	l.console.say("The secret is forgotten. With --keep, the next start goes on from here.")
	return errors.Join(err, os.Remove(l.flags.State))
}

// save stores how far the listener got.
func (l *listener) save() error {
	l.unsaved, l.saved = false, l.client.Now()
	return l.state.save(l.flags.State)
}

// saveInTime is save at most once in saveEvery. After a crash, events that were not saved are forwarded again.
func (l *listener) saveInTime() error {
	if !l.unsaved || l.client.Now().Sub(l.saved) < saveEvery {
		return nil
	}
	return l.save()
}

// follow reads events until the context ends. The service waits for the next one; if it does not, because it is about to end,
// the listener does.
func (l *listener) follow(ctx context.Context) error {
	for {
		began := l.client.Now()
		found, err := l.poll(ctx)
		if err != nil {
			return err
		}
		if found == 0 && l.client.Now().Sub(began) < pollEvery {
			if err := l.client.Sleep(ctx, pollEvery); err != nil {
				return err
			}
		}
	}
}

// begin checks the key and the events, and finds where to go on.
func (l *listener) begin(ctx context.Context) error {
	var account struct {
		ID   string `json:"id"`
		Mode string `json:"mode"`
	}
	if err := l.call(ctx, http.MethodGet, "/v1/account", &account); err != nil {
		return err
	}
	if account.Mode != "test" && !l.flags.Live {
		return command.Wrong("this is a live key: with --live, the data of real buyers goes to %s", l.flags.ForwardTo)
	}
	if l.flags.State == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("name a file with --state: %w", err)
		}
		folder = filepath.Join(folder, "sellerd")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		l.flags.State = filepath.Join(folder, fmt.Sprintf("listen-%s-%s-%s.json", account.ID, account.Mode, l.name))
	}
	var err error
	if l.state, err = loadListenState(l.flags.State); err != nil {
		return err
	}
	var page eventPage // only to check the names of the events
	query := l.leavesOut(url.Values{"after": {"latest"}, "type": l.flags.Events})
	if err := l.call(ctx, http.MethodGet, "/v1/events?"+query.Encode(), &page); err != nil {
		return err
	}
	switch {
	case l.state.Webhook != "":
		err = l.takeOver(ctx)
	case l.state.Secret == "":
		err = l.beginNow(ctx)
	}
	if err != nil {
		return err
	}
	if l.signer, err = standardwebhooks.NewWebhook(l.state.Secret); err != nil {
		return err
	}
	return l.save()
}

// beginNow begins with a new secret at the end of the feed.
func (l *listener) beginNow(ctx context.Context) error {
	var page eventPage
	query := l.leavesOut(url.Values{"limit": {"1"}, "after": {"latest"}})
	if err := l.call(ctx, http.MethodGet, "/v1/events?"+query.Encode(), &page); err != nil {
		return err
	}
	secret := make([]byte, 24)
	rand.Read(secret)
	l.state = listenState{Secret: "whsec_" + base64.StdEncoding.EncodeToString(secret), Cursor: page.NextCursor}
	return nil
}

// leavesOut adds to the query of a page what the command leaves out. The place in the feed belongs to it.
func (l *listener) leavesOut(query url.Values) url.Values {
	for name, values := range map[string][]string{"not_key_id": l.flags.NotKeyID, "changed": l.flags.Changed} {
		if len(values) > 0 {
			query[name] = values
		}
	}
	return query
}

// refusedRequest is an answer that is not a success.
type refusedRequest struct {
	error
	code string // of the first error
}

// call sends a request and reads the answer's data.
func (l *listener) call(ctx context.Context, method, path string, out any) error {
	answer, err := l.client.Do(ctx, method, path, "listen-"+rand.Text(), nil)
	if err != nil {
		return err
	}
	if answer.Status/100 != 2 {
		return &refusedRequest{error: answer.Failure(), code: answer.Code()}
	}
	l.console.recovered()
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Data, out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
