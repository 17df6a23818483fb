package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/v1"
)

// listenCmd brings events to a developer's machine, which webhooks cannot reach. Like the import it is an ordinary client
// of the API: it has the service's address and a key, and uses HTTP.
//
//   - listen.go subscribes, follows the log of deliveries and cleans up.
//   - listen_forward.go reads what is new and sends it on, signed.
//   - listen_state.go stores which deliveries were forwarded.
//
// Its subscription is paused and its URL does not exist, so the service only records the deliveries.
type listenCmd struct {
	ForwardTo string   `required:"" placeholder:"URL" help:"Where to send events, such as http://localhost:3000/hook."`
	Events    []string `default:"*" complete:"events" placeholder:"NAME" help:"Which events: names, item.* and the like, or * (default: ${default})."`
	BaseURL   string   `default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key       string   `required:"" env:"SELLERD_KEY" placeholder:"KEY" help:"API key, dk_test_; better in the environment, since others can see a command's flags."`
	Live      bool     `help:"Take a dk_live_ key as well, and forward real buyers' data."`
	Keep      bool     `help:"Keep the subscription at the end. The next start forwards the events since then, signed with the same secret."`
	State     string   `placeholder:"FILE" complete:"file" help:"Where to remember the subscription, its secret and how far it got (default: a file in the user's cache folder)."`
}

// Help is what `sellerd listen --help` says beyond the flags.
func (listenCmd) Help() string {
	return `It subscribes, prints the secret that signs, and forwards each event as a webhook would: the same bytes, signed anew. Events
come in order; while nothing answers, or with 429, 502, 503 or 504, it repeats the first of them and holds the rest. Any
other answer is final, as the line shows; POST /v1/webhook-deliveries/{id}/redeliver forwards an event again, and POST
/v1/webhooks/{id}/test makes one up. Ctrl-C ends it and deletes the subscription.

Examples:

    SELLERD_KEY=dk_test_… sellerd listen --forward-to http://localhost:3000/hook
    SELLERD_KEY=dk_test_… sellerd listen --forward-to http://localhost:3000/hook --events item.sold`
}

// Run forwards until the context ends.
func (c *listenCmd) Run(ctx context.Context) error {
	if err := checkURL("--forward-to", c.ForwardTo, "http://localhost:3000/hook"); err != nil {
		return err
	}
	clock := v1.SystemClock{}
	client, err := newAPIClient(c.BaseURL, c.Key, startPatience, clock.Now)
	if err != nil {
		return err
	}
	l := newListener(client, c, newConsole(os.Stdout))
	return l.listen(ctx)
}

const (
	startPatience = 10 * time.Second // so that a wrong address is reported soon
	leavePatience = 5 * time.Second
	leaveAtMost   = 10 * time.Second
	// pollEvery is the time between two polls: they use a third of the account's requests.
	pollEvery = time.Second
	// checkEvery is after how many polls the subscription is checked.
	checkEvery = 30
	saveEvery  = time.Second
	// nowhere is the URL of listeners' subscriptions: a host name that is reserved never to exist.
	nowhere = "https://listen.invalid/"
)

// listener forwards one subscription's events.
type listener struct {
	client   *apiClient
	command  *listenCmd
	receiver *http.Client
	console  *console

	name   string // of this machine and target, as the subscription's URL has it
	state  listenState
	signer *standardwebhooks.Webhook

	served time.Time // the service's clock in its last answer
	looked time.Time // when the last poll began, by this machine's clock

	unsaved bool
	saved   time.Time
}

func newListener(client *apiClient, command *listenCmd, console *console) *listener {
	host, _ := os.Hostname() // without one, all nameless machines are one
	sum := sha256.Sum256([]byte(host + "\x00" + command.ForwardTo))
	client.notice = console.trouble
	return &listener{
		client: client, command: command, console: console, name: fmt.Sprintf("%x", sum[:8]),
		receiver: &http.Client{
			Timeout:       receiverTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// listen subscribes, forwards until the context ends, and cleans up. The end of the context is not an error.
func (l *listener) listen(ctx context.Context) error {
	if err := l.subscribe(ctx); err != nil {
		return err
	}
	l.console.greet(l.command.ForwardTo, l.state)
	l.client.patience = math.MaxInt64 // laptops sleep, and networks come back
	err := l.follow(ctx)
	if ctx.Err() != nil {
		err = nil
	}
	if l.unsaved {
		err = errors.Join(err, l.save())
	}
	if l.command.Keep {
		return err
	}
	return errors.Join(err, l.leave(context.WithoutCancel(ctx)))
}

// save stores which deliveries were forwarded.
func (l *listener) save() error {
	l.unsaved, l.saved = false, l.client.now()
	return l.state.save(l.command.State)
}

// saveInTime is save at most once in saveEvery. After a crash, deliveries that were not saved are forwarded again.
func (l *listener) saveInTime() error {
	if !l.unsaved || l.client.now().Sub(l.saved) < saveEvery {
		return nil
	}
	return l.save()
}

// follow polls for events until the context ends.
func (l *listener) follow(ctx context.Context) error {
	for looks := 1; ; looks++ {
		if err := l.poll(ctx); err != nil {
			return err
		}
		if looks%checkEvery == 0 {
			found, err := l.find(ctx)
			if err != nil {
				return err
			}
			if found.ID != l.state.Webhook {
				return fmt.Errorf("the subscription %s is gone: another listener or another program deleted it", l.state.Webhook)
			}
		}
		if err := l.client.sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// subscription holds the members of a webhook that the listener uses.
type subscription struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	Status    string    `json:"status"`
	Secret    string    `json:"secret"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

type subscriptionPage struct {
	Results []subscription `json:"results"`
}

// subscribe finds this machine's subscription for the target or makes it.
func (l *listener) subscribe(ctx context.Context) error {
	var account struct {
		ID   string `json:"id"`
		Mode string `json:"mode"`
	}
	if err := l.call(ctx, http.MethodGet, "/v1/account", nil, &account); err != nil {
		return err
	}
	if account.Mode != "test" && !l.command.Live {
		return errors.New("this is a live key: with --live, the data of real buyers goes to " + l.command.ForwardTo)
	}
	if l.command.State == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("name a file with --state: %w", err)
		}
		l.command.State = filepath.Join(folder, "sellerd", fmt.Sprintf("listen-%s-%s-%s.json", account.ID, account.Mode, l.name))
	}
	state, err := loadListenState(l.command.State)
	if err != nil {
		return err
	}
	found, err := l.find(ctx)
	switch {
	case err != nil:
		return err
	case found.ID == "":
		state, err = l.create(ctx)
	default:
		state, err = l.take(ctx, found, state)
	}
	if err != nil {
		return err
	}
	l.state = state
	if l.signer, err = standardwebhooks.NewWebhook(state.Secret); err != nil {
		return err
	}
	return l.save()
}

// find looks for this machine's subscription for the target. Without one, its ID is empty.
func (l *listener) find(ctx context.Context) (subscription, error) {
	var page subscriptionPage
	if err := l.call(ctx, http.MethodGet, "/v1/webhooks", nil, &page); err != nil {
		return subscription{}, err
	}
	for _, s := range page.Results {
		if s.URL == nowhere+l.name {
			return s, nil
		}
	}
	return subscription{}, nil
}

func (l *listener) create(ctx context.Context) (listenState, error) {
	var made subscription
	err := l.call(ctx, http.MethodPost, "/v1/webhooks", map[string]any{
		"url": nowhere + l.name, "events": l.command.Events, "status": "paused",
		"description": "sellerd listen: events are forwarded to a developer's machine.",
	}, &made)
	var refused *refusal
	if errors.As(err, &refused) && refused.code == "webhook_limit_reached" {
		return listenState{}, fmt.Errorf("%w\nA listener needs a subscription of its own: delete one that is not used any more (DELETE /v1/webhooks/{id})", err)
	}
	return listenState{Webhook: made.ID, Secret: made.Secret, Through: made.CreatedAt}, err
}

// take continues with a subscription that an earlier listener left, on purpose or in a crash. If the stored state is lost,
// so is the secret: then take rotates the secret, and earlier events are not forwarded.
func (l *listener) take(ctx context.Context, found subscription, state listenState) (listenState, error) {
	changes := map[string]any{}
	if state.Webhook != found.ID || state.Secret == "" {
		changes["rotate_secret"] = true
	}
	if !slices.Equal(found.Events, l.command.Events) {
		changes["events"] = l.command.Events
	}
	if found.Status != "paused" {
		changes["status"] = "paused"
	}
	if len(changes) == 0 {
		return state, nil
	}
	var changed subscription
	if err := l.call(ctx, http.MethodPatch, "/v1/webhooks/"+found.ID, changes, &changed); err != nil {
		return state, err
	}
	if changed.Secret != "" {
		state = listenState{Webhook: found.ID, Secret: changed.Secret, Through: changed.UpdatedAt}
	}
	return state, nil
}

// leave deletes the subscription and the stored state.
func (l *listener) leave(ctx context.Context) error {
	l.client.patience = leavePatience
	ctx, cancel := context.WithTimeout(ctx, leaveAtMost)
	defer cancel()
	err := l.call(ctx, http.MethodDelete, "/v1/webhooks/"+l.state.Webhook, nil, nil)
	var refused *refusal
	if errors.As(err, &refused) && refused.code == "webhook_not_found" {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("the subscription %s is still there, the next start takes it over: %w", l.state.Webhook, err)
	}
	l.console.say("The subscription %s is deleted.", l.state.Webhook)
	return os.Remove(l.command.State)
}

// refusal is an answer that is not a success.
type refusal struct {
	error
	code string // of the first error
}

// call sends a request and reads the answer's data.
func (l *listener) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = encoded
	}
	answer, err := l.client.do(ctx, method, path, "listen-"+rand.Text(), body)
	if err != nil {
		return err
	}
	if at, err := http.ParseTime(answer.header.Get("Date")); err == nil {
		l.served = at
	}
	if answer.status/100 != 2 {
		return &refusal{error: answer.failure(), code: answer.code()}
	}
	l.console.recovered()
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.data, out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
