package refusal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// others are the languages of messages beside English.
var others = []string{"de", "es", "fr", "it", "nl"}

func TestMessagesAreSaidInTheLanguageThatIsAskedFor(t *testing.T) {
	for _, test := range []struct{ english, language, want string }{
		{"is required", "de", "ist erforderlich"},
		{"There is no category 7.", "fr", "La catégorie 7 n'existe pas."},
		{`The body names "a" twice.`, "nl", `De body noemt "a" tweemaal.`},
		{"must be at least the starting price", "it", "deve essere almeno il prezzo di partenza"},
		{"must be at least 0.01", "it", "deve essere almeno 0.01"},
		{"must lie at least 60 seconds ahead", "es", "debe estar al menos a 60 segundos de ahora"},
		{
			"This path accepts GET, HEAD. There is also POST /a/b, which does this, that; POST /a/c, which calls.", "de",
			"Dieser Pfad nimmt GET, HEAD an. Es gibt auch POST /a/b; POST /a/c.",
		},
		{
			"The body is not valid JSON at byte 12: there is a typographic quote („), and JSON wants straight double quotes (\").", "fr",
			"Le corps n'est pas du JSON valide à l'octet 12 : il y a un guillemet typographique („), et JSON veut des guillemets droits (\").",
		},
		{
			"must be an RFC 3339 date and time such as 2026-11-21T14:30:00Z; in a query, write the + of an offset as %2B, because + means a blank there", "es",
			"debe ser una fecha y hora según RFC 3339, como 2026-11-21T14:30:00Z; en una URL escriba el + de un desfase como %2B, porque allí + significa un espacio",
		},
	} {
		said, spoken := Newf(InvalidValue, "x", "%s", test.english).In(test.language)
		if diff := cmp.Diff([]string{test.language, test.want}, []string{spoken, said[0].Message}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.english, diff)
		}
	}
}

// What callers send may look like a message, or like a part of one.
func TestValuesInMessagesStayAsTheyAre(t *testing.T) {
	for _, value := range []string{"", "%s", "%[1]s", "%d%", "a.", ". Did you mean /v1/items?", "is required", "[1]s", "„“", "item.* or sale.*"} {
		said, _ := Newf(UnknownEvent, "events[0]", "There is no event %s.", value).In("de")
		if diff := cmp.Diff("Es gibt kein Ereignis "+value+".", said[0].Message); diff != "" {
			t.Errorf("%q (-want +got):\n%s", value, diff)
		}
	}
}

// An answer is in one language. The errors themselves stay as they are, because logs are in English.
func TestMessagesAreAllSaidInALanguageOrNone(t *testing.T) {
	errs := append(New(ItemNotFound), Entry(InvalidValue, "x", "a text that has no translation"))
	said, spoken := errs.In("fr")
	if diff := cmp.Diff([]string{English, "There is no such item.", "a text that has no translation"}, []string{spoken, said[0].Message, said[1].Message}); diff != "" {
		t.Errorf("with a text that has no translation (-want +got):\n%s", diff)
	}
	later := append(Later(RateLimited, 3e9), Entry(InvalidValue, "x", "is required"))
	said, spoken = later.In("fr")
	if diff := cmp.Diff([]string{"fr", "Trop de requêtes.", "est obligatoire"}, []string{spoken, said[0].Message, said[1].Message}); diff != "" {
		t.Errorf("in French (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Too many requests.", "is required"}, []string{later[0].Message, later[1].Message}); diff != "" {
		t.Errorf("the errors themselves (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{429, 3}, []int{said.Status(), said.RetryAfterSeconds()}); diff != "" {
		t.Errorf("status and wait in French (-want +got):\n%s", diff)
	}
	if Say("fr", nil, []Error{}) {
		t.Error("no messages are said in French")
	}
}

// English costs nothing: neither the catalogue of translations nor a copy of the errors.
func TestEnglishMessagesCostNothing(t *testing.T) {
	errs := New(ItemNotFound)
	if n := testing.AllocsPerRun(100, func() { errs.In(English) }); n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}

// TestEveryMessageIsTranslated goes through the sources: each message that the code can make has a block in messages.txt, and each block
// is of a message that the code can make, or that an older release has stored.
func TestEveryMessageIsTranslated(t *testing.T) {
	all := inAllLanguages()
	left := map[string]string{} // the blocks that no message has met, by what is the same whatever the placeholders are
	for _, m := range all.All() {
		key := plain(m.English)
		if left[key] != "" {
			t.Errorf("messages.txt has two blocks for %q", key)
		}
		left[key] = m.English
	}
	known := maps.Clone(left)
	for message, where := range messagesOfTheCode(t) {
		if known[message] == "" {
			t.Errorf("%s: messages.txt lacks a block for %q", where, message)
		}
		delete(left, message)
	}
	for _, english := range slices.Sorted(maps.Values(left)) {
		t.Errorf("messages.txt has a block that no message needs: %q", english)
	}
}

// TestTranslationsAreWhole compares each translation with its English message: the language, the values, and how it ends.
func TestTranslationsAreWhole(t *testing.T) {
	placeholder := regexp.MustCompile(`%(?:\[(\d)\])?s`)
	all := inAllLanguages()
	for _, m := range all.All() {
		if diff := cmp.Diff(others, slices.Sorted(maps.Keys(m.In))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", m.English, diff)
		}
		for language, text := range m.In {
			var used []string
			for i, place := range placeholder.FindAllStringSubmatch(text, -1) {
				if place[1] == "" {
					place[1] = strconv.Itoa(i + 1)
				}
				used = append(used, place[1])
			}
			var want []string
			for i := range m.Verbs {
				want = append(want, strconv.Itoa(i+1))
			}
			slices.Sort(used)
			if diff := cmp.Diff(want, used); diff != "" {
				t.Errorf("%q in %s: values (-want +got):\n%s", m.English, language, diff)
			}
			if ends := strings.TrimRight(m.English, ".?"); (ends == m.English) != (strings.TrimRight(text, ".?") == text) {
				t.Errorf("%q ends in %s like %q", m.English, language, text)
			}
			if text == m.English && strings.Contains(m.English, " ") || strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
				t.Errorf("%q is in %s %q", m.English, language, text)
			}
		}
	}
}

// A message must be read as the one that it is, not as another one that says less. The values of these samples are none that occur.
func TestEachMessageIsReadAsItself(t *testing.T) {
	all := inAllLanguages()
	for _, m := range all.All() {
		values := make([]string, len(m.Verbs))
		text := m.Literals[0]
		for i, verb := range m.Verbs {
			values[i] = map[byte]string{'d': "70", 'q': `"Xx"`, 't': "80 days", 'l': "POST /x"}[verb]
			if values[i] == "" {
				values[i] = "Xx"
			}
			text += values[i] + m.Literals[i+1]
		}
		for i, verb := range m.Verbs {
			if verb == 't' {
				values[i] = "80 Tage"
			}
		}
		got, ok := all.Say("de", text)
		if diff := cmp.Diff(m.Say("de", values), got); diff != "" || !ok {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// plain is a message with the same sign for all placeholders.
func plain(message string) string { return anyPlaceholder.ReplaceAllString(message, "%") }

var anyPlaceholder = regexp.MustCompile(`%[sdqvtl]`)

// elsewhere are folders beside the service, which refuse nobody.
var elsewhere = []string{"client", "openapi", "outboundtest"}

// makers are the functions that make a message of one of their arguments.
var makers = map[string]int{"Newf": 2, "Entry": 2, "Add": 2, "skip": 1, "refuse": 0, "costUnknown": 0}

// composed are functions whose results are messages, or parts of them: of these the message around them.
var composed = map[string]string{
	"found": "The body is not valid JSON at byte %d%s.", "foundThere": "The body is not valid JSON at byte %d%s.", "foundWord": "The body is not valid JSON at byte %d%s.",
	"nothingAt": "%s", "insteadOf": "This path accepts %s.%s", "withoutBrackets": "is not a parameter of this operation%s", "inWords": "%s", "whyUnusable": "%s",
	"codingOf": "The server sent it with Content-Encoding %s, although the request asks for none. Only gzip and deflate are read then.",
}

// listed are variables whose texts are messages, or parts of them, with the message around them.
var listed = map[string]string{
	"StringRules": "%s", "NumberRules": "%s", "ListRules": "%s", "AnyRules": "%s", "formNames": "must be %s", "ErrTooManyKeys": "%s",
	"beginnings": ": %s", "mistakes": ": %s", "words": "there is %s, and JSON wants %s",
}

// passedOn are messages that a maker gets from elsewhere: from the functions and variables above, or from another maker.
var passedOn = []string{"must be %", "is not a parameter of this operation%", "This path accepts %.%", "The body is not valid JSON at byte %%.", "% Give the cost."}

// messagesOfTheCode are all messages of the code, with where each is.
func messagesOfTheCode(t *testing.T) map[string]string {
	r := &messageReader{files: token.NewFileSet(), texts: map[string]string{}, found: map[string]string{}}
	for _, info := range ErrorCatalogue {
		r.found[plain(info.Meaning)] = "catalogue.go"
	}
	var all []*ast.File
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err == nil && entry.IsDir() && slices.Contains(elsewhere, entry.Name()):
			return fs.SkipDir
		case err != nil, entry.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, "catalogue.go"):
			return err
		}
		file, err := parser.ParseFile(r.files, path, nil, parser.SkipObjectResolution)
		all = append(all, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		r.constants(file)
	}
	for _, file := range all {
		ast.Inspect(file, r.read)
	}
	for _, message := range passedOn {
		if r.found[message] == "" {
			t.Errorf("nothing passes %q on", message)
		}
		delete(r.found, message)
	}
	delete(r.found, "%")
	delete(r.found, "")
	return r.found
}

// messageReader finds messages in sources.
type messageReader struct {
	files *token.FileSet
	texts map[string]string // constants and variables of functions that are texts, by folder and name
	found map[string]string
}

// constants notes the texts of constants.
func (r *messageReader) constants(file *ast.File) {
	for _, declaration := range file.Decls {
		if general, ok := declaration.(*ast.GenDecl); ok && general.Tok == token.CONST {
			for _, spec := range general.Specs {
				values := spec.(*ast.ValueSpec)
				for i, value := range values.Values {
					if text := r.text(value); text != "%" {
						r.texts[r.folder(value)+values.Names[i].Name] = text
					}
					if kind, ok := values.Type.(*ast.Ident); ok && kind.Name == "URLError" {
						r.note(value, r.text(value))
					}
				}
			}
		}
	}
}

// read notes the messages that a node makes.
func (r *messageReader) read(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.FuncDecl:
		if around := composed[n.Name.Name]; around != "" {
			r.results(n, around)
		}
	case *ast.ValueSpec:
		for i, value := range n.Values {
			if around := listed[n.Names[i].Name]; around != "" {
				r.listed(value, around)
			}
		}
	case *ast.CallExpr:
		name := ""
		switch called := n.Fun.(type) {
		case *ast.Ident:
			name = called.Name
		case *ast.SelectorExpr:
			name = called.Sel.Name
		}
		at, makes := makers[name]
		if !makes || len(n.Args) <= at || name == "refuse" && len(n.Args) != 1 || name == "Add" && !isCode(n.Args[0]) {
			break
		}
		message := r.text(n.Args[at])
		if name == "costUnknown" {
			message += " Give the cost."
		}
		r.note(n, message)
	case *ast.CompositeLit:
		if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "ValueError" || isSelector(n.Type, "ValueError") {
			last := n.Elts[len(n.Elts)-1]
			if pair, ok := last.(*ast.KeyValueExpr); ok {
				last = pair.Value
			}
			r.note(n, r.text(last))
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if isSelector(to, "Message") {
				r.note(n, r.text(n.Rhs[i]))
			}
		}
	}
	return true
}

// results notes what a function returns, in the message around it. Other functions whose results it returns are read by themselves.
func (r *messageReader) results(function *ast.FuncDecl, around string) {
	local := maps.Clone(r.texts)
	defer func() { r.texts = local }()
	r.texts = maps.Clone(local)
	ast.Inspect(function.Body, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.AssignStmt:
			if name, ok := n.Lhs[0].(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Lhs) == 1 {
				if text := r.text(n.Rhs[0]); text != "%" {
					r.texts[r.folder(name)+name.Name] = text
				}
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				if text := r.text(result); text != "%" && text != ": %" {
					r.part(n, text, around)
				}
			}
		}
		return true
	})
}

// listed notes the texts in the value of a variable.
func (r *messageReader) listed(value ast.Expr, around string) {
	ast.Inspect(value, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text := r.text(literal); strings.Contains(text, " ") && text != " " {
				r.part(node, text, around)
			}
		}
		return true
	})
}

// part notes a message of which the text is a part. What follows a colon in a message about JSON has a block of its own.
func (r *messageReader) part(node ast.Node, text, around string) {
	if around == ": %s" {
		r.note(node, quoteSign.ReplaceAllString(text, "quote (%)"))
		return
	}
	if rest, ok := strings.CutPrefix(text, ": "); ok {
		r.note(node, rest)
		text = ": %"
	}
	at := strings.LastIndex(around, "%s")
	r.note(node, around[:at]+text+around[at+len("%s"):])
}

// quoteSign is the one quote that a message about typographic quotes names.
var quoteSign = regexp.MustCompile(`quote \([“”„‟‘’‚«»]\)`)

func (r *messageReader) note(node ast.Node, message string) {
	r.found[plain(message)] = r.files.Position(node.Pos()).String()
}

// text is the text of an expression, with a placeholder for what is known only when it runs.
func (r *messageReader) text(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return plain(text)
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return r.text(e.X) + r.text(e.Y)
		}
	case *ast.Ident:
		if text, ok := r.texts[r.folder(e)+e.Name]; ok {
			return text
		}
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			if text, ok := r.texts["../"+of.Name+"/"+e.Sel.Name]; ok {
				return text
			}
		}
	case *ast.CallExpr:
		if isSelector(e.Fun, "Sprintf") || isSelector(e.Fun, "Errorf") {
			return r.text(e.Args[0])
		}
	}
	return "%"
}

// folder is where a node is, such as ../wire/.
func (r *messageReader) folder(node ast.Node) string {
	folder, _ := filepath.Split(r.files.Position(node.Pos()).Filename)
	return folder
}

func isSelector(expression ast.Expr, name string) bool {
	selector, ok := expression.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == name
}

// isCode says whether an argument is the code of an error: the one thing that is added with a message.
func isCode(argument ast.Expr) bool {
	switch a := argument.(type) {
	case *ast.SelectorExpr:
		of, ok := a.X.(*ast.Ident)
		return ok && (of.Name == "refusal" || a.Sel.Name == "code")
	case *ast.Ident:
		return a.Name == "code"
	}
	return false
}
