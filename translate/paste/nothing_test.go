package paste

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingIsNoText pastes fields whose value is nothing in the language. None of them is a subtitle "null".
func TestNothingIsNoText(t *testing.T) {
	table := newTable(t)
	for name, request := range map[string]string{
		"Guzzle":             `$c->request("PUT", "https://rest.delcampe.net/item/4711", ["form_params" => ["renew" => 3, "subtitle" => null, "title" => NULL]]);`,
		"curl of PHP":        `curl_setopt_array($h, [CURLOPT_URL => "https://rest.delcampe.net/item/4711", CURLOPT_CUSTOMREQUEST => "PUT", CURLOPT_POSTFIELDS => ["renew" => 3, "subtitle" => null]]);`,
		"a form of PHP":      "$d = ['renew' => 3, 'subtitle' => Null];\n$c->put('https://rest.delcampe.net/item/4711', ['form_params' => $d]);",
		"jQuery":             `$.ajax({url: 'https://rest.delcampe.net/item/4711', type: 'PUT', data: {renew: 3, subtitle: null, title: undefined}});`,
		"axios":              `axios.put('https://rest.delcampe.net/item/4711', qs.stringify({renew: 3, subtitle: null, title: undefined}))`,
		"fetch":              `fetch('https://rest.delcampe.net/item/4711', {method: 'PUT', body: new URLSearchParams({renew: 3, subtitle: null})})`,
		"requests":           `requests.put("https://rest.delcampe.net/item/4711", data={"renew": 3, "subtitle": None})`,
		"PowerShell":         `irm https://rest.delcampe.net/item/4711 -Method Put -Body @{renew = 3; subtitle = $null; title = $Null}`,
		"HTTPie":             `http -f PUT https://rest.delcampe.net/item/4711 renew:=3 subtitle:=null`,
		"a body that is set": "d = {'renew': 3}\nd['subtitle'] = None\nrequests.put('https://rest.delcampe.net/item/4711', data=d)",
	} {
		t.Run(name, func(t *testing.T) {
			_, lines, notes := translated(t, table, Input{Request: request, BaseURL: base})
			if diff := cmp.Diff([]string{"PATCH /v1/items/4711", `{"renewals":3}`}, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(notes) > 0 && name != "axios" {
				t.Errorf("it notes %q", notes)
			}
		})
	}
}

// TestNothingIsNoBody sends nothing where a body could stand.
func TestNothingIsNoBody(t *testing.T) {
	table := newTable(t)
	for name, request := range map[string]string{
		"fetch":          `fetch("https://rest.delcampe.net/item/4711", {method: "GET", body: null})`,
		"XMLHttpRequest": "var x = new XMLHttpRequest(); x.open('GET', 'https://rest.delcampe.net/item/4711'); x.send(null);",
		"jQuery":         `$.get('https://rest.delcampe.net/item/4711', null, done)`,
		"requests":       `requests.get("https://rest.delcampe.net/item/4711", params=None)`,
	} {
		t.Run(name, func(t *testing.T) {
			_, lines, notes := translated(t, table, Input{Request: request, BaseURL: base})
			if got := strings.Join(lines, " ") + strings.Join(notes, " "); got != "GET /v1/items/4711" {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// TestFormatsOfPHP has addresses and texts that a program makes with sprintf.
func TestFormatsOfPHP(t *testing.T) {
	const put = "curl_setopt($h, CURLOPT_CUSTOMREQUEST, 'PUT');\ncurl_setopt($h, CURLOPT_POSTFIELDS, 'qty=2');"
	table := newTable(t)
	for name, test := range map[string]struct{ request, want string }{
		"numbers":         {`$h = curl_init(sprintf('https://rest.delcampe.net/item/%d', 4711));` + "\n" + put, "PATCH /v1/items/4711"},
		"a variable":      {"$id = 4711;\n" + `$h = curl_init(sprintf('%s/item/%u', 'https://rest.delcampe.net', $id));` + "\n" + put, "PATCH /v1/items/4711"},
		"a function":      {`$h = curl_init('https://rest.delcampe.net/item/' . strval(4711));` + "\n" + put, "PATCH /v1/items/4711"},
		"a percent sign":  {`$h = curl_init(sprintf('https://rest.delcampe.net/item/4711?title=a%%20b', 1));` + "\n" + put, ""},
		"a width":         {`$h = curl_init(sprintf('https://rest.delcampe.net/item/%05d', 4711));` + "\n" + put, ""},
		"named arguments": {`$h = curl_init(sprintf('https://rest.delcampe.net/item/%1$d', 4711));` + "\n" + put, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if test.want == "" { // it is refused, and not misread
				if out, err := Translate(table, Input{Request: test.request, BaseURL: base}); err == nil {
					t.Errorf("translated as %+v", out)
				}
				return
			}
			_, lines, _ := translated(t, table, Input{Request: test.request, BaseURL: base})
			if diff := cmp.Diff([]string{test.want, `{"quantity":2}`}, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
