// Lint runs analyzers of others under go vet: errors are compared through what wraps them, a returned nil hides no error, rows
// and statements of database/sql and bodies of answers are closed and their errors read, and words are spelled as dictionaries have them.
//
//	make lint
//
// Tests are left to go vet. A line that ends in "//nolint:NAME // REASON" is left alone by the analyzer of that name.
package main

import (
	"go/token"
	"os"
	"strings"

	"github.com/golangci/misspell"
	"github.com/gostaticanalysis/nilerr"
	"github.com/jingyugao/rowserrcheck/passes/rowserr"
	"github.com/polyfloyd/go-errorlint/errorlint"
	"github.com/ryanrolds/sqlclosecheck/pkg/analyzer"
	"github.com/timakin/bodyclose/passes/bodyclose"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	checks := []*analysis.Analyzer{
		errorlint.NewAnalyzer(), nilerr.Analyzer, bodyclose.Analyzer, analyzer.NewAnalyzer(),
		rowserr.NewAnalyzer("database/sql"), spelling,
	}
	for _, check := range checks {
		exceptMarked(check)
	}
	unitchecker.Main(checks...)
}

// spelling finds words that are commonly misspelled, in code, comments and texts. Two are names of the previous interface.
var spelling = &analysis.Analyzer{Name: "misspell", Doc: "find commonly misspelled words", Run: func(pass *analysis.Pass) (any, error) {
	replacer := misspell.New()
	replacer.RemoveRule([]string{"prefered", "sinse"})
	replacer.Compile()
	for _, file := range pass.Files {
		at := pass.Fset.File(file.FileStart)
		text, err := pass.ReadFile(at.Name())
		if err != nil {
			return nil, err
		}
		_, found := replacer.Replace(string(text))
		for _, word := range found {
			pass.Reportf(at.LineStart(word.Line)+token.Pos(word.Column), "%s is a misspelling of %s", word.Original, word.Corrected)
		}
	}
	return nil, nil
}}

// exceptMarked drops what an analyzer reports of tests and of marked lines.
func exceptMarked(check *analysis.Analyzer) {
	run := check.Run
	check.Run = func(pass *analysis.Pass) (any, error) {
		report := pass.Report
		pass.Report = func(d analysis.Diagnostic) {
			at := pass.Fset.Position(d.Pos)
			if !strings.HasSuffix(at.Filename, "_test.go") && !marked(at, check.Name) {
				report(d)
			}
		}
		return run(pass)
	}
}

func marked(at token.Position, name string) bool {
	text, err := os.ReadFile(at.Filename)
	lines := strings.Split(string(text), "\n")
	return err == nil && at.Line <= len(lines) && strings.Contains(lines[at.Line-1], "//nolint:"+name+" // ")
}
