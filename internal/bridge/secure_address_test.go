package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAddressesBecomeHTTPS cuts off what an https address does not have.
func TestAddressesBecomeHTTPS(t *testing.T) {
	const none = ""
	for address, want := range map[string]string{
		"http://a.example/1.png":                  "a.example/1.png",
		"hTTp://a.example/1.png":                  "a.example/1.png",
		"http://a.example":                        "a.example",
		"http://a.example:80":                     "a.example",
		"http://a.example:80/1.png":               "a.example/1.png",
		"http://a.example:080?x=:80":              "a.example?x=:80",
		"http://a.example:80#:80":                 "a.example#:80",
		"http://[2001:db8:80::1]:80/1.png":        "[2001:db8:80::1]/1.png",
		"http://[2001:db8::80]/1.png":             "[2001:db8::80]/1.png",
		"http://anna:80x@a.example:80/1.png":      "anna:80x@a.example/1.png",
		"http://a.example/b:80/http://c:80/1.png": "a.example/b:80/http://c:80/1.png",
		"http://a.example:8080/1.png":             none,
		"http://a.example:800/1.png":              none,
		"http://a.example:443/1.png":              none,
		"http://a.example:x/1.png":                none,
		"http://a.example/%zz":                    none,
		"https://a.example:80/1.png":              none,
		"//a.example/1.png":                       none,
		"ahttp://a.example/1.png":                 none,
		"http:/a.example/1.png":                   none,
		"http:":                                   none,
		"":                                        none,
	} {
		got, ok := cutPlain(address)
		if !ok && got == address {
			got = none
		}
		if got != want || ok != (want != none) {
			t.Errorf("%s: %q %t, want %q", address, got, ok, want)
		}
	}
}

// TestOnlyTheMembersThatHoldAddressesAreChanged looks for http addresses in bodies.
func TestOnlyTheMembersThatHoldAddressesAreChanged(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"images":[{"url":"HTTP://a.example/1.png"}]}`, `{"images":[{"url":"https://a.example/1.png"}]}`},
		{`{"items":[{"images":["http://a.example/<1>&.png"],"price":1.50}]}`, `{"items":[{"images":["https://a.example/<1>&.png"],"price":1.50}]}`},
		{`{"images":["https://a.example/1.png"],"description":"see http://a.example"}`, ""},
		{`{"images":["http://a.example:81/1.png"]}`, ""},
		{`{"images":["ftp://a.example/1.png"]}`, ""},
		{`{"images":["://http://"]}`, ""},
		{`{"images":`, ""},
		{`://`, ""},
		{``, ""},
	} {
		got := ""
		if mayHavePlain([]byte(test.body)) {
			if body, changed := withHTTPS([]byte(test.body), "images"); changed {
				got = string(body)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.body, diff)
		}
	}
}
