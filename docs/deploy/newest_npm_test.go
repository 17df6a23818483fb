//go:build npm

package deploy

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// TestNPMNewestPostgreSQL makes a first sale on the PostgreSQL that npm has, which is newer than that of the other tests: a
// server migrates an empty database there and serves. It needs the network, so it stands behind a build tag: make npm
func TestNPMNewestPostgreSQL(t *testing.T) {
	bin, remove, err := pgtest.InstallNewest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	cluster := pgtest.Own(t, pgtest.Options{})
	engine, err := pgtest.Engine(t.Context(), cluster.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(engine, "PostgreSQL 18.") {
		t.Fatalf("the server is %s, which is not the one of npm", engine)
	}
	server := blackbox.NewServer(t, cluster.AdminURL())
	server.Start(t)
	sale := exec.CommandContext(t.Context(), "sh", "../examples/first-sale.sh")
	sale.Env = append(os.Environ(), "BASE_URL="+server.URL(), "SELLERD_KEY="+blackbox.NewSeller(t, server, "anna").Key)
	if out, err := sale.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if said := server.Complaints(); said != "" {
		t.Errorf("the server complains: %s", said)
	}
}
