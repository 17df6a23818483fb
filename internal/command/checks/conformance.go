package checks

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"sellerd/conformance"
	"sellerd/internal/command"
	"sellerd/v1/client"
)

// Conformance is the command that replays what was promised.
type Conformance struct {
	Run      conformanceRun      `cmd:"" default:"withargs" help:"Replay what was promised against a running service, with test keys. The word run may be left out."`
	Coverage conformanceCoverage `cmd:"" help:"List everything that operations can answer, and how many transcripts pin it."`
}

type conformanceRun struct {
	BaseURL  string `name:"base-url" default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string `env:"SELLERD_KEY" secret:"" required:"" placeholder:"KEY" help:"A dk_test_ key. What the replay makes stays in its account's test data."`
	OtherKey string `env:"SELLERD_OTHER_KEY" secret:"" placeholder:"KEY" help:"A dk_test_ key of another account, to see that nothing of the first one is shown to it."`
	LiveKey  string `env:"SELLERD_LIVE_KEY" secret:"" placeholder:"KEY" help:"A dk_live_ key of the first account, to see that modes are apart. It reads, logs in to /rest and is refused; nothing is put on sale."`

	WebhooksKey string `env:"SELLERD_WEBHOOKS_KEY" secret:"" placeholder:"KEY" help:"A dk_test_ key of the first account with the permission webhooks:write alone, to see what it is refused."`
	ItemsKey    string `env:"SELLERD_ITEMS_KEY" secret:"" placeholder:"KEY" help:"A dk_test_ key of the first account with the permissions items:read and account:read alone."`
	SalesKey    string `env:"SELLERD_SALES_KEY" secret:"" placeholder:"KEY" help:"A dk_test_ key of the first account with the permissions items:read, sales:write, bills:write and webhooks:write, and without buyers:read, to see that it is shown no buyers."`

	Release string `placeholder:"VERSION" help:"Replay one release's transcripts only. Default: all."`
}

// replayKey is a key of the replay: its flag, what transcripts call it, and what it begins with and may read.
type replayKey struct{ flag, name, value, prefix, reads string }

func (c *conformanceRun) keys() []replayKey {
	return []replayKey{
		{"--key", "KEY", c.Key, "dk_test_", "/v1/account"},
		{"--other-key", "OTHER_KEY", c.OtherKey, "dk_test_", "/v1/account"},
		{"--live-key", "LIVE_KEY", c.LiveKey, "dk_live_", "/v1/account"},
		{"--webhooks-key", "WEBHOOKS_KEY", c.WebhooksKey, "dk_test_", "/v1/webhooks"},
		{"--items-key", "ITEMS_KEY", c.ItemsKey, "dk_test_", "/v1/items"},
		{"--sales-key", "SALES_KEY", c.SalesKey, "dk_test_", "/v1/sales"},
	}
}

// Run replays the transcripts one after the other and prints the differences.
func (c *conformanceRun) Run(ctx context.Context, p *command.Program) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	runner := &conformance.Runner{
		Suite: suite, Base: strings.TrimRight(c.BaseURL, "/"), Nonce: "c" + strings.ToLower(rand.Text()[:6]),
		Vars: map[string]string{}, Send: conformanceClient.Do, Pause: client.Sleep,
	}
	for _, key := range c.keys() {
		runner.Vars[key.name] = key.value
	}
	return c.replay(ctx, runner, os.Stdout, command.NewProgress(os.Stderr, p.Now, "transcripts"))
}

// conformanceClient makes the requests as they are written: it follows no redirect, and adds no Accept-Encoding.
var conformanceClient = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true},
}

// check finds a wrong address or key before hundreds of requests fail.
func (c *conformanceRun) check(ctx context.Context) error {
	if err := command.CheckBaseURL("--base-url", c.BaseURL); err != nil {
		return err
	}
	for _, key := range c.keys() {
		if key.value == "" {
			continue
		}
		if !strings.HasPrefix(key.value, key.prefix) {
			return command.Wrong("%s must begin with %s: the replay sells and buys with test keys, and only looks with a live one", key.flag, key.prefix)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.BaseURL, "/")+key.reads, nil)
		if err != nil {
			return err
		}
		request.Header.Set("X-Api-Key", key.value)
		response, err := conformanceClient.Do(request)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("no answer from %s: is the service running, and is --base-url right? (%w)", c.BaseURL, err)
		}
		var shown struct {
			Data struct {
				Key *struct {
					Name *string `json:"name"`
				} `json:"key"`
			} `json:"data"`
		}
		unread := json.NewDecoder(response.Body).Decode(&shown)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s with %s answers %s instead of 200: check the address and the key", request.URL, key.flag, response.Status)
		}
		if unread != nil {
			return fmt.Errorf("read the answer to GET %s: %w", request.URL, unread)
		}
		if shown.Data.Key != nil && shown.Data.Key.Name == nil {
			return command.Wrong("%s has no name, and the promised answers show one: make a key with a name for the replay", key.flag)
		}
	}
	return nil
}

// shown is a text without the keys and without control characters of a terminal.
func (c *conformanceRun) shown(text string) string {
	for _, key := range c.keys() {
		if key.value != "" {
			text = strings.ReplaceAll(text, key.value, key.prefix+"…")
		}
	}
	return command.Visible(text)
}

// replay runs the chosen transcripts, and prints the failures and the counts.
func (c *conformanceRun) replay(ctx context.Context, runner *conformance.Runner, out io.Writer, bar *command.Progress) error {
	replays := slices.DeleteFunc(runner.Suite.Replays(), func(r conformance.Replay) bool {
		return c.Release != "" && !strings.HasPrefix(r.Transcript.File, "released/"+c.Release+"/")
	})
	if len(replays) == 0 {
		return command.Wrong("there is no release %s; the change log lists them", c.Release)
	}
	retired, err := legacyRetired(ctx, runner)
	if err != nil {
		return err
	}
	if retired {
		all := len(replays)
		replays = slices.DeleteFunc(replays, func(r conformance.Replay) bool { return r.Transcript.Legacy() })
		fmt.Fprintf(out, "The calls of /rest are switched off: %d transcripts about them are left out.\n", all-len(replays))
	}
	bar.Begin("replay", len(replays))
	passed, failed := 0, 0
	leftOut := map[string]int{}
	var corrected []conformance.Result
	for _, r := range replays {
		for _, result := range runner.Run(ctx, r.Transcript, r.Operation) {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case result.LeftOut != "":
				leftOut[strings.SplitN(result.LeftOut, ":", 2)[0]]++
			case len(result.Problems) > 0:
				failed++
				fmt.Fprintf(out, "%s, %s, %s\n  %s\n", result.File, result.Operation, result.Title, strings.ReplaceAll(c.shown(strings.Join(result.Problems, "\n")), "\n", "\n  "))
			case result.Corrected != nil:
				corrected = append(corrected, result)
			default:
				passed++
			}
		}
		bar.Add(1)
	}
	bar.End()
	printCorrected(out, corrected)
	for _, why := range slices.Sorted(maps.Keys(leftOut)) {
		fmt.Fprintf(out, "%d sections are left out: each %s.\n", leftOut[why], why)
	}
	fmt.Fprintf(out, "%d sections are as promised, %d are not.\n", passed, failed)
	if failed > 0 {
		return errors.New("the service does not keep every promise")
	}
	return nil
}

// printCorrected lists the sections that a later release corrected. They are not counted as passed.
func printCorrected(out io.Writer, corrected []conformance.Result) {
	if len(corrected) == 0 {
		return
	}
	fmt.Fprintf(out, "%d sections are corrected and not held to: what they say was wrong.\n", len(corrected))
	var last *conformance.Correction
	for _, result := range corrected {
		if result.Corrected != last {
			last = result.Corrected
			fmt.Fprintf(out, "  release %s: %s (%s)\n", last.Entry, last.Mistake, last.Evidence)
		}
		fmt.Fprintf(out, "    %s, %s, %s\n", result.File, result.Operation, result.Title)
	}
}

// legacyRetired asks the service whether the sunset of /rest has passed, after which the promises about its calls have
// ended.
func legacyRetired(ctx context.Context, runner *conformance.Runner) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, runner.Base+"/rest/server/time", http.NoBody)
	if err != nil {
		return false, err
	}
	response, err := runner.Send(request)
	if err != nil {
		return false, fmt.Errorf("ask whether /rest is switched off: %w", err)
	}
	return response.StatusCode == http.StatusGone, response.Body.Close()
}

type conformanceCoverage struct{}

// Run prints the table.
func (*conformanceCoverage) Run() error {
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	rows, err := suite.Coverage()
	if err != nil {
		return err
	}
	holes, err := conformance.PrintCoverage(os.Stdout, rows)
	if err == nil && holes > 0 {
		err = fmt.Errorf("%d of %d have no section", holes, len(rows))
	}
	return err
}

//go:embed help.txt
var helpFile string

// Details are what --help says of the commands beyond their flags.
var Details = command.ReadDetails(helpFile)
