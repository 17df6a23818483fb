package scan

import (
	"path"
	"strings"
)

// This file recognises tests: what they ask is mostly a server of their own.

// testFolders are names of folders with tests.
var testFolders = words("test tests spec specs __tests__ testing mocks __mocks__ fixtures stubs")

// isTest says whether a file is a test, by its name and its folders.
func isTest(name string) bool {
	base := path.Base(name)
	stem, _, _ := strings.Cut(base, ".")
	low := strings.ToLower(stem)
	switch {
	case strings.HasPrefix(low, "test_"), strings.HasSuffix(low, "_test"), strings.HasSuffix(low, "_spec"), low == "tests", low == "conftest":
		return true
	case strings.HasSuffix(stem, "Test"), strings.HasSuffix(stem, "Tests"), strings.HasSuffix(stem, "Spec"), strings.HasSuffix(stem, "TestCase"):
		return len(stem) > 5
	case strings.Contains(base, ".test."), strings.Contains(base, ".spec."), strings.Contains(base, ".Tests."), strings.Contains(base, ".mock."), strings.HasSuffix(base, ".t"):
		return true
	}
	parts := strings.Split(strings.ToLower(path.Dir(name)), "/")
	for _, part := range parts[max(len(parts)-4, 0):] {
		if testFolders[part] {
			return true
		}
	}
	return false
}

// isRoute says whether a call declares a route of a server. $resource of AngularJS is a client.
func (a *analysis) isRoute(c *around, text string) bool {
	if a.file.lang == langJavaScript && len(c.callee) == 1 && c.callee[0] == "resource" || len(c.callee) == 0 {
		return false
	}
	if a.file.lang == langCSharp && c.marked && methodWord(c.callee[len(c.callee)-1]) != "" && len(c.callee) == 1 {
		return false // of Refit: a route of a server begins with Http
	}
	return c.isRoute(text)
}

// isPlain says whether a value has no holes, and no host.
func (v value) isPlain() bool {
	text, _ := v.flat()
	return !strings.Contains(text, "://")
}
