package crashtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

var importRows = flag.Int("import-rows", 600, "how many rows the import lists while it is killed")

// TestTheImportSurvivesKills kills the import with SIGKILL at random instants, -kills times, and every fourth time the server as well.
// After each end the file is changed as sellers do: rows change places, and one is put in. In the end each row is listed once.
func TestTheImportSurvivesKills(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", *seed)
	rng := rand.New(rand.NewPCG(*seed, 2))
	server := blackbox.NewServer(t, "sqlite:"+filepath.Join(t.TempDir(), "sellerd.db"))
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "import")
	blackbox.Operate[map[string]any](t, server, http.MethodPatch, "/operator/accounts/"+seller.Account, map[string]any{
		"limits": map[string]any{"requests_per_minute": 0, "open_items": 0, "new_items_per_day": 0},
	})
	var batches atomic.Int64 // that were sent
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if target, err := url.Parse(server.URL()); err == nil {
				r.SetURL(target)
			}
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			batches.Add(1)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)

	file := filepath.Join(t.TempDir(), "listings.csv")
	rows := make([]string, *importRows)
	for i := range rows {
		rows[i] = fmt.Sprintf("Stamp %d;R-%d;1010101;fixed_price;2,50;EUR", i, i)
	}
	program, err := blackbox.Program()
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	start := func() (*exec.Cmd, chan error) {
		t.Helper()
		text := "title;reference;category_id;sale_type;price;currency\r\n" + strings.Join(rows, "\r\n") + "\r\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		process := exec.CommandContext(t.Context(), program, "import", file)
		process.Env = append(os.Environ(), "SELLERD_BASE_URL="+proxy.URL, "SELLERD_KEY="+seller.Key)
		output.Reset()
		process.Stdout, process.Stderr = &output, &output
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- process.Wait() }()
		return process, exited
	}

	killed := 0
	for kill := range *kills {
		process, exited := start()
		after := batches.Load() + int64(rng.IntN(2 + 3*len(rows)/200 / *kills)) // spread over the whole file
		deadline := time.Now().Add(time.Minute)
		for batches.Load() < after && len(exited) == 0 && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rng.IntN(40_000)) * time.Microsecond) // into the middle of whatever is going on
		if kill%4 == 3 {
			server.Kill(t)
			server.Start(t)
		}
		_ = process.Process.Kill()
		var ended *exec.ExitError
		if err := <-exited; errors.As(err, &ended) && !ended.Exited() {
			killed++
		}
		for range 20 {
			i, j := rng.IntN(len(rows)), rng.IntN(len(rows))
			rows[i], rows[j] = rows[j], rows[i]
		}
		rows = append([]string{fmt.Sprintf("New %d;N-%d;1010101;fixed_price;2,50;EUR", kill, kill)}, rows...)
	}
	_, exited := start()
	if err := <-exited; err != nil {
		t.Fatalf("%v\n%s", err, output.String())
	}
	t.Logf("%d of %d imports were killed in %d batches; the last one says\n%s", killed, *kills, batches.Load(), output.String())
	listed := map[string]int{}
	for item := range blackbox.Walk[struct {
		PersonalReference string `json:"personal_reference"`
	}](t, seller.Client, "/v1/items?limit=200") {
		listed[item.PersonalReference]++
	}
	if len(listed) != len(rows) {
		t.Errorf("%d references were listed, of %d rows", len(listed), len(rows))
	}
	for reference, n := range listed {
		if n != 1 {
			t.Errorf("%s was listed %d times", reference, n)
		}
	}
}
