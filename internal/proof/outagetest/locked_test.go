package outagetest

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"sellerd/internal/proof/blackbox"
)

// TestLockedFile has another program hold the lock to write to the SQLite file, for longer than any request waits for it.
func TestLockedFile(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"} {
		t.Run(begin, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sellerd.db")
			server := blackbox.NewServer(t, "sqlite:"+path)
			server.Start(t)
			seller := blackbox.NewSeller(t, server, "anna")
			item := seller.Publish(t, 1)[0]
			awaitServing(t, server, seller.Key, item)
			other, err := sql.Open("sqlite3", "file:"+path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = other.Close() })
			conn, err := other.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.ExecContext(t.Context(), begin); err != nil {
				t.Fatal(err)
			}
			var reads, writes []*request
			for n := range 5 { // their transactions come one after the other, and each waits for the lock
				for _, r := range requestsOf(server, seller.Key, item, n+1) {
					r.name = fmt.Sprintf("%s, %d", r.name, n)
					if r.method == http.MethodGet {
						reads = append(reads, r)
					} else {
						writes = append(writes, r)
					}
				}
			}
			sendAll(append(reads, writes...))
			checkRefused(t, writes)
			for _, r := range reads {
				if r.err != nil || r.status != http.StatusOK {
					t.Errorf("%s: answered %d (%v) after %s: a read must not wait", r.name, r.status, r.err, r.took)
				}
			}
			checkReady(t, server, http.StatusOK)
			if _, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			if took := awaitServing(t, server, seller.Key, item); took > backLimit {
				t.Errorf("served again after %s", took)
			}
		})
	}
}
