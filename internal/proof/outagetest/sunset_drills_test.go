package outagetest

import (
	"net/http"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// TestDrillOnThreeProcesses schedules a drill of /rest on one of three processes with one database, by the real clock. All of them
// answer as before until it begins. A long run waits for that: each process then answers 410 within a second, and 200 within a
// second after the end of one drill, and after the call that ends another one early.
func TestDrillOnThreeProcesses(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t, nil)
	var servers []*blackbox.Server
	for range 3 {
		s := blackbox.NewServer(t, database)
		s.Start(t)
		servers = append(servers, s)
	}
	seller := blackbox.NewSeller(t, servers[0], "anna")
	type drill struct {
		ID   string    `json:"id"`
		From time.Time `json:"from"`
		To   time.Time `json:"to"`
	}
	schedule := func(server int, ahead, length time.Duration) drill {
		client := *seller.Client
		client.Server = servers[server]
		from := time.Now().Add(ahead).UTC()
		return blackbox.Call[drill](t, &client, http.MethodPost, "/v1/account/legacy-drills", map[string]any{
			"from": from.Format(time.RFC3339Nano), "to": from.Add(length).Format(time.RFC3339Nano),
		})
	}
	// ask is the status of a call of /rest at one process.
	ask := func(s *blackbox.Server) int {
		r, err := http.NewRequest(http.MethodGet, s.URL()+"/rest/seller", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", string(seller.Key))
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	within := func(what string, status int, since time.Time) {
		t.Helper()
		for i, s := range servers {
			for ask(s) != status {
				if time.Since(since) > time.Second {
					t.Errorf("%s: process %d does not answer %d after %s", what, i, status, time.Since(since))
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
		t.Logf("%s: all answered %d after %s", what, status, time.Since(since))
	}
	first := schedule(1, 61*time.Second, 61*time.Second)
	second := schedule(2, 140*time.Second, time.Hour)
	within("before it", http.StatusOK, time.Now())
	if !*long {
		return
	}
	for time.Until(first.From) > 100*time.Millisecond {
		if status := ask(servers[0]); status != http.StatusOK {
			t.Fatalf("%s before the drill: %d", time.Until(first.From), status)
		}
		time.Sleep(90 * time.Millisecond)
	}
	time.Sleep(time.Until(first.From))
	within("it begins", http.StatusGone, first.From)
	time.Sleep(time.Until(first.To))
	within("it ends", http.StatusOK, first.To)
	time.Sleep(time.Until(second.From))
	within("another begins", http.StatusGone, second.From)
	blackbox.Call[map[string]any](t, seller.Client, http.MethodDelete, "/v1/account/legacy-drills/"+second.ID, nil)
	within("it is ended early", http.StatusOK, time.Now())
}
