package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

// This file makes a first sale the way a newcomer does who has nothing but a phone to read and a shell.

// newDemo starts a service that works by itself, with a file with its keys in a folder of its own, as --demo makes it.
func newDemo(t *testing.T, options ...servertest.Option) *site {
	t.Helper()
	requireBrowser(t)
	public := httptest.NewUnstartedServer(nil)
	address := "http://" + public.Listener.Addr().String()
	w := servertest.New(t, servertest.SQLite(t), append(options, func(c *v1.Config) { c.BaseURL = address })...)
	folder := filepath.Join(t.TempDir(), "the demo's folder") // with a quote and a space, which a shell must not mind
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]string{"live": w.LiveKey, "test": w.Key})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "demo-keys.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: address, Demo: true, DemoFolder: folder})
	if err != nil {
		t.Fatal(err)
	}
	public.Config.Handler = all.Public
	public.Start()
	working, stop := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	workers.Go(func() { w.Service.Workers(working) })
	t.Cleanup(func() {
		public.Close()
		stop()
		workers.Wait()
	})
	return &site{w, address, "/"}
}

// tap touches the link of the page that is seen to say words, and waits for a page that has a place.
func (p *tab) tap(t *testing.T, words, place string) {
	t.Helper()
	const at = `(words => {
		const element = [...document.querySelectorAll('main a')].find(e => e.checkVisibility() && e.innerText === words);
		if (!element) return [];
		element.scrollIntoView({block: 'center'});
		const box = element.getClientRects()[0];
		return [box.x + box.width / 2, box.y + box.height / 2];
	})(%q)`
	point := eval[[]float64](t, p, fmt.Sprintf(at, words))
	if len(point) != 2 {
		t.Fatalf("nothing on the page says %q", words)
	}
	p.do(t, chromedp.MouseClickXY(point[0], point[1]), chromedp.WaitVisible(chromedp.CSS(place)))
	p.settle(t)
}

// commands are the blocks of the page that can be copied, as they are shown.
func (p *tab) commands(t *testing.T) []string {
	t.Helper()
	return eval[[]string](t, p, `[...document.querySelectorAll('main .code')].filter(e => e.querySelector('figcaption button')?.checkVisibility()).map(e => e.querySelector('pre').innerText)`)
}

// runInShell runs commands one after another, in one shell and an empty folder, and returns what they print.
func runInShell(t *testing.T, commands ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), awaitLimit)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh")
	shell.Dir = t.TempDir()
	shell.Stdin = strings.NewReader(strings.Join(commands, "\n"))
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Logf("the shell ends with %v", err) // what counts is what becomes of the bill
	}
	return string(out)
}

// bills are the statuses of the bills of the test key.
func (s *site) bills(t *testing.T) (statuses []string) {
	t.Helper()
	answer := s.Do(t, servertest.Request{Path: "/v1/bills"})
	for _, bill := range servertest.Into[struct {
		Results []struct {
			Status string `json:"status"`
		} `json:"results"`
	}](t, answer).Results {
		statuses = append(statuses, bill.Status)
	}
	return statuses
}

// TestAFirstSaleOnAPhone goes from the reference, and from the first page, to the page for beginners by what is to be seen. It runs the
// commands of that page as they are shown, and the parcel is sent in the end. Without any one of those that change something, it
// is not.
func TestAFirstSaleOnAPhone(t *testing.T) {
	t.Parallel()
	installed.Require(t, "THE COMMANDS OF THE FIRST SALE WERE NOT RUN", "sh", "curl", "jq")
	s := newDemo(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	const beginning = "#your-key"
	p.open(t, s.url+"/docs")
	p.tap(t, "Start", beginning)
	p.open(t, s.url)
	p.tap(t, "Start in ten minutes", beginning)
	commands := p.commands(t)
	p.wantNoProblems(t)

	for i, missing := range commands {
		if !strings.Contains(missing, "=$(") && !strings.Contains(missing, "POST") && !strings.Contains(missing, " -d ") { // it only shows something
			continue
		}
		ownTime := fmt.Sprintf("date() { echo %d; }", i) // the idempotency key ends with it
		said := runInShell(t, append([]string{ownTime}, slices.Delete(slices.Clone(commands), i, i+1)...)...)
		if slices.Contains(s.bills(t), v1.BillSent) {
			t.Fatalf("a parcel is sent without the command\n%s\nThe others say:\n%s", missing, said)
		}
	}
	said := runInShell(t, commands...)
	if bills := s.bills(t); !slices.Contains(bills, v1.BillSent) {
		t.Errorf("no parcel is sent; the bills are %v. The commands are\n%s\nThey say:\n%s", bills, strings.Join(commands, "\n"), said)
	}
}
