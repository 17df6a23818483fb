package outagetest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// patroniFiles is where the files of the setting are.
const patroniFiles = "../../../docs/deploy/patroni/"

// machineScript runs what one machine runs.
//
//go:embed machine.sh
var machineScript string

// machine is a database of docs/deploy/patroni. It has processes, mounts, disks and a network of its own, so that it runs the files as
// they are but for the passwords.
type machine struct {
	t             *testing.T // of the step
	name, address string
	folder        string
	process       *exec.Cmd
	first         string // its first process
}

// diskSize is that of each machine's disk for PostgreSQL, which is in memory.
const diskSize = "size=2500m"

// machines starts the three machines, and waits until they are a primary and two standbys.
func machines(t *testing.T) []*machine {
	t.Helper()
	all := make([]*machine, 3)
	hosts := "127.0.0.1 localhost\n"
	for i := range all {
		all[i] = &machine{t: t, name: fmt.Sprintf("db-%d", i+1), address: fmt.Sprintf("10.0.0.%d", i+1), folder: t.TempDir()}
		hosts += all[i].address + " " + all[i].host() + "\n"
	}
	names := filepath.Join(t.TempDir(), "hosts")
	mustWrite(t, names, hosts)
	for _, command := range []string{
		"mount --make-rprivate /", "mount -t tmpfs machines /run", "mkdir -p /run/netns /run/postgresql", "mount --bind " + names + " /etc/hosts",
		"ip link set lo up", "ip link add machines type bridge", "ip address add 10.0.0.10/24 dev machines", "ip link set machines up",
	} {
		execute(t, command)
	}
	for _, m := range all {
		m.prepare()
		m.start()
		t.Cleanup(m.kill)
	}
	t.Cleanup(func() {
		for _, m := range all {
			if t.Failed() {
				t.Logf("the last words of %s:\n%s", m.name, m.words())
			}
		}
	})
	return all
}

// execute runs a command without quotes.
func execute(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) host() string { return m.name + ".example.com" }

// file is a file of the setting, for this machine.
func (m *machine) file(name string) string {
	text := regexp.MustCompile(`PASSWORD-OF-\w+`).ReplaceAllString(read(m.t, patroniFiles+name), passwordOf)
	switch name {
	case "patroni.yml":
		if *etcd3 {
			text = strings.Replace(text, "\netcd:\n", "\netcd3:\n", 1)
		}
	case "node.env":
		text = strings.ReplaceAll(text, "db-1", m.name)
	case "etcd.env":
		text = regexp.MustCompile(`(?m)^ETCD_(NAME|ADVERTISE|INITIAL_ADVERTISE).*$`).ReplaceAllStringFunc(text, func(line string) string {
			return strings.ReplaceAll(line, "db-1", m.name)
		})
		text = regexp.MustCompile(`(?m)^(ETCD_\w+)=(.*)$`).ReplaceAllString(text, "$1='$2'")
	}
	return text
}

// prepare makes the machine's disks, files and network.
func (m *machine) prepare() {
	m.t.Helper()
	must := func(err error) {
		m.t.Helper()
		if err != nil {
			m.t.Fatal(err)
		}
	}
	for folder, owner := range map[string]string{"postgresql": "postgres", "etcd": "etcd", "patroni": "postgres", "run": "postgres"} {
		path := filepath.Join(m.folder, folder)
		must(os.Mkdir(path, 0o755))
		if folder == "postgresql" || folder == "etcd" {
			execute(m.t, "mount -t tmpfs -o "+diskSize+" machines "+path)
			m.t.Cleanup(func() { execute(m.t, "umount --lazy "+path) })
		}
		known, err := user.Lookup(owner)
		must(err)
		uid, errUID := strconv.Atoi(known.Uid)
		gid, errGID := strconv.Atoi(known.Gid)
		must(errors.Join(errUID, errGID, os.Chown(path, uid, gid), os.Chmod(path, 0o700)))
		if folder == "patroni" {
			config := filepath.Join(path, "config.yml")
			mustWrite(m.t, config, m.file("patroni.yml"))
			must(errors.Join(os.Chown(config, uid, gid), os.Chmod(config, 0o600)))
		}
	}
	for _, name := range []string{"node.env", "etcd.env", "disk.sh"} {
		mustWrite(m.t, filepath.Join(m.folder, name), m.file(name))
	}
	mustWrite(m.t, filepath.Join(m.folder, "machine.sh"), machineScript)
	// The services of the machine run as other users.
	for folder := m.folder; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		must(os.Chmod(folder, 0o755))
	}
	for _, command := range []string{
		"ip netns add NAME", "ip link add NAME type veth peer name eth0 netns NAME", "ip link set NAME master machines up",
		"ip -n NAME address add " + m.address + "/24 dev eth0", "ip -n NAME link set lo up", "ip -n NAME link set eth0 up",
	} {
		execute(m.t, strings.ReplaceAll(command, "NAME", m.name))
	}
}

// start runs what the machine runs.
func (m *machine) start() {
	m.t.Helper()
	m.process = exec.Command("ip", "netns", "exec", m.name, "unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child",
		"sh", filepath.Join(m.folder, "machine.sh"), m.folder)
	m.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(m.folder, "machine.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	m.process.Stdout, m.process.Stderr = log, log
	if err := m.process.Start(); err != nil {
		m.t.Fatal(err)
	}
	pid := m.process.Process.Pid
	blackbox.Eventually(m.t, 10*time.Second, m.name+" runs", func() bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		m.first = strings.TrimSpace(string(children))
		return err == nil && m.first != ""
	})
}

// kill ends all processes of the machine by SIGKILL.
func (m *machine) kill() {
	if m.process == nil {
		return
	}
	execute(m.t, "kill -KILL "+m.first)
	_ = m.process.Wait()
	m.process = nil
}

// freeze stops all processes of the machine; thaw continues them.
func (m *machine) freeze() { m.t.Helper(); m.inside("kill -STOP -1") }
func (m *machine) thaw()   { m.t.Helper(); m.inside("kill -CONT -1") }

// crash ends PostgreSQL by SIGKILL, and neither Patroni nor etcd.
func (m *machine) crash() { m.t.Helper(); m.inside("pkill -KILL -x postgres") }

// inside runs a command of the shell among the machine's processes.
func (m *machine) inside(command string) {
	m.t.Helper()
	out, err := exec.Command("nsenter", "--target", m.first, "--pid", "--mount", "sh", "-c", command).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s at %s: %v\n%s", command, m.name, err, out)
	}
}

// cut takes the machine off the network: what is sent to it, or by it, is lost. join puts it back.
func (m *machine) cut()  { m.t.Helper(); execute(m.t, "ip link set "+m.name+" down") }
func (m *machine) join() { m.t.Helper(); execute(m.t, "ip link set "+m.name+" up") }

// ballast is a file of somebody else.
func (m *machine) ballast() string { return filepath.Join(m.folder, "postgresql", "ballast") }

// fill leaves no byte on the disk of PostgreSQL; free takes the ballast away.
func (m *machine) fill() {
	m.t.Helper()
	err := exec.Command("dd", "if=/dev/zero", "of="+m.ballast(), "bs=1M").Run()
	if err == nil {
		m.t.Fatal("the disk was not full")
	}
}

func (m *machine) free() {
	m.t.Helper()
	if err := os.Remove(m.ballast()); err != nil {
		m.t.Fatal(err)
	}
}

// words are the ends of the machine's logs.
func (m *machine) words() (text string) {
	for _, name := range []string{"machine.log", "etcd.log", "patroni.log", "disk.log"} {
		log, _ := os.ReadFile(filepath.Join(m.folder, name)) // or none
		text += name + ":\n" + string(log[max(0, len(log)-4096):]) + "\n"
	}
	return text
}

var patroniClient = &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// is asks Patroni of the machine what HAProxy asks.
func (m *machine) is(role string) bool {
	response, err := patroniClient.Get("http://" + m.host() + ":8008/" + role)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// patroni is what the tests know of the cluster.
type patroni struct {
	t        *testing.T // of the step
	machines []*machine
}

// primary is the machine that is the primary, or nil.
func (p *patroni) primary() *machine {
	i := slices.IndexFunc(p.machines, func(m *machine) bool { return m.is("primary") })
	if i < 0 {
		return nil
	}
	return p.machines[i]
}

// whole says whether all three machines run, one of them as a standby that commits wait for.
func (p *patroni) whole() bool {
	primary := p.primary()
	if primary == nil {
		return false
	}
	response, err := patroniClient.Get("http://" + primary.host() + ":8008/cluster")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var cluster struct {
		Members []struct {
			Role, State string
			Timeline    int
			Lag         any
		}
	}
	if json.NewDecoder(response.Body).Decode(&cluster) != nil {
		return false
	}
	var roles []string
	for _, m := range cluster.Members {
		if (m.State == "running" || m.State == "streaming") && m.Timeline == cluster.Members[0].Timeline {
			roles = append(roles, m.Role)
		}
	}
	slices.Sort(roles)
	return slices.Equal(roles, []string{"leader", "replica", "sync_standby"})
}

// wholeLimit is how long the machines may take until they are a primary and two standbys, which may need a new base backup.
const wholeLimit = 2 * time.Minute

func (p *patroni) awaitWhole() {
	p.t.Helper()
	blackbox.Eventually(p.t, wholeLimit, "there are a primary and two standbys", p.whole)
}

// of gives the machines the test of a step.
func (p *patroni) of(t *testing.T) {
	p.t = t
	for _, m := range p.machines {
		m.t = t
	}
}

// newPatroni starts the machines and HAProxy by the files of the manual.
func newPatroni(t *testing.T) *patroni {
	t.Helper()
	const untried = "NO AUTOMATIC FAILOVER WAS TRIED"
	installed.Require(t, untried, "patroni", "etcd", "unshare", "nsenter", "setpriv", "curl")
	haproxy := installed.Path(t, untried, "haproxy")
	p := &patroni{t: t, machines: machines(t)}
	p.awaitWhole()
	var statements []string
	for statement := range strings.SplitSeq(regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(p.machines[0].file("roles.sql"), ""), ";") {
		if strings.TrimSpace(statement) != "" {
			statements = append(statements, statement)
		}
	}
	admin := "postgres://postgres:" + passwordOf + "@" + p.primary().host() + "/postgres"
	if err := pgtest.Execute(t.Context(), admin, statements...); err != nil {
		t.Fatal(err)
	}
	balancer := exec.Command(haproxy, "-db", "-f", patroniFiles+"haproxy.cfg")
	balancer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := balancer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = balancer.Process.Kill(); _ = balancer.Wait() })
	time.Sleep(4 * time.Second) // until HAProxy has asked each machine twice
	return p
}

// settings are what the file for sellerd offers: by HAProxy, by the three names, and for reads.
func (p *patroni) settings() (balanced, named, reads string) {
	text := p.machines[0].file("sellerd.env")
	urls := regexp.MustCompile(`(?m)^#?SELLERD_DB(?:_READ)?=(.*)$`).FindAllStringSubmatch(text, -1)
	if len(urls) != 3 {
		p.t.Fatalf("sellerd.env has %d addresses of databases", len(urls))
	}
	return urls[0][1], urls[1][1], urls[2][1]
}
