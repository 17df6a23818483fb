package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
)

// TestRequestsRunInAShell pastes the requests of some transcripts into a shell, where curl itself makes them: what we read
// of a command must be what it means.
func TestRequestsRunInAShell(t *testing.T) {
	installed.Require(t, "REQUESTS WERE NOT TRIED IN A SHELL", "bash", "curl")
	suite, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{
		"released/1.0.0/SubmitItem.txt", "released/1.0.0/UpdateItem.txt", "released/1.0.0/every-body.txt", "released/1.2.0/every-conditional.txt",
		"released/1.0.0/rest/item-create.txt", "released/1.0.0/rest/item-bulk.txt", "released/1.0.0/rest/every-call.txt",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			w := servertest.New(t, servertest.SQLite(t))
			server := httptest.NewServer(w.Server.Public)
			t.Cleanup(server.Close)
			_, other, _ := w.Seller(t, "other-seller")
			r := &run{vars: map[string]string{"BASE": server.URL, "KEY": w.Key, "LIVE_KEY": w.LiveKey, "OTHER_KEY": other, "nonce": "shell"}, Runner: &Runner{
				Suite: suite, Base: server.URL, Nonce: "shell",
				Send:  http.DefaultClient.Do,
				Pause: func(context.Context, time.Duration) error { w.Publish(t); return nil },
			}}
			pasteAll(t, r, file, func() { w.Publish(t) })
		})
	}
}

// pasteAll runs each section of a transcript that needs nothing beside the service.
func pasteAll(t *testing.T, r *run, file string, publish func()) {
	var transcript *Transcript
	for _, candidate := range r.Suite.Transcripts {
		if candidate.File == file {
			transcript = candidate
		}
	}
	own := transcript
	if len(transcript.For) > 0 {
		own = r.Suite.own(transcript.For[0], transcript.Legacy())
		r.vars["call"] = transcript.For[0]
	}
	if err := r.play(t.Context(), own.Given); err != nil {
		t.Fatal(err)
	}
	if err := r.play(t.Context(), own.Sections[0].Given); err != nil {
		t.Fatal(err)
	}
	for _, s := range transcript.Sections {
		command := s.Request
		if changesUsual(command) {
			if len(s.While) > 0 || strings.Contains(command, "--json") { // a second body is added by curl, and here takes the place of the first
				continue
			}
			command = strings.Replace(command, "curl ...", own.Sections[0].Request, 1)
		}
		if err := r.play(t.Context(), s.Given); err != nil {
			t.Fatal(err)
		}
		if len(s.While) > 0 || len(s.Keep) > 0 {
			if answer, err := r.exchange(t.Context(), &s, own.Sections[0].Request); err != nil || r.keep(&s, answer) != nil {
				t.Fatalf("%s: %v", s.Title, err)
			}
			continue
		}
		publish()
		shell := exec.CommandContext(t.Context(), "bash", "-c", command+` -s -o /dev/null -w '%{http_code}'`)
		for name, value := range r.vars {
			shell.Env = append(shell.Env, name+"="+value)
		}
		out, err := shell.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", s.Title, err, command)
			continue
		}
		if got, want := string(out), strconv.Itoa(s.Answer.Status); got != want {
			t.Errorf("%s: curl got %s instead of %s\n%s", s.Title, got, want, command)
		}
	}
}
