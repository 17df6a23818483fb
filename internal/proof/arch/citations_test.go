package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommentsCiteWhatIsHere reads every comment of the module, apart from generated code. A page that a comment cites must be in the
// repository, and a heading that follows the page's name, as in "docs/seller/idempotency.md", must be in the page. A file of Go that it
// names must be in the comment's own folder, or at that path. A folder must be there, and so must a name of another package, such as
// core.Room.
func TestCommentsCiteWhatIsHere(t *testing.T) {
	m := readTree(t)
	eachGoFile(t, nil, func(file string, source []byte) {
		if bytes.HasPrefix(source, []byte("// Code generated")) {
			return
		}
		for _, problem := range m.missingCitations(t, filepath.Join(root, file), source) {
			t.Error(problem)
		}
	})
}

// developersPages begin like this. The other pages name files of their readers, too.
var developersPages = []string{
	"README.md", "v1/DECISIONS.md", "docs/developer/", "docs/operator/performance", "docs/operator/reliability", "docs/operator/scaling",
}

// uncheckedPages are pages for developers whose names of files are not checked here, with the reason.
var uncheckedPages = map[string]string{
	"docs/developer/architecture-sunset.md": "TestTheListOfWhatGoesIsWhole compares its lists with the code",
}

// TestPagesForDevelopersNameWhatIsHere reads the code spans of the pages for developers. A file of Go must be in a folder that the page
// names, or at that path; a folder and a name of a package must be there.
func TestPagesForDevelopersNameWhatIsHere(t *testing.T) {
	m := readTree(t)
	read, unchecked := 0, 0
	for _, pattern := range []string{"*.md", "docs/*/*.md", "v1/*.md"} {
		pages, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			switch {
			case uncheckedPages[page] != "":
				unchecked++
				continue
			case !slices.ContainsFunc(developersPages, func(prefix string) bool { return strings.HasPrefix(page, prefix) }):
				continue
			}
			read++
			text, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range m.missingSpans(page, string(text)) {
				t.Error(problem)
			}
		}
	}
	if read < len(developersPages) || unchecked != len(uncheckedPages) {
		t.Errorf("%d pages were read, and %d were not", read, unchecked)
	}
}

// wholeTree is the tree that all tests here read.
var wholeTree *tree

// tree is what comments and pages can name.
type tree struct {
	files    []string                   // those of Go, from the root
	packages map[string]map[string]bool // the exported names of packages, members of types among them, by the packages' names
}

func readTree(t *testing.T) *tree {
	t.Helper()
	if wholeTree != nil {
		return wholeTree
	}
	m := &tree{packages: map[string]map[string]bool{}}
	eachGoFile(t, nil, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		m.files = append(m.files, name)
		names := m.packages[file.Name.Name]
		if names == nil {
			names = map[string]bool{}
			m.packages[file.Name.Name] = names
		}
		declare := func(found ...*ast.Ident) {
			for _, name := range found {
				names[name.Name] = true
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declare(n.Name)
				return false
			case *ast.TypeSpec:
				declare(n.Name)
			case *ast.ValueSpec:
				declare(n.Names...)
			case *ast.Field:
				declare(n.Names...)
				for _, selector := range embedded(n) {
					declare(selector)
				}
			}
			return true
		})
	})
	wholeTree = m
	return m
}

// embedded is the name of an embedded field.
func embedded(field *ast.Field) []*ast.Ident {
	if len(field.Names) > 0 {
		return nil
	}
	kind := field.Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	switch kind := kind.(type) {
	case *ast.Ident:
		return []*ast.Ident{kind}
	case *ast.SelectorExpr:
		return []*ast.Ident{kind.Sel}
	}
	return nil
}

// sometimes are folders that are there only at times, with the reason.
var sometimes = map[string]string{
	"conformance/next/rest": "is there while a change of /rest waits for its release",
}

// exists says whether there is a file or a folder at a path from the root.
func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}

// The folders of the module at the top. A path that begins with one of them is a path of the module.
const top = `(?:cmd|changelog|conformance|docs|ent|internal|legacy|translate|v1)`

var (
	// goFile finds the name of a file of Go, with the folders before it.
	goFile = regexp.MustCompile(`(?:^|[\s("'\x60])((?:[\w-]+/)*\w+\.go)(?:$|[\s,.;:)"'\x60])`)
	// folder finds a path of a folder.
	folder = regexp.MustCompile(`(?:^|[\s("'\x60])(?:\./)?(` + top + `(?:/[\w-]+)+)/?(?:$|[\s,;:)"'\x60]|\.(?:$|\s))`)
	// ofPackage finds a name of another package.
	ofPackage = regexp.MustCompile(`(?:^|[\s(\[*])([a-z][a-z0-9]*)\.([A-Z]\w*)`)
	// indented finds the lines of code in a comment.
	indented = regexp.MustCompile("(?m)^\t.*$")
	// span finds a code span of a page, and fence finds a block of code.
	span  = regexp.MustCompile("`([^`\n]+)`")
	fence = regexp.MustCompile("(?ms)^```.*?^```$")
)

// missingSpans lists what a page names in code spans and is not there.
func (m *tree) missingSpans(page, text string) (problems []string) {
	spans := span.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1)
	named := map[string]bool{".": true}
	for _, found := range spans {
		named[strings.TrimSuffix(found[1], "/")] = true
		named[path.Dir(found[1])] = true // the folder of a file that is named with its path
	}
	for _, found := range spans {
		for _, name := range firsts(goFile, found[1]) {
			if !slices.ContainsFunc(m.files, func(file string) bool {
				return file == name || strings.HasSuffix(file, "/"+name) && named[strings.TrimSuffix(file, "/"+name)]
			}) {
				problems = append(problems, page+": names "+name+", which is in no folder that the page names")
			}
		}
		problems = append(problems, m.missingNames(page, found[1], nil)...)
	}
	return problems
}

// missingNames lists the folders and the names of packages in a text that are not there. Packages of other modules are foreign.
func (m *tree) missingNames(place, text string, foreign map[string]bool) (problems []string) {
	for _, name := range firsts(folder, text) {
		if !exists(name) && sometimes[name] == "" {
			problems = append(problems, place+": names the folder "+name+", which is not in the repository")
		}
	}
	for _, found := range ofPackage.FindAllStringSubmatch(text, -1) {
		if names, ok := m.packages[found[1]]; ok && !names[found[2]] && !foreign[found[1]] {
			problems = append(problems, place+": names "+found[1]+"."+found[2]+", which the package does not have")
		}
	}
	return problems
}

// firsts are the first groups of what a pattern finds in a text.
func firsts(pattern *regexp.Regexp, text string) (found []string) {
	for at := 0; ; {
		match := pattern.FindStringSubmatchIndex(text[at:])
		if match == nil {
			return found
		}
		found = append(found, text[at+match[2]:at+match[3]])
		at += match[3] // what ends one name can begin the next one
	}
}

var (
	// specification finds a citation of the document that the interface was written from, which is not part of the module.
	specification = regexp.MustCompile(`(?i)\bcontract,? sections? \d|\bcontract's section|\bsections? \d+ of the contract`)
	// citation finds the name of a page, and a heading in it if one follows.
	citation = regexp.MustCompile(`\b([\w./-]*\w\.md)\b(?:, ([A-Z][^.;:()]*))?`)
	// heading finds the headings of a page.
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// missingCitations lists the citations in a file's comments that lead nowhere, with their places. A path begins at the module's root or at
// the file's own folder.
func (m *tree) missingCitations(t *testing.T, name string, source []byte) (problems []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	foreign := map[string]bool{}
	for _, imported := range file.Imports {
		if from := strings.Trim(imported.Path.Value, `"`); !strings.HasPrefix(from, module) {
			foreign[path.Base(from)] = true
		}
	}
	for _, group := range file.Comments {
		place := positions.Position(group.Pos()).String()
		text := strings.Join(strings.Fields(group.Text()), " ")
		if found := specification.FindString(text); found != "" {
			problems = append(problems, place+": cites "+found+", which is not in the repository")
		}
		for _, cited := range citation.FindAllStringSubmatch(text, -1) {
			page, err := os.ReadFile(filepath.Join(root, cited[1]))
			if err != nil {
				page, err = os.ReadFile(filepath.Join(filepath.Dir(name), cited[1]))
			}
			switch {
			case err != nil:
				problems = append(problems, place+": cites "+cited[1]+", which is not in the repository")
			case cited[2] != "" && !hasHeading(string(page), cited[2]):
				problems = append(problems, place+": "+cited[1]+" has no heading that begins "+cited[2])
			}
		}
		for _, named := range firsts(goFile, text) {
			_, err := os.Stat(filepath.Join(filepath.Dir(name), named))
			if err != nil && !exists(named) {
				problems = append(problems, place+": names "+named+", which is not in the repository")
			}
		}
		problems = append(problems, m.missingNames(place, indented.ReplaceAllString(group.Text(), ""), foreign)...)
	}
	return problems
}

// hasHeading says whether a text begins with one of a page's headings.
func hasHeading(page, text string) bool {
	for _, found := range heading.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(text, found[1]) {
			return true
		}
	}
	return false
}

func TestMissingCitations(t *testing.T) {
	m := readTree(t)
	for name, c := range map[string]struct {
		comment string
		want    []string
	}{
		"a page that is here": {"see docs/seller/webhooks.md", nil},
		"pages that are in neither folder": {"see doc.md, no: DECISIONS.md", []string{
			"a.go:1:12: cites doc.md, which is not in the repository",
			"a.go:1:12: cites DECISIONS.md, which is not in the repository",
		}},
		"a page that is not here":        {"see docs/nothing.md.", []string{"a.go:1:12: cites docs/nothing.md, which is not in the repository"}},
		"a heading that is here":         {"30 days are promised (docs/seller/webhook-receiver.md, Answer)", nil},
		"a heading that is not here":     {"see docs/seller/webhooks.md, Nothing", []string{"a.go:1:12: docs/seller/webhooks.md has no heading that begins Nothing"}},
		"a sentence that goes on":        {"docs/seller/webhooks.md, which a test reads", nil},
		"a section of the specification": {"the envelope (contract, section 1)", []string{"a.go:1:12: cites contract, section 1, which is not in the repository"}},
		"the same, in other words": {
			"the order of section 6 of the contract",
			[]string{"a.go:1:12: cites section 6 of the contract, which is not in the repository"},
		},
		"a file of the folder": {"see citations_test.go.", nil},
		"a file that is here":  {"see internal/proof/arch/doc.go.", nil},
		"a file that is not here": {"see internal/proof/arch/nothing.go, nowhere.go", []string{
			"a.go:1:12: names internal/proof/arch/nothing.go, which is not in the repository",
			"a.go:1:12: names nowhere.go, which is not in the repository",
		}},
		"a folder that is here":              {"see internal/proof/arch", nil},
		"a folder that is not here":          {"see internal/nothing.", []string{"a.go:1:12: names the folder internal/nothing, which is not in the repository"}},
		"an address":                         {"GET /v1/nothing, https://a.test/v1/nothing", nil},
		"a name of a package":                {"see arch.TestMissingSpans", nil},
		"a name that a package lacks":        {"see [arch.Nothing]", []string{"a.go:1:12: names arch.Nothing, which the package does not have"}},
		"a section of an RFC":                {"RFC 9110, section 13.1", nil},
		"a contract that promises something": {"the contract is sealed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := m.missingCitations(t, "a.go", []byte("package a; // "+c.comment+"\n"))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	foreign := []byte("package a\n\nimport \"elsewhere/arch\"\n\n// arch.Nothing is of that package.\nvar _ = arch.X\n")
	if got := m.missingCitations(t, "a.go", foreign); got != nil {
		t.Errorf("a name of a package of another module: %v", got)
	}
}

func TestMissingSpans(t *testing.T) {
	m := readTree(t)
	for name, c := range map[string]struct {
		page string
		want []string
	}{
		"a path that is here":                   {"`internal/proof/arch/doc.go`", nil},
		"files of a folder that the page names": {"`doc.go` and `doc.go` in `internal/proof/arch/`", nil},
		"a path below a folder that it names":   {"below `internal/proof`: `arch/doc.go`", nil},
		"a file beside one that it names":       {"`internal/proof/arch/doc.go`, `files_test.go`", nil},
		"a file of a folder that it does not name": {"`doc.go` of the tests", []string{
			"page: names doc.go, which is in no folder that the page names",
		}},
		"a file that is not here":         {"`internal/proof/arch/nothing.go`", []string{"page: names internal/proof/arch/nothing.go, which is in no folder that the page names"}},
		"a name of a package":             {"`arch.TestMissingSpans`", nil},
		"a name that a package lacks":     {"`arch.Nothing` of", []string{"page: names arch.Nothing, which the package does not have"}},
		"a folder that is not here":       {"`go test ./internal/nothing -run X`", []string{"page: names the folder internal/nothing, which is not in the repository"}},
		"text and code between the spans": {"internal/nothing and doc.go\n```\n`nothing.go`\n```\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, m.missingSpans("page", c.page)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
