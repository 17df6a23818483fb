package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"sellerd/conformance"
	"sellerd/v1"
)

type conformanceCmd struct {
	Run      conformanceRunCmd      `cmd:"" default:"withargs" help:"Replay what was promised against a running service, with test keys. The word run may be left out."`
	Coverage conformanceCoverageCmd `cmd:"" help:"List everything that operations can answer, and how many transcripts pin it."`
}

type conformanceRunCmd struct {
	BaseURL  string `name:"base-url" default:"http://localhost:8080" env:"SELLERD_BASE_URL" placeholder:"URL" help:"Where the service is (default: ${default})."`
	Key      string `env:"SELLERD_KEY" required:"" placeholder:"KEY" help:"A dk_test_ key. What the replay makes stays in its account's test data."`
	OtherKey string `env:"SELLERD_OTHER_KEY" placeholder:"KEY" help:"A dk_test_ key of another account, to see that nothing of the first one is shown to it."`
	LiveKey  string `env:"SELLERD_LIVE_KEY" placeholder:"KEY" help:"A dk_live_ key of the first account, to see that modes are apart. It is only refused and reads; nothing is made."`
	Release  string `placeholder:"VERSION" help:"Replay one release's transcripts only."`
}

// Run replays the transcripts one after the other and tells what is not as it should be.
func (c *conformanceRunCmd) Run(ctx context.Context) error {
	for name, key := range map[string]string{"key": c.Key, "other key": c.OtherKey} {
		if key != "" && !strings.HasPrefix(key, "dk_test_") {
			return fmt.Errorf("the %s must be a test key (dk_test_…): the replay sells and buys", name)
		}
	}
	suite, err := conformance.Load()
	if err != nil {
		return err
	}
	runner := &conformance.Runner{
		Suite: suite, Base: strings.TrimSuffix(c.BaseURL, "/"), Nonce: "c" + strings.ToLower(rand.Text()[:6]),
		Vars: map[string]string{"KEY": c.Key, "OTHER_KEY": c.OtherKey, "LIVE_KEY": c.LiveKey},
		Send: (&http.Client{
			Timeout:       30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}).Do,
		Pause: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
	}
	return c.replay(ctx, runner, os.Stdout)
}

// replay runs what was chosen, and prints what fails and how much was done.
func (c *conformanceRunCmd) replay(ctx context.Context, runner *conformance.Runner, out io.Writer) error {
	var replays []conformance.Replay
	for _, r := range runner.Suite.Replays() {
		if c.Release == "" || strings.HasPrefix(r.Transcript.File, "released/"+c.Release+"/") {
			replays = append(replays, r)
		}
	}
	if len(replays) == 0 {
		return fmt.Errorf("there is no release %s", c.Release)
	}
	bar := newProgress(os.Stderr, v1.SystemClock{}.Now, "transcripts")
	bar.begin("replay", len(replays))
	passed, failed := 0, 0
	leftOut := map[string]int{}
	for _, r := range replays {
		for _, result := range runner.Run(ctx, r.Transcript, r.Operation) {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case result.LeftOut != "":
				leftOut[strings.SplitN(result.LeftOut, ":", 2)[0]]++
			case len(result.Problems) > 0:
				failed++
				fmt.Fprintf(out, "%s, %s, %s\n  %s\n", result.File, result.Operation, result.Title, strings.ReplaceAll(strings.Join(result.Problems, "\n"), "\n", "\n  "))
			default:
				passed++
			}
		}
		bar.add(1)
	}
	bar.end()
	for why, n := range leftOut {
		fmt.Fprintf(out, "%d sections are left out: each %s.\n", n, why)
	}
	fmt.Fprintf(out, "%d sections are as promised, %d are not.\n", passed, failed)
	if failed > 0 {
		return errors.New("the service does not keep every promise")
	}
	return nil
}

type conformanceCoverageCmd struct{}

// Run prints the table.
func (*conformanceCoverageCmd) Run() error {
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
