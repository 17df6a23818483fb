package docstest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// needed are the programs that the documents use beside our own.
var needed = []string{"bash", "curl", "jq", "make", "python3", "sqlite3"}

// TestCommands runs the commands of each document, top to bottom in one shell, beside a fresh `make run`. Addresses are
// rewritten to that server's, and a request that is refused ends the document like any command that fails.
func TestCommands(t *testing.T) {
	installed.Require(t, "THE COMMANDS IN THE DOCUMENTS WERE NOT TRIED", needed...)
	for _, name := range documents(t) {
		if notRunHere[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			plain := slices.DeleteFunc(runnable(name, read(t, name)), block.onPostgres)
			if len(plain) > 0 {
				makeRun(t).run(t, plain)
			}
		})
		t.Run(name+" on PostgreSQL", func(t *testing.T) {
			onPostgres := slices.DeleteFunc(runnable(name, read(t, name)), func(b block) bool { return !b.onPostgres() })
			if len(onPostgres) == 0 {
				return
			}
			r := makeRun(t)
			url, moved := pgtest.URL(t, inUse), pgtest.URL(t, nil)
			for i := range onPostgres {
				onPostgres[i].text = postgresURL.ReplaceAllStringFunc(onPostgres[i].text, func(shown string) string {
					if strings.Contains(shown, "/moved") { // the empty one, which the document fills
						return "'" + moved + "'"
					}
					return "'" + url + "'"
				})
			}
			r.run(t, onPostgres)
		})
	}
}

var postgresURL = regexp.MustCompile(`'?postgres://[^\s']+'?`)

// inUse makes a PostgreSQL database one that the program has been used on: it has a schema and an account. The program is
// the one that makeRun built.
func inUse(url string) error {
	for _, arguments := range [][]string{{"migrate"}, {"accounts", "create", "--nickname=first", "--email=first@example.com"}} {
		command := exec.Command(filepath.Join(root, "bin", "sellerd"), arguments...)
		command.Env = append(os.Environ(), "SELLERD_DB="+url)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("sellerd %s: %w\n%s", strings.Join(arguments, " "), err, out)
		}
	}
	return nil
}

// runnable are a document's blocks without the excused ones.
func runnable(name, text string) []block {
	return slices.DeleteFunc(blocks(name, text), func(b block) bool { return notRun[b.firstLine()] != "" })
}

// running is `make run` in a folder of its own.
type running struct {
	folder           string
	public, operator string // addresses
	said             string // the file with what it printed
}

// makeRun runs `make run` on free ports until the test ends, and expects it to end in good order then.
func makeRun(t *testing.T) *running {
	t.Helper()
	r := &running{folder: t.TempDir()}
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("make", "-C", source, "build").CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	for _, name := range []string{"bin", "conformance", "docs"} {
		if err := os.Symlink(filepath.Join(source, name), filepath.Join(r.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	// make takes what was just built for up to date, since the sources are not in this folder.
	server := exec.Command("make", "-f", filepath.Join(source, "Makefile"), "--assume-old=build", "run")
	server.Dir = r.folder
	server.Env = append(os.Environ(), "SELLERD_ADDR=127.0.0.1:0", "SELLERD_OPERATOR_ADDR=127.0.0.1:0", "MAKEFLAGS=", "MAKELEVEL=")
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r.said = filepath.Join(r.folder, "said")
	stdout, err := os.Create(r.said)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdout.Close() }()
	server.Stdout = stdout
	pipe, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(r.folder, "sellerd.log")) // where pages look for requests
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	stderr := bufio.NewReader(io.TeeReader(pipe, log))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	// The whole log is read, else the server would wait for a reader once the pipe is full.
	serving, stopped := make(chan string, 1), make(chan bool, 1)
	go func() {
		serving <- logLine(stderr, "serving")
		stopped <- logLine(stderr, "stopped") != ""
	}()
	t.Cleanup(func() {
		if err := syscall.Kill(-server.Process.Pid, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if !<-stopped {
			t.Error("the server did not stop in good order")
		}
		_ = server.Wait() // make was stopped as well, and says so
	})
	var line struct {
		Addr     string `json:"addr"`
		Operator string `json:"operator_addr"`
	}
	if err := json.Unmarshal([]byte(<-serving), &line); err != nil {
		t.Fatalf("make run did not say where it serves: %v", err)
	}
	r.public, r.operator = line.Addr, line.Operator
	r.get(t, "http://"+r.public+"/readyz") // answered once the demo seller is there
	return r
}

// logLine reads the log up to a message and returns its line, or nothing at the log's end.
func logLine(log *bufio.Reader, message string) string {
	for {
		line, err := log.ReadString('\n')
		if strings.Contains(line, `"msg":"`+message+`"`) {
			return line
		}
		if err != nil {
			return ""
		}
	}
}

// get reads a page that must be there.
func (r *running) get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d, %v\n%s", url, response.StatusCode, err, body)
	}
	return string(body)
}

// prelude is what a document's commands find: the programs in PATH, curl that takes a refusal for a failure, and a
// `sellerd serve` and `seller listen` that end by themselves as soon as they work, the way people would end them.
const prelude = `
set -euo pipefail
export PATH="$PWD/bin:$PATH"
export SELLERD_BASE_URL=http://localhost:8080 SELLERD_HEALTH_URL=http://localhost:8080/readyz
curl() { command curl --no-progress-meter --fail-with-body "$@"; }
sellerd() { until_it_works sellerd "$@"; }
seller() { until_it_works seller "$@"; }
until_it_works() {
	local working
	case $2 in
	serve) working='"msg":"serving"' ;;
	listen) working='Ctrl-C ends' ;;
	*) command "$@"; return ;;
	esac
	coproc SERVER { SELLERD_ADDR=127.0.0.1:0 SELLERD_OPERATOR_ADDR=127.0.0.1:0 XDG_CACHE_HOME=$PWD exec "$@" 2>&1; }
	local pid=$SERVER_PID
	while IFS= read -r line; do
		echo "$line"
		if [[ $line == *"$working"* ]]; then kill "$pid"; fi
	done <&"${SERVER[0]}"
	wait "$pid"
}
trap 'echo "the block at $BLOCK ended with status $?"' ERR
`

// blockMark comes before the output of each block.
const blockMark = "=== the block at "

// run runs blocks in one shell, in the server's folder, and compares what they say with what the document shows.
func (r *running) run(t *testing.T, blocks []block) {
	t.Helper()
	var script strings.Builder
	addresses := strings.NewReplacer("localhost:8080", r.public, "127.0.0.1:8081", r.operator,
		"import sample", "import sample --images-base=http://"+r.public+"/demo/images") // its default is the usual address
	script.WriteString(addresses.Replace(prelude))
	for _, b := range blocks {
		fmt.Fprintf(&script, "BLOCK=%s\necho '%s'$BLOCK\n%s\n", b.place, blockMark, addresses.Replace(b.text))
	}
	shell := exec.CommandContext(t.Context(), "bash")
	shell.Dir = r.folder
	shell.Stdin = strings.NewReader(script.String())
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
		return
	}
	r.wantIgnored(t)
	said := map[string]string{}
	for _, part := range strings.Split(string(out), blockMark)[1:] {
		place, output, _ := strings.Cut(part, "\n")
		said[place] = output
	}
	for _, b := range blocks {
		if diff := cmp.Diff(masked(b.output), masked(said[b.place])); b.output != "" && diff != "" {
			t.Errorf("the block at %s says something else than the document shows (-document +command):\n%s", b.place, diff)
		}
	}
}

// wantIgnored expects .gitignore to have every file that the commands of a document wrote into the folder.
func (r *running) wantIgnored(t *testing.T) {
	t.Helper()
	files, err := os.ReadDir(r.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if file.IsDir() {
			name += "/"
		}
		if slices.Contains([]string{"conformance", "docs", "said"}, file.Name()) { // of the test
			continue
		}
		check := exec.Command("git", "check-ignore", "--no-index", "--quiet", name)
		check.Dir = root
		if err := check.Run(); err != nil {
			t.Errorf("the commands write %s, which .gitignore does not have: %v", name, err)
		}
	}
}

// changing is what differs from run to run: instants, ids, keys and numbers of five digits and more, and the spaces that
// align what comes after them.
var changing = []struct {
	pattern *regexp.Regexp
	mask    string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`), "INSTANT"},
	{regexp.MustCompile(`\b(sub|bat|trk|evt|wh|dlv)_\w+`), "${1}_ID"},
	{regexp.MustCompile(`\bdk_(live|test)_\w+`), "dk_${1}_KEY"},
	{regexp.MustCompile(`\blocalhost:\d+`), "SERVER"},
	{regexp.MustCompile(`\bwhsec_[\w+/…]+`), "whsec_SECRET"},
	{regexp.MustCompile(`"remaining": \d+`), `"remaining": NUMBER`},
	{regexp.MustCompile(`\b\d{5,}\b`), "NUMBER"},
	{regexp.MustCompile(`\bin \d+(\.\d+)?m?s\b`), "in SECONDS"},
	{regexp.MustCompile(` +`), " "},
}

// masked is output without what differs from run to run, line by line.
func masked(output string) []string {
	for _, c := range changing {
		output = c.pattern.ReplaceAllString(output, c.mask)
	}
	return strings.Split(strings.TrimSpace(output), "\n")
}

func TestMasked(t *testing.T) {
	got := masked("sale 300019   on bill 200019, trk_7KQ\nsold_from=2026-11-21T19:25:05.739562Z  EUR 47.95, RR123456785BE\n3 rows in 100ms, 4 in 2s, 5 in 1.5s\n")
	want := []string{"sale NUMBER on bill NUMBER, trk_ID", "sold_from=INSTANT EUR 47.95, RR123456785BE", "3 rows in SECONDS, 4 in SECONDS, 5 in SECONDS"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
