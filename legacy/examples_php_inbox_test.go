package legacy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sellerd/internal/proof/pgtest"
)

// This file receives notifications with PHP: testdata/php/feedback_api.php, run by PHP's own server.

// phpInbox is feedback_api.php, served by PHP itself.
type phpInbox struct {
	proxy *httputil.ReverseProxy
	log   string // the file that it writes
}

// phpNotice is a line of its log.
type phpNotice struct {
	Type, Token string
	Data        [][2]string // element and text, in their order
}

func (n phpNotice) text(element string) string {
	for _, pair := range n.Data {
		if pair[0] == element {
			return pair[1]
		}
	}
	return ""
}

// servePHP starts PHP's own server on a free port and ends it with the test.
func servePHP(t *testing.T) *phpInbox {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", pgtest.FreePort(t))
	inbox := &phpInbox{
		proxy: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address}),
		log:   filepath.Join(t.TempDir(), "notifications.json"),
	}
	// PHP closes each connection after its answer, and a request that is sent into the close is lost.
	inbox.proxy.Transport = &http.Transport{DisableKeepAlives: true}
	server := exec.Command("php", "-S", address, "-t", "testdata/php")
	server.Env = append(os.Environ(), "NOTIFICATIONS="+inbox.log)
	stderr, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	lines := bufio.NewReader(stderr)
	for { // it says when it listens
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("php -S: %v", err)
		}
		if strings.Contains(line, "started") {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // ends with the server
	return inbox
}

// all are the notifications of a type, in the order in which they came.
func (in *phpInbox) all(t *testing.T, kind string) (notices []phpNotice) {
	t.Helper()
	text, err := os.ReadFile(in.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var notice phpNotice
		if err := json.Unmarshal([]byte(line), &notice); err != nil {
			t.Fatal(fmt.Errorf("%w: %s", err, line))
		}
		if notice.Type == kind {
			notices = append(notices, notice)
		}
	}
	return notices
}
