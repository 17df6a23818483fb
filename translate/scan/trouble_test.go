package scan_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/guide"
	"sellerd/translate/scan"
)

// call is a program that calls once.
const call = "<?php file_get_contents('https://rest.delcampe.net/item/4711');\n"

// folder makes a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWhatIsNotReadIsCounted(t *testing.T) {
	root := folder(t, map[string]string{
		"a.php": call, "vendor/b.php": call, "node_modules/c.js": call, ".git/d.php": call, "sub/vendor/e.php": call,
		"binary.php":  "\x7fELF\x00\x00" + call,
		"large.php":   "<?php // " + strings.Repeat("x", 5<<20) + "\n" + call,
		"endless.php": "<?php $x = '" + strings.Repeat("/item/1 ", 100_000) + "';" + strings.TrimPrefix(call, "<?php "),
		"latin.php":   "<?php // \xe9\xe8\xff\n" + strings.TrimPrefix(call, "<?php "),
		"README.md":   "GET https://rest.delcampe.net/item/4711",
		"deep.js":     strings.Repeat("([{", 20_000) + "fetch('https://rest.delcampe.net/item/4711')",
	})
	for name, target := range map[string]string{"loop": root, "link.php": filepath.Join(root, "a.php")} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	report := scanned(t, nil, root)
	want := []string{"a.php:1 item", "deep.js:1 item", "endless.php:1 item", "latin.php:2 item"}
	if diff := cmp.Diff(want, places(report, filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
	// Skipped are four folders, two links, the binary, the large file, and the text.
	if report.Summary.Files != 4 || report.Summary.Skipped != 9 {
		t.Errorf("%d files were read and %d skipped, not 4 and 9", report.Summary.Files, report.Summary.Skipped)
	}
}

// TestTextOfAnotherKindIsReadWhenItNamesTheHost has programs in languages that the scan does not know.
func TestTextOfAnotherKindIsReadWhenItNamesTheHost(t *testing.T) {
	root := folder(t, map[string]string{
		"a.tcl":         "http::geturl \"https://rest.delcampe.net/item/$id\" -method PUT -query $q\n",
		"a.ahk":         "whr.Open(\"GET\", \"https://rest.delcampe.net/item/fixedprice/sold?token=\" . t, true)\n",
		"a.fs":          "Http.RequestString(\"https://rest.delcampe.net/item\", httpMethod = \"POST\", body = FormValues [\"title\", t])\n",
		"a.clj":         "(http/get \"https://rest.delcampe.net/item/auction/closed\" {:query-params {\"token\" t}})\n",
		"a.hs":          "r <- customMethod \"DELETE\" (\"https://rest.delcampe.net/item/\" ++ i)\n",
		"a.nim":         "client.request(\"https://rest.delcampe.net/item/\" & id, httpMethod = HttpPut, body = b)\n",
		"a.zig":         "const uri = try std.Uri.parse(\"https://rest.delcampe.net/shippingModels\");\n",
		"a.au3":         "$o = InetRead(\"https://rest.delcampe.net/server/time\")\n",
		"a.abap":        "cl_http_client=>create_by_url( EXPORTING url = 'https://rest.delcampe.net/shippingModels' ).\n",
		"a.applescript": "do shell script \"curl -X PUT 'https://rest.delcampe.net/item/\" & theId & \"' -d qty=2\"\n",
		"a.pq":          "Web.Contents(\"https://rest.delcampe.net\", [RelativePath=\"item/fixedprice/opened\"])\n",
		"shop.php.bak":  call,

		"other.icn": "http::geturl $base/item/$id\n", // another host, for all that is known
		"notes.txt": "DELETE https://rest.delcampe.net/item/4711",
		"notes.rst": "DELETE https://rest.delcampe.net/item/4711",
		"a.css":     "/* https://rest.delcampe.net/item/4711 */",
		"sales.csv": "4711,https://rest.delcampe.net/item/4711\n",
		"LICENSE":   "https://rest.delcampe.net/item/4711",
		"a.xyz":     "\x00https://rest.delcampe.net/item/4711",
	})
	report := scanned(t, nil, root)
	want := []string{
		"a.abap:1 shipping-models", "a.ahk:1 fixedprice-sold", "a.applescript:1 item-update", "a.au3:1 server-time", "a.clj:1 auction-closed", "a.fs:1 item-create",
		"a.hs:1 item-close", "a.nim:1 item-update", "a.pq:1 fixedprice-opened", "a.tcl:1 item-update", "a.zig:1 shipping-models", "shop.php.bak:1 item",
	}
	if diff := cmp.Diff(want, places(report, filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
	if report.Summary.Files != 12 || report.Summary.Skipped != 7 {
		t.Errorf("%d files were read and %d skipped, not 12 and 7", report.Summary.Files, report.Summary.Skipped)
	}
}

// TestCommentsOfRareLanguagesAreNoCalls has a call in a comment before one that is made.
func TestCommentsOfRareLanguagesAreNoCalls(t *testing.T) {
	root := folder(t, map[string]string{
		"a.abap":        "* url = 'https://rest.delcampe.net/item/auction/sold'.\nurl = `https://rest.delcampe.net/shippingModels`. \" /item/auction/closed\n",
		"a.prg":         "* oHttp.Open('GET', 'https://rest.delcampe.net/item/auction/sold')\n  oHttp.Open('GET', 'https://rest.delcampe.net/shippingModels') && not /item/auction/closed\n",
		"a.hs":          "{- get \"https://rest.delcampe.net/item/auction/sold\" -}\nr <- get (\"https://rest.delcampe.net\" <> \"/shippingModels\") -- not \"/item/auction/closed\"\n",
		"a.fsx":         "// Http.Get \"https://rest.delcampe.net/item/auction/sold\"\nHttp.Get(\"https://rest.delcampe.net/shippingModels\") (* not /item/auction/closed *)\n",
		"a.cljs":        "; (get \"https://rest.delcampe.net/item/auction/sold\")\n(http/get \"https://rest.delcampe.net/shippingModels\") ; \"/item/auction/closed\"\n",
		"a.applescript": "-- do shell script \"curl https://rest.delcampe.net/item/auction/sold\"\ndo shell script \"curl https://rest.delcampe.net/shippingModels\"\n",
		"a.nim":         "# get(\"https://rest.delcampe.net/item/auction/sold\")\nclient.get(\"https://rest.delcampe.net/shippingModels\")\n",
		"a.hx":          "// new Http(\"https://rest.delcampe.net/item/auction/sold\")\nnew Http(\"https://rest.delcampe.net/shippingModels\").request(false);\n",
	})
	want := []string{
		"a.abap:2 shipping-models", "a.applescript:2 shipping-models", "a.cljs:2 shipping-models", "a.fsx:2 shipping-models",
		"a.hs:2 shipping-models", "a.hx:2 shipping-models", "a.nim:2 shipping-models", "a.prg:2 shipping-models",
	}
	if diff := cmp.Diff(want, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
}

// TestTextsOfRareLanguagesAreRead has addresses in texts and characters that other languages do not write so.
func TestTextsOfRareLanguagesAreRead(t *testing.T) {
	root := folder(t, map[string]string{
		"a.abap": "u = |\\| x|.\nu = |https://rest.delcampe.net/item/{ lv_id }/buyer|.\nv = |{ gc_base }/item/auction/sold|.\n",
		"a.clj":  "(split s {\\\" 1 \\; 2}) (http/get \"https://rest.delcampe.net/shippingModels\")\n(sh \"bash\" \"-c\" \"\n curl https://rest.delcampe.net/item/auction/sold\n\")\n",
		"a.fs":   "let q = '\"' in Http.Get(\"https://rest.delcampe.net/shippingModels\")\nlet t = \"\n  https://rest.delcampe.net/item/auction/sold\"\n",
		"a.hs":   "r <- get |-- \"https://rest.delcampe.net/shippingModels\"\nu = [uri|https://rest.delcampe.net/item/auction/sold|]\n",
		"a.hx":   "var u = 'https://rest.delcampe.net\n/x'; new Http('https://rest.delcampe.net/shippingModels');\n",
		"a.nim":  "s.find('#'); client.get(\"https://rest.delcampe.net/shippingModels\")\n#[ one\nclient.get(\"https://rest.delcampe.net/item/auction/sold\") ]#\n",
		"a.prg":  "lcUrl = [https://rest.delcampe.net/shippingModels]\nRUN /N curl -s https://rest.delcampe.net/item/auction/sold\n",
	})
	want := []string{
		"a.abap:2 item-buyer", "a.abap:3 auction-sold", "a.clj:1 shipping-models", "a.clj:3 auction-sold", "a.fs:1 shipping-models", "a.fs:3 auction-sold",
		"a.hs:1 shipping-models", "a.hs:2 auction-sold", "a.hx:2 shipping-models", "a.nim:1 shipping-models", "a.prg:1 shipping-models", "a.prg:2 auction-sold",
	}
	if diff := cmp.Diff(want, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
}

// TestWhatCannotBeReadIsNamed has a program with a byte that no text has, a file and a folder without permission, and a folder whose path is
// too long for the system.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	root := folder(t, map[string]string{
		"a.php": call, "broken.php": call + "\x00", "late.js": strings.Repeat("x()\n", 2000) + "\x00", "photo.jpg": "\xff\xd8\x00",
		"closed.php": call, "closed/b.php": call,
	})
	t.Chdir(root)
	deep := strings.Repeat("long.", 40)
	for range 25 {
		if err := os.Mkdir(deep, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(deep); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chdir(root); err != nil {
		t.Fatal(err)
	}
	want := []string{"broken.php", "late.js"}
	if os.Geteuid() > 0 { // root reads all
		want = []string{"broken.php", "closed", "closed.php", "late.js"}
		for _, name := range want[1:3] {
			if err := os.Chmod(name, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, name), 0o700) })
		}
	}
	summary := scanned(t, nil, ".").Summary
	got := slices.DeleteFunc(slices.Clone(summary.Partial), func(name string) bool { return strings.HasPrefix(name, "long.") })
	if diff := cmp.Diff(want, got); diff != "" || len(got)+1 != len(summary.Partial) || summary.Skipped != len(summary.Partial)+1 {
		t.Errorf("%d are skipped, and %d of them named (-want +got):\n%s", summary.Skipped, len(summary.Partial), diff)
	}
}

func TestAPathThatIsNotThereIsAnError(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	_, err = scan.Run(t.Context(), table, scan.Options{Paths: []string{missing}, BaseURL: baseURL})
	if err == nil || err.Error() != "scan: "+missing+": no such file or directory" {
		t.Errorf("the error is %v", err)
	}
}

func TestAScanThatIsCancelledEnds(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scan.Run(ctx, table, scan.Options{Paths: []string{"testdata"}, BaseURL: baseURL}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestNoReportHasASecret puts keys wherever a report could take them from.
func TestNoReportHasASecret(t *testing.T) {
	key, old := "dk_live_5CbWYchqd2AHm2iboAjviSLD6CUxC7XBMmSMBDr5TEeN4C55xF", strings.Repeat("0123456789abcdef", 4)
	secrets := []string{key, old, "hunter2", "tokenvalue123"}
	root := folder(t, map[string]string{
		key + ".php":    "<?php file_get_contents('https://user:hunter2@rest.delcampe.net/item/reference/" + key + "?token=tokenvalue123');\n",
		old + ".sh":     "curl -X POST 'https://rest.delcampe.net/seller' -d 'apikey=" + old + "'\n",
		"a.har":         `{"log": {"entries": [{"request": {"method": "GET", "url": "https://rest.delcampe.net/item/reference/` + old + `?token=tokenvalue123"}}]}}`,
		"settings.ini":  "[delcampe]\nurl = https://rest.delcampe.net/item/reference/" + key + "\n",
		"access.log":    `1.2.3.4 - - [12/Mar/2026:06:25:24 +0100] "GET /rest/item/reference/` + key + `?token=tokenvalue123 HTTP/1.1" 200 1` + "\n",
		"recorded.json": `{"at":"2027-11-01T10:00:00Z","call":"item","method":"GET","path":"/rest/item/` + key + `","status":200,"ms":1,"v1":[],"lossy":["` + key + `"]}` + "\n",
	})
	report := scanned(t, nil, root)
	if len(report.Findings) != 6 {
		t.Errorf("%d places were found, not 6", len(report.Findings))
	}
	for _, format := range []string{"text", "json", "sarif"} {
		var out bytes.Buffer
		if err := report.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if strings.Contains(strings.ReplaceAll(out.String(), filepath.ToSlash(root), ""), secret) {
				t.Errorf("the report as %s has %s", format, secret)
			}
		}
	}
}

// TestALargeHARIsReadPieceByPiece scans a HAR of more than a hundred megabytes, and one that ends in the middle.
func TestALargeHARIsReadPieceByPiece(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "large.har")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(file, `{"log": {"entries": [`)
	body := strings.Repeat("x", 1<<20)
	entry := fmt.Sprintf("{\"request\": {\"method\": \"GET\", \"url\": \"https://shop.example.org/\"}, \"response\": {\"content\": {\"text\": %q}}},\n", body)
	for range 104 {
		if _, err := file.WriteString(entry); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(file, `{"request": {"method": "GET", "url": "https://rest.delcampe.net/item/4711"}}]}}`)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	half := `{"log": {"entries": [{"request": {"method": "GET", "url": "https://rest.delcampe.net/seller"}}, {"request"`
	if err := os.WriteFile(filepath.Join(root, "half.har"), []byte(half), 0o644); err != nil {
		t.Fatal(err)
	}
	report := scanned(t, nil, root)
	want := []string{"half.har:1 seller", "large.har:106 item"}
	if diff := cmp.Diff(want, places(report, filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
	if report.Summary.Files != 1 || report.Summary.Skipped != 1 {
		t.Errorf("%d files were read and %d skipped, not 1 and 1: half a record counts as skipped", report.Summary.Files, report.Summary.Skipped)
	}
}

func TestHostsOfTheServiceAreNamed(t *testing.T) {
	root := folder(t, map[string]string{"a.py": "import requests\nrequests.get('https://api.example.org/rest/item/4711')\n"})
	if got := places(scanned(t, nil, root), filepath.ToSlash(root)); got != nil {
		t.Errorf("without the host there is %v", got)
	}
	for _, host := range []string{"api.example.org", "https://API.example.org:443/"} {
		if diff := cmp.Diff([]string{"a.py:2 item"}, places(scanned(t, []string{host}, root), filepath.ToSlash(root))); diff != "" {
			t.Errorf("with the host %s (-want +got):\n%s", host, diff)
		}
	}
}

// TestAFindingSaysAllOfItself looks at one finding in each form.
func TestAFindingSaysAllOfItself(t *testing.T) {
	root := folder(t, map[string]string{
		"shop/close.sh": "# close an item\n  curl -X DELETE \"https://rest.delcampe.net/item/$1\" -d reason=TestItem; curl -X DELETE https://rest.delcampe.net/item/2\n",
	})
	t.Chdir(root)
	report := scanned(t, nil, "shop")
	want := scan.Finding{
		File: "shop/close.sh", Line: 2, Column: 45, Call: "item-close", Method: "DELETE", Path: "/rest/item/{id_item}", Confidence: scan.Certain,
		Fields: []string{"reason"}, V1: &guide.Endpoint{Method: "POST", Path: "/v1/items/{id}/close"}, Notes: []string{},
		GuideURL: "https://api.example.com/migration#item-close", Count: 2,
	}
	if len(report.Findings) != 1 {
		t.Fatalf("there are %d findings, not 1", len(report.Findings))
	}
	got := report.Findings[0]
	if !strings.HasPrefix(got.Curl, `curl "https://api.example.com/v1/items/$ITEM/close"`) {
		t.Errorf("its command is %s", got.Curl)
	}
	got.Curl = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(scan.Summary{Calls: map[string]int{"item-close": 2}, Files: 1}, report.Summary); diff != "" {
		t.Errorf("the summary (-want +got):\n%s", diff)
	}
}

// TestJSONHasTheMembersOfTheContract compares the names of members, which programs read.
func TestJSONHasTheMembersOfTheContract(t *testing.T) {
	root := folder(t, map[string]string{"a.php": call})
	var out bytes.Buffer
	if err := scanned(t, nil, root).Write(&out, "json"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Version  int              `json:"version"`
		Findings []map[string]any `json:"findings"`
		Summary  map[string]any   `json:"summary"`
	}
	if err := json.Unmarshal(out.Bytes(), &got, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "line", "column", "call", "method", "path", "confidence", "fields", "v1", "curl", "notes", "guide_url", "count"} {
		if _, ok := got.Findings[0][name]; !ok {
			t.Errorf("a finding has no %s", name)
		}
	}
	if len(got.Findings[0]) != 13 || got.Version != 1 || len(got.Summary) != 3 {
		t.Errorf("the report is %s", out.String())
	}
}

func TestALinkThatIsNamedIsFollowed(t *testing.T) {
	root := folder(t, map[string]string{"shop/a.php": call})
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "shop"), link); err != nil {
		t.Fatal(err)
	}
	report := scanned(t, nil, link)
	if diff := cmp.Diff([]string{"a.php:1 item"}, places(report, filepath.ToSlash(link))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
	file := filepath.Join(root, "link.php")
	if err := os.Symlink(filepath.Join(root, "shop", "a.php"), file); err != nil {
		t.Fatal(err)
	}
	if report := scanned(t, nil, file); len(report.Findings) != 1 {
		t.Errorf("a link to a file has %d findings, not 1", len(report.Findings))
	}
}

func TestAnEmptyHostIsNotOurs(t *testing.T) {
	root := folder(t, map[string]string{"a.php": "<?php file_get_contents('http:///item/4711');"})
	if report := scanned(t, []string{"/"}, root); len(report.Findings) > 0 {
		t.Errorf("found: %v", places(report, root))
	}
}

// A file that is named itself is read whatever its name, or named as not read.
func TestAFileThatIsNamedIsRead(t *testing.T) {
	const line = `192.0.2.1 - - [20/Nov/2026:14:23:23 +0100] "GET /rest/item/4711 HTTP/1.1" 200 5` + "\n"
	root := folder(t, map[string]string{
		"log.txt": line, "notes.md": "run `curl https://rest.delcampe.net/item/4711`\n", "old.txt": "curl https://shop.example/rest/item/4711\n", "log.gz": "\x1f\x8b\x08\x00",
	})
	for name, want := range map[string][]string{
		"log.txt": {"log.txt:1 item"}, "notes.md": {"notes.md:1 item"}, "old.txt": nil, "log.gz": nil,
	} {
		report := scanned(t, nil, filepath.Join(root, name))
		if diff := cmp.Diff(want, places(report, filepath.ToSlash(root))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if unread := len(report.Summary.Partial); unread != map[bool]int{true: 1}[name == "log.gz"] {
			t.Errorf("%s: %d files are named as not read", name, unread)
		}
		var said strings.Builder
		if err := report.Write(&said, "text"); err != nil {
			t.Fatal(err)
		}
		if nothing := strings.HasPrefix(said.String(), "No file was read, 1 skipped: that says nothing of /rest."); nothing != (name == "log.gz") {
			t.Errorf("%s: it says %q", name, said.String())
		}
	}
}
