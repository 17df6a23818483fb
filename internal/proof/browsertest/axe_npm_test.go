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

// wantAccessible expects no serious violations in the page that the tab shows: of any rule in light colours, and then in dark ones of the
// rule that depends on the colours. The page takes new colours as it is, so one visit is enough.
func (p *tab) wantAccessible(t *testing.T, axe, used string) {
	t.Helper()
	p.do(t, chromedp.Evaluate[chromedp.Void](axe))
	for _, look := range []struct{ colours, rules string }{{"light", ""}, {"dark", `, runOnly: ['color-contrast']`}} {
		p.inColours(t, look.colours)
		frames[bool](t, p, `true`)
		for _, v := range p.violations(t, look.rules) {
			t.Errorf("%s%s, %s, %d pixels wide: %s", p.path(t), used, look.colours, p.screen.width, v)
		}
	}
	p.inColours(t, "light")
}

// violations are the serious ones in the page that the tab shows, into which axe was loaded.
func (p *tab) violations(t *testing.T, rules string) (found []violation) {
	t.Helper()
	for _, v := range eval[[]violation](t, p, `axe.run(document, {resultTypes: ['violations'], selectors: false`+rules+`}).then(result => result.violations)`) {
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
	for name, screen := range map[string]screen{"a desktop": desktop, "a phone": phone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTab(t, s.url)
			p.inColours(t, "light")
			p.on(t, screen)
			for _, address := range pages {
				p.open(t, address)
				p.wantAccessible(t, axe, "")
			}
			for _, used := range pictures {
				if used.before == nil {
					continue
				}
				p.open(t, s.url+used.path)
				used.before(t, s, p)
				p.wantAccessible(t, axe, ", in use")
			}
		})
	}
}

// TestNPMAccessibilityForOperators lets axe-core look at every page of the operator, in both colour schemes, on a desktop and on a phone.
func TestNPMAccessibilityForOperators(t *testing.T) {
	s := newOffice(t)
	axe := installAxe(t)
	p := newTab(t, s.url)
	p.inColours(t, "light")
	p.open(t, s.url+s.first)
	for _, screen := range []screen{desktop, phone} {
		p.on(t, screen)
		for _, address := range s.pages(t) {
			p.open(t, address)
			p.wantAccessible(t, axe, "")
		}
	}
}

// TestNPMAccessibilityFinds shows that the checker finds what it is there to find.
func TestNPMAccessibilityFinds(t *testing.T) {
	requireBrowser(t)
	p := newTab(t, "http://127.0.0.1")
	p.open(t, `data:text/html,<!doctype html><html><title>A</title><main><h1>A</h1><img src=data:,><input><p style="color:%23eee">Pale</p></main>`)
	var got []string
	p.do(t, chromedp.Evaluate[chromedp.Void](installAxe(t)))
	for _, v := range p.violations(t, "") {
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
				p.do(t, chromedp.Evaluate[chromedp.Void](axe))
				for _, v := range p.violations(t, "") {
					t.Errorf("%s, %d pixels wide: %s", colours, screen.width, v)
				}
			}
		}
	}
}
