package command

import "testing"

// TestServiceAddress normalises what --to takes. What it rejects is tested with the program.
func TestServiceAddress(t *testing.T) {
	for to, want := range map[string]string{
		"https://api.example.com":      "https://api.example.com",
		"https://api.example.com/":     "https://api.example.com",
		"HTTPS://API.example.com:8443": "https://api.example.com:8443",
		"http://localhost:8080":        "http://localhost:8080",
		"http://127.0.0.1:8080/":       "http://127.0.0.1:8080",
		"http://[::1]:8080":            "http://[::1]:8080",
	} {
		if got, err := serviceAddress(to); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", to, got, err, want)
		}
	}
}
