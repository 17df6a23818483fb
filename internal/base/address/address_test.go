package address

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{
		"https://api.example.com": true, "http://localhost:8080/shop/": true, "http://[::1]:1": true, "https://anna:secret@host": true, "https://host:65535": true,
		"": false, "api.example.com": false, "ftp://host": false, "https://": false, "https://:443": false, "https://host:": false, "https://host:0": false,
		"https://host:65536": false, "https://a.example,https://b.example": false, "https://\"host\"": false, "https://ho st": false,
	} {
		if got := Parse(text) != nil; got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.example.com:80800/x": "https://api.example.com:80800/x",
		"https://anna:se cr@t@host/x":     "…@host/x",
		"https://host/x?token=1#y":        "https://host/x",
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
