package scan

import (
	"bytes"
	"path/filepath"
	"strings"
)

// This file knows how languages are written, as far as strings, comments, joins and functions matter.

// language is how a language is written.
type language struct {
	name     string
	line     []string    // what begins a comment that ends with the line
	block    [][2]string // what begins and ends a comment
	quotes   string      // what begins and ends a text
	joins    []string    // operators that join texts
	newlines bool        // a line break ends a statement
	indented bool        // blocks are indented
	ends     bool        // functions end with a line that begins with end
	sigils   bool        // names begin with $
	caseless bool        // names differ in case and are the same
	arrow    bool        // -> leads to a member, and a dot joins texts
	template byte        // what stands before the braces of an expression in a text: $ or #, or { for braces alone
	raw      byte        // a quote whose text has no escapes
}

// The languages. JSON is written like JavaScript.
var (
	langPHP        = &language{name: "php", line: []string{"//", "#"}, block: [][2]string{{"/*", "*/"}}, quotes: `'"`, joins: []string{"."}, sigils: true, arrow: true, template: '{'}
	langJavaScript = &language{name: "javascript", line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "'\"`", joins: []string{"+"}, newlines: true, template: '$'}
	langPython     = &language{name: "python", line: []string{"#"}, quotes: `'"`, joins: []string{"+", "/"}, newlines: true, indented: true, template: '{'}
	langCSharp     = &language{name: "csharp", line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, joins: []string{"+"}, template: '{'}
	langJava       = &language{name: "java", line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, joins: []string{"+"}, template: '$'}
	langKotlin     = func() *language { k := *langJava; k.newlines = true; return &k }()
	langRuby       = &language{name: "ruby", line: []string{"#"}, block: [][2]string{{"\n=begin", "\n=end"}}, quotes: "'\"`", joins: []string{"+"}, newlines: true, ends: true, template: '#'}
	langGo         = &language{name: "go", line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"`'", joins: []string{"+"}, newlines: true, raw: '`'}
	langPerl       = &language{name: "perl", line: []string{"#"}, block: [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}, {"\n=over", "\n=cut"}, {"\n=begin", "\n=cut"}, {"\n=for", "\n=cut"}, {"\n=item", "\n=cut"}}, quotes: "'\"`", joins: []string{"."}, sigils: true, arrow: true, template: '{'}
	langVB         = &language{name: "vb", line: []string{"'"}, quotes: `"`, joins: []string{"&", "+"}, newlines: true, ends: true, caseless: true, template: '{'}
	langShell      = &language{name: "shell", newlines: true}
	langSettings   = &language{name: "settings"} // of settings, whose values are texts
)

// fileKind is how a file is read.
type fileKind int

const (
	kindOther fileKind = iota
	kindSource
	kindMarkup   // pages with scripts in them
	kindProperty // INI, .env, .properties
	kindYAML
	kindXML
	kindJSON // settings, a HAR, a Postman collection, or lines of a log or a recording
	kindLog
	kindHTTP // requests as they are sent
	kindCron
)

// extensions are the kinds of files by the ends of their names.
var extensions = func() map[string]struct {
	kind fileKind
	lang *language
} {
	type entry = struct {
		kind fileKind
		lang *language
	}
	known := map[string]entry{}
	add := func(kind fileKind, lang *language, names string) {
		for name := range strings.FieldsSeq(names) {
			known["."+name] = entry{kind, lang}
		}
	}
	add(kindSource, langPHP, "php php3 php4 php5 php7 phtml inc module ctp tpl")
	add(kindSource, langJavaScript, "js mjs cjs jsx ts tsx mts cts es6 gs json5")
	add(kindSource, langPython, "py pyw py3 ipy")
	add(kindSource, langCSharp, "cs csx")
	add(kindSource, langJava, "java")
	add(kindSource, langKotlin, "kt kts groovy gradle scala")
	add(kindSource, langRuby, "rb rake ru gemspec")
	add(kindSource, langGo, "go")
	add(kindSource, langPerl, "pl pm t cgi psgi")
	add(kindSource, langVB, "vb bas cls frm vbs asp ctl dsr vba")
	add(kindSource, langShell, "sh bash zsh ksh dash command mk")
	add(kindSource, langPowerShell, "ps1 psm1 psd1")
	add(kindMarkup, langJavaScript, "html htm vue svelte xhtml jsp cshtml aspx ascx erb ejs hbs twig")
	add(kindProperty, nil, "ini env properties cfg conf cnf toml prefs")
	add(kindYAML, nil, "yaml yml")
	add(kindXML, nil, "xml config plist xsl wsdl resx settings csproj vbproj")
	add(kindJSON, nil, "json har jsonl ndjson jsonc")
	add(kindLog, nil, "log")
	add(kindHTTP, nil, "http rest")
	add(kindCron, nil, "cron crontab")
	return known
}()

// interpreters are the languages of scripts by the last word of their first line.
var interpreters = []struct {
	name string
	lang *language
}{
	{"python", langPython}, {"perl", langPerl}, {"ruby", langRuby}, {"php", langPHP}, {"node", langJavaScript}, {"deno", langJavaScript}, {"bun", langJavaScript}, {"pwsh", langPowerShell}, {"sh", langShell},
}

// kindOf returns how a file is read. head is its beginning.
func kindOf(name string, head []byte) (fileKind, *language) {
	base := strings.ToLower(filepath.Base(name))
	switch {
	case strings.HasPrefix(base, ".env"):
		return kindProperty, nil
	case strings.HasPrefix(base, "crontab"), strings.HasSuffix(filepath.Dir(name), "cron.d"):
		return kindCron, nil
	case base == "makefile" || base == "gnumakefile" || strings.HasPrefix(base, "dockerfile") || base == "justfile" || base == "procfile":
		return kindSource, langShell
	case base == "rakefile" || base == "gemfile":
		return kindSource, langRuby
	}
	extension := filepath.Ext(base)
	if extension == ".env" || strings.HasSuffix(base, ".env.example") || strings.HasSuffix(base, ".env.dist") {
		return kindProperty, nil
	}
	for _, suffix := range []string{".dist", ".sample", ".example", ".bak", ".orig", ".template"} {
		if inner, ok := strings.CutSuffix(base, suffix); ok && filepath.Ext(inner) != "" {
			extension = filepath.Ext(inner)
		}
	}
	if found, ok := extensions[extension]; ok {
		if extension == ".t" || extension == ".cls" || extension == ".inc" || extension == ".gs" || extension == ".tpl" || extension == ".module" {
			return plausible(found.kind, found.lang, head)
		}
		return found.kind, found.lang
	}
	if line, ok := bytes.CutPrefix(head, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		for _, known := range interpreters {
			if bytes.Contains(line, []byte(known.name)) {
				return kindSource, known.lang
			}
		}
	}
	if strings.Contains(base, "access_log") || strings.Contains(base, "access.log") || strings.Contains(base, ".log.") || strings.Contains(base, "-access_") {
		return kindLog, nil
	}
	if extension == "" || extension == ".txt" || extension == ".out" || len(extension) > 1 && strings.Trim(extension[1:], "0123456789") == "" {
		return sniffed(head), nil
	}
	return kindOther, nil
}

// plausible returns the kind of a file whose extension several kinds of files have.
func plausible(kind fileKind, lang *language, head []byte) (fileKind, *language) {
	text := string(head)
	switch {
	case lang == langPHP && !strings.Contains(text, "<?"):
		return kindOther, nil
	case lang == langPerl && !strings.Contains(text, "my ") && !strings.Contains(text, "use "):
		return kindOther, nil
	case lang == langVB && !strings.Contains(strings.ToLower(text), "sub ") && !strings.Contains(strings.ToLower(text), "function "):
		return kindOther, nil
	}
	return kind, lang
}

// sniffed returns the kind of a file whose name says nothing.
func sniffed(head []byte) fileKind {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
	switch {
	case bytes.HasPrefix(line, []byte("{")):
		return kindJSON
	case bytes.Contains(line, []byte(`" `)) && bytes.Contains(line, []byte(" HTTP/")):
		return kindLog
	case bytes.HasSuffix(bytes.TrimSpace(line), []byte(" HTTP/1.1")), bytes.HasSuffix(bytes.TrimSpace(line), []byte(" HTTP/1.0")):
		return kindHTTP
	}
	return kindOther
}

// java says whether a language is written like Java.
func (l *language) java() bool { return l == langJava || l == langKotlin }
