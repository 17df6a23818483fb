//go:build npm

package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// axeVersion is the version of the npm package axe-core, the accessibility checker.
const axeVersion = "4.14.1"

// installAxe returns the checker's source, which runs in a page.
func installAxe(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "axe-core@"+axeVersion)
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// violation is a rule of the checker that elements of a page break.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML           string `json:"html"`
		FailureSummary string `json:"failureSummary"`
	} `json:"nodes"`
}

// serious says whether the violation keeps some readers from what is on the page.
func (v violation) serious() bool { return v.Impact == "serious" || v.Impact == "critical" }

func (v violation) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for i, node := range v.Nodes {
		if i == 5 {
			fmt.Fprintf(&text, "\n  and %d more", len(v.Nodes)-i)
			break
		}
		fmt.Fprintf(&text, "\n  %.200s\n    %s", oneLine(node.HTML), oneLine(node.FailureSummary))
	}
	return text.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// rules are which rules the checker tries: all of them unless they are named.
type rules []string

// contrast is all that depends on the colours.
var contrast = rules{"color-contrast"}

// accessibility returns the serious violations in the page that the tab shows.
func (p *tab) accessibility(t *testing.T, axe string, only rules) (found []violation) {
	t.Helper()
	p.do(t, chromedp.Evaluate[chromedp.Void](axe))
	options := `{resultTypes: ['violations'], selectors: false}`
	if only != nil {
		options = fmt.Sprintf(`{resultTypes: ['violations'], selectors: false, runOnly: ['%s']}`, strings.Join(only, "', '"))
	}
	for _, v := range eval[[]violation](t, p, `axe.run(document, `+options+`).then(result => result.violations)`) {
		if v.serious() {
			found = append(found, v)
		}
	}
	return found
}

// TestNPMAccessibility lets axe-core look at every page, also while it is used, in both colour schemes and on a phone. It
// needs the network, so it stands behind a build tag: make npm
func TestNPMAccessibility(t *testing.T) {
	s := newSite(t)
	axe := installAxe(t)
	pages := s.pages(t)
	for _, look := range []struct {
		name, colours string
		screen        screen
		only          rules
	}{
		{"a light desktop", "light", desktop, nil},
		{"a dark desktop", "dark", desktop, contrast},
		{"a light phone", "light", phone, nil},
		{"a dark phone", "dark", phone, contrast},
	} {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			p := newTab(t, s.url)
			p.inColours(t, look.colours)
			p.on(t, look.screen)
			for _, address := range pages {
				p.open(t, address)
				for _, v := range p.accessibility(t, axe, look.only) {
					t.Errorf("%s: %s", address, v)
				}
			}
			for _, used := range pictures {
				if used.before == nil {
					continue
				}
				p.open(t, s.url+used.path)
				used.before(t, s, p)
				for _, v := range p.accessibility(t, axe, look.only) {
					t.Errorf("%s, in use: %s", used.path, v)
				}
			}
		})
	}
}

// TestNPMAccessibilityForOperators lets axe-core look at every page of the operator, in both colour schemes, on a desktop and on a phone.
func TestNPMAccessibilityForOperators(t *testing.T) {
	s := newOffice(t)
	axe := installAxe(t)
	p := newTab(t, s.url)
	p.open(t, s.url+s.first)
	for _, screen := range []screen{desktop, phone} {
		p.on(t, screen)
		for _, address := range s.pages(t) {
			for colours, only := range map[string]rules{"light": nil, "dark": contrast} {
				p.inColours(t, colours)
				p.open(t, address)
				for _, v := range p.accessibility(t, axe, only) {
					t.Errorf("%s, %s, %d pixels wide: %s", p.path(t), colours, screen.width, v)
				}
			}
		}
	}
}

// TestNPMAccessibilityFinds shows that the checker finds what it is there to find.
func TestNPMAccessibilityFinds(t *testing.T) {
	requireBrowser(t)
	p := newTab(t, "http://127.0.0.1")
	p.open(t, `data:text/html,<!doctype html><html><title>A</title><main><h1>A</h1><img src=data:,><input><p style="color:%23eee">Pale</p></main>`)
	var got []string
	for _, v := range p.accessibility(t, installAxe(t), nil) {
		got = append(got, v.ID+" "+v.Impact)
	}
	want := []string{"color-contrast serious", "html-has-lang serious", "image-alt critical", "label critical"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNPMAccessibilityOfAnAccount lets axe-core look at a seller's page with all that it can show, with a test key and with a live one.
func TestNPMAccessibilityOfAnAccount(t *testing.T) {
	d := newDesk(t)
	d.reject(t, hostile)
	d.failing(t)
	axe := installAxe(t)
	p := newTab(t, d.url)
	for _, screen := range []screen{desktop, phone} {
		for _, colours := range []string{"light", "dark"} {
			for _, key := range []string{d.Key, d.LiveKey} {
				p.on(t, screen)
				p.inColours(t, colours)
				p.connect(t, d.site, key)
				d.showAll(t, p)
				for _, v := range p.accessibility(t, axe, nil) {
					t.Errorf("%s, %d pixels wide: %s", colours, screen.width, v)
				}
			}
		}
	}
}
