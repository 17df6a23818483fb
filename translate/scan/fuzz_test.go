package scan

import (
	"testing"

	"sellerd/translate"
)

// FuzzOneFile reads and searches one file, as a scan does, but without the guard that turns a mistake into a file that is skipped.
func FuzzOneFile(f *testing.F) {
	table, err := translate.New()
	if err != nil {
		f.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.php":   "<?php $u = BASE . \"/item/{$id}\"; curl_setopt($c, CURLOPT_URL, $u); ?>x<?= <<<A\n$a[1]\nA;",
		"a.js":    "const u = `${base}/item/${id}`; fetch(u, {method: 'DELETE'}).then(r => r.text(), /[/]x/)",
		"a.py":    "def get(path):\n    return requests.get(f'{BASE}/{path!r:>9}' % (1, 2))\nget('item/1')",
		"a.cs":    "class A { int X { get; set; } = 1; void B() => c.GetAsync($\"{Base}/item/{id:0}\"); }",
		"a.kt":    "fun a(x: String = \"b\") = get<X>(\"${base}/item/$x\")\nenum class E { A(\"/item/1\"), B(\"/seller\") }",
		"a.rb":    "%w[item seller].each { |p| Net::HTTP.get(URI(\"#{BASE}/#{p}\")) }\n<<~A\n#{x}\nA",
		"a.go":    "func (c *C) get(p string) { http.Get(base + \"/item/\" + fmt.Sprintf(`%d`, 1)) }",
		"a.pl":    "sub get { my ($s, $p) = @_; $s->{ua}->get(\"$base/item/$p->{id}\"); } qw(a b); s{a}{b};",
		"a.vb":    "Function A(ByVal x As String)\n http.Open \"GET\", $\"{b}/item/{x}\" & _\n \"\"\nEnd Function",
		"a.sh":    "B=https://rest.delcampe.net; for i in a b; do curl -X PUT \"${B:-x}/item/$(echo $i)\"; done <<A\nA\n",
		"a.ps1":   "$b = 'https://rest.delcampe.net'\nInvoke-RestMethod -Method Put -Uri (\"{0}/item/{1}\" -f $b, $i) `\n -Body @{ a = $x.y }",
		"a.ini":   "[a]\nbase.url = https://rest.delcampe.net ; x\nurl=%(base.url)s/item/1",
		"a.yml":   "a:\n  - { path: /item/1, method: PUT }\n  - |\n    curl https://rest.delcampe.net/item\n",
		"a.xml":   "<a><add key=\"k\" value=\"https://rest.delcampe.net/item/1\"/><key>x</key><string>y</string></a>",
		"a.vue":   "<script>x</script><script setup>$fetch('/item/' + id)</script>",
		"a.json":  "{\"url\":\"=https://rest.delcampe.net/item/{{ $json.id }}\",\"method\":\"PUT\"}",
		"b.js":    "x = ''=PUT; y('/item/1', '' = PUT)",
		"a.bru":   "delete {\n  url: {{host}}/item/{{id}}\n}\n",
		"a.tf":    "x = \"${a}/item/${b}\" # y\n",
		"a.ahk":   "b := \"https://rest.delcampe.net\" ; x\nUrlDownloadToFile, %b%/item/%i%?t=%t, x\nr.Open(\"PUT\", b \"/item/\" i . \"?\" t)\n",
		"a.cfm":   "<!--- x ---><cfset b = \"https://rest.delcampe.net\"><cfhttp url=\"#b#/item/#form.i#/#\" method=\"put\">##\n",
		"a.robot": "*** Test Cases ***\nA\n    ${r}=    PUT On Session    x    /item/${i}    data=qty=1  # y\n",
	} {
		f.Add(name, text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		kind := kindOf(name, []byte(text[:min(len(text), headSize)]))
		if kind == "" || kind == "lines" || kind == "http" || len(text) > 1<<16 {
			return
		}
		s := newScanner(table, Options{BaseURL: "https://api.example.com"})
		s.learn(kind, name, text)
		found, _ := s.search(kind, name, text)
		for i := range found {
			if f := &found[i]; f.Line < 1 || f.Column < 1 || f.Count < 1 || table.Lookup(f.Call) == nil {
				t.Errorf("the finding is %+v", f)
			}
		}
	})
}
