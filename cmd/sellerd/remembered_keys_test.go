package main_test

import (
	"encoding/base64"
	"net/http"
	"os"
	"testing"

	"sellerd/internal/proof/pgtest"
)

func TestServersThatRememberAKeyRefuseItOnceACommandRevokedIt(t *testing.T) {
	t.Run("three servers on one PostgreSQL", func(t *testing.T) {
		t.Setenv("SELLERD_DB", pgtest.URL(t, nil))
		folder := t.TempDir()
		servers := []*child{serve(t, folder)}
		secret, err := os.ReadFile(secretFile(folder))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			servers = append(servers, serve(t, t.TempDir(), "--secret", base64.StdEncoding.EncodeToString(secret)))
		}
		checkRevoked(t, folder, servers)
	})
	t.Run("one server on a SQLite file", func(t *testing.T) {
		folder := t.TempDir()
		checkRevoked(t, folder, []*child{serve(t, folder)})
	})
}

func checkRevoked(t *testing.T, folder string, servers []*child) {
	t.Helper()
	account := createAnna(t, folder)
	end := map[string]func(key string){
		"revoked": func(key string) { must(t, folder, "keys", "revoke", key) },
		"rotated": func(key string) { must(t, folder, "keys", "rotate", key, "--overlap", "0s") },
	}
	for name, end := range end {
		for path, status := range map[string]int{"/v1/items": 200, "/v1/items/999": 404, "/v1/sales?limit=1": 200, "/v1/items?sale_type=auction&status=open": 200} {
			key := must(t, folder, "keys", "create", "--account", account, "--mode", "test")
			for range 3 {
				for i, server := range servers {
					if got := server.get(t, path, key); got != status {
						t.Fatalf("server %d: %s: %d", i, path, got)
					}
				}
			}
			end(key)
			for i, server := range servers {
				for range 2 {
					if got := server.get(t, path, key); got != http.StatusUnauthorized {
						t.Errorf("server %d: %s: %d after the key was %s", i, path, got, name)
					}
				}
			}
		}
	}
	for _, server := range servers {
		server.end(t)
	}
}
