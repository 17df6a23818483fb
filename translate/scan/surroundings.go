package scan

import (
	"strings"
)

// This file reads from the surroundings of a path which host it belongs to.

// besides says whose host stands beside a path in its table, or in a table around it.
func (a *analysis) besides(c *around) baseKind {
	for ; c != nil; c = c.outer {
		kind := baseNone
		for _, arg := range c.args[:min(len(c.args), 2*nearby)] {
			if len(arg) < 3 || !arg[len(arg)-1].isText() || !arg[len(arg)-2].is(":", "=", "=>") {
				continue
			}
			text := arg[len(arg)-1].literal()
			if m := (matched{}); strings.Contains(text, "://") {
				if _, k := a.world.scan.matcher.host(text, &m); k == baseOurs || k == baseForeign {
					kind = max(kind, k)
				}
			}
		}
		if kind != baseNone {
			return kind
		}
	}
	return baseNone
}

// sameOrigin says whether a script asks its own server: a path without a host, in a function of browsers that nothing gives one.
func (a *analysis) sameOrigin(c *around, text string) bool {
	if a.file.lang != langJavaScript || c == nil || !strings.HasPrefix(text, "/") || strings.Contains(a.file.src, "baseURL") || strings.Contains(a.file.src, "hostname") {
		return false
	}
	for ; c != nil; c = c.outer {
		if len(c.callee) == 0 {
			continue
		}
		switch c.callee[0] {
		case "fetch", "$", "jQuery", "axios", "window", "ky", "superagent", "xhr", "XMLHttpRequest":
			return true
		}
	}
	return false
}
