package main_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// TestAProgramWithoutCgoServesPostgreSQL builds the server without a C compiler.
func TestAProgramWithoutCgoServesPostgreSQL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sellerd")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Run("it says that it has no SQLite", func(t *testing.T) {
		folder := t.TempDir()
		const free = "serve --addr 127.0.0.1:0 --operator-addr 127.0.0.1:0"
		for _, line := range []string{free, "migrate", free + " --db sqlite:shop.db"} {
			cmd := exec.Command(path, strings.Fields(line)...)
			cmd.Dir = folder
			out, err := cmd.CombinedOutput()
			want := "sellerd: this program was built without cgo, so SQLite is not in it: name a PostgreSQL with --db, or build sellerd with " +
				"CGO_ENABLED=1 and a C compiler\n"
			if diff := cmp.Diff(want, string(out)); diff != "" || err == nil {
				t.Errorf("%s: ended with %v: %s", line, err, diff)
			}
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("it leaves %v, %v", left, err)
		}
	})
	t.Run("it serves PostgreSQL", func(t *testing.T) {
		server := serveProgram(t, path, t.TempDir(), "--db", pgtest.URL(t, nil))
		answer, err := http.Get(server.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if diff := cmp.Diff(http.StatusOK, answer.StatusCode); diff != "" {
			t.Error(diff)
		}
		server.end(t)
	})
}
