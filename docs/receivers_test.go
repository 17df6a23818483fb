package docs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/proof/servertest"
)

// receiver is one of the whole receivers of seller/webhook-receiver.md.
type receiver struct {
	serve   []string // with the address as the last argument of PHP's server
	process []string // what processes the stored events; nil if the receiver does it itself
	ready   string   // what it says once it listens
}

var receivers = map[string]receiver{
	"php":  {[]string{"php", "-S", address, "examples/receiver.php"}, []string{"php", "-d", "display_errors=stderr", "examples/receiver.php"}, "started"},
	"node": {[]string{"node", "examples/receiver.mjs"}, nil, "listening"},
}

// address stands for the one that a receiver listens at.
const address = "ADDRESS"

// delivery is a request as the service sent it.
type delivery struct {
	header http.Header
	body   []byte
}

// TestReceivers gives each receiver what the service sends it: an event, the same again, forged ones, the same after a restart, and another.
func TestReceivers(t *testing.T) {
	for program, r := range receivers {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			installed.Require(t, "THE RECEIVER FOR "+strings.ToUpper(program)+" WAS NOT TRIED", program)
			s := newSender(t)
			run := &runningReceiver{receiver: r, folder: t.TempDir(), secret: s.secret}
			run.start(t)
			first := s.deliver(t, run)
			again := run.post(t, first)
			forged := delivery{first.header, bytes.Replace(first.body, []byte(`"type"`), []byte(`"tipe"`), 1)}
			statuses := []int{again, run.post(t, forged), run.post(t, delivery{http.Header{}, first.body})}
			if diff := cmp.Diff([]int{204, 401, 401}, statuses); diff != "" {
				t.Errorf("the same again, a changed body, no signature (-want +got):\n%s", diff)
			}
			run.wantHandled(t, first)
			run.stop()
			run.start(t)
			if status := run.post(t, first); status != 204 {
				t.Errorf("after a restart, the same again gets %d", status)
			}
			second := s.deliver(t, run)
			run.wantHandled(t, first, second)

			run.stop()
			done, err := filepath.Glob(filepath.Join(run.folder, "*.done"))
			if err != nil || len(done) != 2 {
				t.Fatalf("it marks %q as done, %v", done, err)
			}
			for _, file := range done { // as if it had been killed before it was done
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			run.start(t)
			run.wantHandled(t, first, second, first, second)
		})
	}
}

// sender is a seller whose webhook leads to a receiver.
type sender struct {
	world   *servertest.World
	service *httptest.Server // between the service and the receiver: it keeps what passes
	secret  string

	mu   sync.Mutex
	last delivery
	to   *runningReceiver
}

func newSender(t *testing.T) *sender {
	t.Helper()
	s := &sender{world: servertest.New(t, servertest.SQLite(t))}
	s.world.Clock.Advance(time.Since(servertest.Start)) // receivers look at the real clock
	s.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last = delivery{r.Header.Clone(), body}
		w.WriteHeader(s.to.post(t, s.last))
	}))
	t.Cleanup(s.service.Close)
	s.secret = servertest.Into[struct {
		Secret string `json:"secret"`
	}](t, s.world.Do(t, servertest.Request{
		Path: "/v1/webhooks", Body: map[string]any{"url": s.service.URL, "events": []string{"item.published"}},
	})).Secret
	return s
}

// deliver lists an item and lets the service deliver the event of its publication, which the receiver must accept.
func (s *sender) deliver(t *testing.T, to *runningReceiver) delivery {
	t.Helper()
	s.mu.Lock()
	s.to = to
	s.mu.Unlock()
	s.world.Clock.Advance(time.Second) // events are handled in the order of their times
	s.world.List(t, servertest.FixedPrice())
	if n, err := s.world.Service.DeliverOnce(context.Background()); n != 1 || err != nil {
		t.Fatalf("%d deliveries, %v", n, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// runningReceiver is a receiver at work. Its folder outlives it.
type runningReceiver struct {
	receiver
	folder, secret, address string
	stop                    func()
	lines                   chan string // what it printed of the events that it handled
	handled                 []string
}

func (r *runningReceiver) command(t *testing.T, line []string) *exec.Cmd {
	t.Helper()
	_, port, err := net.SplitHostPort(r.address)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), line[0], line[1:]...)
	command.Env = append(os.Environ(), "EVENTS="+r.folder, "WEBHOOK_SECRET="+r.secret, "PORT="+port)
	return command
}

// start starts the receiver and waits until it listens.
func (r *runningReceiver) start(t *testing.T) {
	t.Helper()
	r.address = fmt.Sprintf("127.0.0.1:%d", pgtest.FreePort(t))
	line := strings.Split(strings.ReplaceAll(strings.Join(r.serve, "\n"), address, r.address), "\n")
	server := r.command(t, line)
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	r.stop = sync.OnceFunc(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	})
	t.Cleanup(r.stop)
	r.lines = make(chan string, 10)
	go readLines(printed, r.lines)
	messages := make(chan string, 100)
	go readLines(said, messages)
	for message := range messages {
		if strings.Contains(message, r.ready) {
			return
		}
		t.Log(message)
	}
	t.Fatal("the receiver ended")
}

// readLines sends the lines of a program, until it ends.
func readLines(from io.Reader, to chan<- string) {
	defer close(to)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		select {
		case to <- lines.Text():
		default: // no test waits for more events
		}
	}
}

// post sends the receiver a request, and returns the status of its answer.
func (r *runningReceiver) post(t *testing.T, d delivery) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.address+"/hook", bytes.NewReader(d.body))
	if err != nil {
		t.Error(err)
		return 0
	}
	request.Header = d.header.Clone()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// wantHandled expects the receiver to have handled these deliveries since the test began, in this order.
func (r *runningReceiver) wantHandled(t *testing.T, deliveries ...delivery) {
	t.Helper()
	var want []string
	for _, d := range deliveries {
		var event struct {
			Type     string
			Resource struct{ ID string }
		}
		if err := json.Unmarshal(d.body, &event); err != nil {
			t.Fatal(err)
		}
		want = append(want, event.Type+" "+event.Resource.ID)
	}
	if r.process != nil {
		out, err := r.command(t, r.process).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.handled = append(r.handled, strings.FieldsFunc(string(out), func(c rune) bool { return c == '\n' })...)
	}
	for r.process == nil && len(r.handled) < len(want) {
		line, ok := <-r.lines
		if !ok {
			t.Fatal("the receiver ended")
		}
		r.handled = append(r.handled, line)
	}
	if diff := cmp.Diff(want, r.handled); diff != "" {
		t.Fatalf("it handled (-want +got):\n%s", diff)
	}
}
