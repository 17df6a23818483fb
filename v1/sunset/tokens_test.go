package sunset_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestASessionTokenTellsOnlyTheServiceWhatItSays(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	text := "3f2a91c04b7d until noon"
	token := w.Service.SealToken([]byte(text))
	again := func(change func(*v1.Config)) *v1.Service {
		config := w.Config
		change(&config)
		s, err := v1.New(config)
		if err != nil {
			t.Fatalf("make another service: %v", err)
		}
		return s
	}

	t.Run("it opens, also after a restart", func(t *testing.T) {
		for name, s := range map[string]*v1.Service{"the same": w.Service, "a new one": again(func(*v1.Config) {})} {
			if got, ok := s.OpenToken(token); !ok || string(got) != text {
				t.Errorf("%s: %q, %v", name, got, ok)
			}
		}
		if got, ok := w.Service.OpenToken(w.Service.SealToken(nil)); !ok || len(got) != 0 {
			t.Errorf("an empty text: %q, %v", got, ok)
		}
	})
	t.Run("it needs no escaping and is new each time", func(t *testing.T) {
		for range 100 {
			fresh := w.Service.SealToken([]byte(text))
			if url.QueryEscape(fresh) != fresh || url.PathEscape(fresh) != fresh || fresh == token {
				t.Fatalf("token %s", fresh)
			}
		}
		if plain, err := base64.RawURLEncoding.DecodeString(token); err != nil || strings.Contains(string(plain), "3f2a") {
			t.Errorf("it holds %q, %v", plain, err)
		}
	})
	t.Run("what was not made here does not open", func(t *testing.T) {
		refused := map[string]string{
			"nothing": "", "junk": "hello", "cut": token[:len(token)-4], "longer": token + "AAAA", "with a line's end": token + "\n", "padded": token + "=",
			"another secret's": again(func(c *v1.Config) { c.Secret = []byte(strings.Repeat("s", 32)) }).SealToken([]byte(text)),
		}
		for i := range len(token) {
			for _, c := range []string{"A", "B"} {
				refused["changed at "+c+token[:i]] = token[:i] + c + token[i+1:]
			}
		}
		for name, other := range refused {
			if other == token {
				continue
			}
			if got, ok := w.Service.OpenToken(other); ok {
				t.Errorf("%s: opens as %q", name, got)
			}
		}
	})
}
