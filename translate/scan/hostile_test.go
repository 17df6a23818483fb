package scan_test

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/scan"
)

// hostileSize is the size of a hostile text, in bytes: an algorithm whose time grows with its square takes a minute for some of them.
const hostileSize = 64 << 10

// TestHostileFilesAreReadOrNamed scans texts that are made to take long. The call behind the text is found, or the file is named as
// one that was not read to its end.
func TestHostileFilesAreReadOrNamed(t *testing.T) {
	for name, test := range map[string]struct{ before, repeated, after string }{
		"lines.js":     {"let a = 1", "\n", "\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"members.cs":   {"class A { ", "int X { get; set; } = 1 ", "; }\nclass B { void C() { client.GetAsync(\"https://rest.delcampe.net/item/4711\"); } }\n"},
		"blocks.js":    {"x = ", "{a:1} ", "\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"braces.py":    {"a = '", "{", "'\nrequests.get('https://rest.delcampe.net/item/4711')\n"},
		"brackets.php": {"<?php $a = \"", "$a[", "\";\nfile_get_contents('https://rest.delcampe.net/item/4711');\n"},
		"pattern.js":   {"a(", "/[", ")\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"chain.js":     {"a", ".b('/item/1')", "\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"constants.kt": {"", "AAA(\"/item/1\"),", "\nfun a() { get(\"https://rest.delcampe.net/item/4711\") }\n"},
		"commands.sh":  {"echo ", "$(", "\ncurl https://rest.delcampe.net/item/4711\n"},
		"options.sh":   {"env ", "-a ", "true\ncurl https://rest.delcampe.net/item/4711\n"},
		"quotes.pl":    {"my $a = ", "q(", ";\n$ua->get('https://rest.delcampe.net/item/4711');\n"},
		"comments.js":  {"a(", "/* ", "\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"holes.pl":     {"my $a = \"", "$a->{", "\";\n$ua->get('https://rest.delcampe.net/item/4711');\n"},
		"object.js":    {"x({", "a:'/item/1',", "})\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"forms.html":   {"<p>", "<script<form ", "\n<script>fetch('https://rest.delcampe.net/item/4711')</script>\n"},
		"told.js":      {"a(" + strings.Repeat("xy,", hostileSize) + "1).b(", "'item/1/restart',", "1)\nfetch('https://rest.delcampe.net/item/4711')\n"},
		"words.rb":     {"for x in %w[", "a/item/1 ", "]\nend\nNet::HTTP.get(URI('https://rest.delcampe.net/item/4711'))\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := test.before + strings.Repeat(test.repeated, hostileSize/len(test.repeated)) + test.after
			root := folder(t, map[string]string{name: text})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			table, err := translate.New()
			if err != nil {
				t.Fatal(err)
			}
			report, err := scan.Run(ctx, table, scan.Options{Paths: []string{root}, BaseURL: baseURL})
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Count(test.before+strings.Repeat(test.repeated, hostileSize/len(test.repeated)), "\n") + 2
			found := slices.ContainsFunc(report.Findings, func(f scan.Finding) bool { return f.Line >= line && f.Call == "item" })
			if !found && len(report.Summary.Partial) != 1 {
				t.Errorf("the call is not found, and the file is not named: %d findings", len(report.Findings))
			}
			if len(report.Summary.Partial) != report.Summary.Skipped || report.Summary.Files+report.Summary.Skipped != 1 {
				t.Errorf("%v are named, %d are read and %d skipped", report.Summary.Partial, report.Summary.Files, report.Summary.Skipped)
			}
		})
	}
}

// TestFilesInUTF16AreRead reads programs and records by their byte order marks.
func TestFilesInUTF16AreRead(t *testing.T) {
	for name, text := range map[string]string{
		"a.bas": "Sub Main()\r\n  http.Open \"GET\", \"https://rest.delcampe.net/item/4711\"\r\nEnd Sub\r\n",
		"a.asp": "x = 1\r\nhttp.Open \"GET\", \"https://rest.delcampe.net/item/4711\"\r\n",
		"a.log": "# \r\n1.2.3.4 - - [12/Mar/2026:06:25:24 +0100] \"GET https://rest.delcampe.net/item/4711 HTTP/1.1\" 200 1\r\n",
	} {
		for mark, order := range map[string]binary.AppendByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
			b := []byte(mark)
			for _, unit := range utf16.Encode([]rune(text)) {
				b = order.AppendUint16(b, unit)
			}
			root := folder(t, map[string]string{name: string(b)})
			if diff := cmp.Diff([]string{name + ":2 item"}, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
				t.Errorf("%s in %v (-want +got):\n%s", name, order, diff)
			}
		}
	}
}

// TestColumnsCountCharacters has characters of several bytes before the paths.
func TestColumnsCountCharacters(t *testing.T) {
	root := folder(t, map[string]string{
		"a.php": "<?php /* é€😀 */ file_get_contents('https://rest.delcampe.net/item/4711');",
		"b.har": `{"log": {"entries": [{"comment": "é€😀", "request": {"method": "GET", "url": "https://rest.delcampe.net/item/4711"}}]}}`,
		"c.log": "1.2.3.4 - é€😀 [12/Mar/2026:06:25:24 +0100] \"GET https://rest.delcampe.net/item/4711 HTTP/1.1\" 200 1",
	})
	want := map[string]int{"a.php": 62, "b.har": 78, "c.log": 49}
	got := map[string]int{}
	for _, f := range scanned(t, nil, root).Findings {
		got[filepath.Base(f.File)] = f.Column
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the columns (-want +got):\n%s", diff)
	}
}

func TestAPathBelowAFileIsAnError(t *testing.T) {
	root := folder(t, map[string]string{"a.php": call})
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a.php", "below")
	if _, err := scan.Run(t.Context(), table, scan.Options{Paths: []string{below}, BaseURL: baseURL}); err == nil || !strings.Contains(err.Error(), below) {
		t.Errorf("the error is %v", err)
	}
}
