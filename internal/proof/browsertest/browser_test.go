package browsertest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sellerd/internal/proof/installed"
)

// Limits, generous because other tests run at the same time.
const (
	startLimit = 60 * time.Second
	endLimit   = 20 * time.Second
	awaitLimit = 30 * time.Second // for one thing that a page does, or does to itself
)

// tabs is how many tabs may be at work at once. A tab takes a core.
const tabs = 2

func TestMain(m *testing.M) {
	status := m.Run()
	if err := closeBrowser(); err != nil {
		fmt.Fprintln(os.Stderr, "end the browser:", err)
		status = 1
	}
	os.Exit(status)
}

// program is the browser's name. Debian's and most others' package calls it so.
const program = "chromium"

// theBrowser is the context of the one process that all tests share, started by the first of them.
var theBrowser = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // it shows only our own pages, and containers allow no sandbox inside theirs
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("hide-scrollbars", true),
		// A request of a page to another host fails, on every machine alike.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
	)
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	browser, endBrowser := chromedp.NewContext(allocator)
	closeBrowser = func() error {
		defer endAllocator()
		defer endBrowser()
		ctx, cancel := context.WithTimeout(browser, endLimit)
		defer cancel()
		return chromedp.Cancel(ctx)
	}
	late := time.AfterFunc(startLimit, endAllocator)
	defer late.Stop()
	if err := chromedp.Do(browser); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return browser, nil
})

// closeBrowser ends the browser, if there is one.
var closeBrowser = func() error { return nil }

// requireBrowser returns the browser, or skips the test where none is installed and none is required.
func requireBrowser(t *testing.T) context.Context {
	t.Helper()
	installed.Require(t, "THE PAGES WERE NOT TRIED IN A BROWSER", program)
	browser, err := theBrowser()
	if err != nil {
		t.Fatal(err)
	}
	return browser
}

// freeTabs holds a token for each tab that may be opened.
var freeTabs = make(chan struct{}, tabs)
