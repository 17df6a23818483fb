package deploy

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// takenIn are the settings of a file that are in force as it is shipped, without those that are commented out.
func takenIn(t *testing.T, file string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^([A-Z][A-Z_]*)=(.*)$`).FindAllStringSubmatch(read(t, file), -1) {
		values[match[1]] = match[2]
	}
	return values
}

// TestTheSettingsAsShippedTakeAKey calls servers with the settings that the files have before anybody has a certificate.
func TestTheSettingsAsShippedTakeAKey(t *testing.T) {
	t.Run("of Compose, behind the load balancer", func(t *testing.T) {
		// Here the balancer is at 127.0.0.1, and in Compose at the address of compose.yaml.
		balancer := readCompose(t).Services["haproxy"].Networks["default"].Address
		t.Setenv("SELLERD_TRUSTED_PROXIES", strings.ReplaceAll(takenIn(t, ".env.example")["SELLERD_TRUSTED_PROXIES"], balancer, "127.0.0.1"))
		database := pgtest.URL(t, nil)
		one, two := blackbox.NewServer(t, database), blackbox.NewServer(t, database)
		one.Start(t)
		two.Start(t)
		seller := blackbox.NewSeller(t, one, "anna")
		b := haproxy.start(t, one, two)
		if got := ask(t, http.DefaultClient, "http://"+b.address+"/v1/account", seller.Key, nil); got.status != http.StatusOK {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	for _, file := range []string{"sellerd.env", "standby/sellerd.env", "patroni/sellerd.env"} {
		t.Run("of "+file+", on the same machine", func(t *testing.T) {
			for name, value := range takenIn(t, file) {
				if name != "SELLERD_DB" && name != "SELLERD_ADDR" && value != "" {
					t.Setenv(name, value)
				}
			}
			server := blackbox.NewServer(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"))
			server.Start(t)
			seller := blackbox.NewSeller(t, server, "anna")
			// As the file's comment says, the request is not https: a proxy that names the caller does not change that.
			for _, header := range []http.Header{nil, {"X-Forwarded-For": {"192.0.2.1"}, "X-Forwarded-Proto": {"http"}}} {
				if got := ask(t, http.DefaultClient, server.URL()+"/v1/account", seller.Key, header); got.status != http.StatusOK {
					t.Errorf("%v: %d %s", header, got.status, got.body)
				}
			}
		})
	}
}

// TestACommandHasTheSettingsOfTheService runs a command with the unit's file of variables, as README says, and with the database elsewhere.
func TestACommandHasTheSettingsOfTheService(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "sellerd.env")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(read(t, "sellerd.env"), "/var/lib/sellerd", folder)), 0o600); err != nil {
		t.Fatal(err)
	}
	say(t, "--env-file", path, "migrate")
	say(t, "--env-file", path, "accounts", "create", "--nickname", "anna", "--email", "anna@example.com")
	if got := say(t, "accounts", "list", "--db", "sqlite:"+filepath.Join(folder, "sellerd.db")); !strings.Contains(got, `"nickname": "anna"`) {
		t.Errorf("the service's database has %s", got)
	}
}
