package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"sellerd/internal/proof/installed"
)

// directives are the lines of a unit, the last of each name.
func directives(text string) map[string]string {
	found := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^([A-Za-z]+)=(.*)$`).FindAllStringSubmatch(text, -1) {
		found[match[1]] = match[2]
	}
	return found
}

func TestUnit(t *testing.T) {
	unit := directives(read(t, "sellerd.service"))
	t.Run("it confines the program, restarts it, and gives it the time to stop", func(t *testing.T) {
		want := map[string]string{
			"User": "sellerd", "StateDirectory": "sellerd", "WorkingDirectory": "/var/lib/sellerd", "ProtectSystem": "strict",
			"NoNewPrivileges": "true", "CapabilityBoundingSet": "", "Restart": "always", "KillSignal": "SIGTERM",
			"EnvironmentFile": "/etc/sellerd/sellerd.env",
		}
		got := map[string]string{}
		for name := range want {
			if value, set := unit[name]; set {
				got[name] = value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		checkStopTime(t, unit["TimeoutStopSec"])
	})
	t.Run("its command is the program's", func(t *testing.T) {
		checkCommand(t, strings.Fields(unit["ExecStart"])[1:]...)
	})
	t.Run("the program knows the variables of its file, and takes their values", func(t *testing.T) {
		names, values := settings(read(t, "sellerd.env"))
		checkVariables(t, names)
		if diff := cmp.Diff("", values["SELLERD_SECRET"]+values["SELLERD_OPERATOR_TOKEN"]); diff != "" {
			t.Errorf("the example has a secret: %s", diff)
		}
	})
	t.Run("the program takes the files of secrets that it may hand over", func(t *testing.T) {
		opened := strings.ReplaceAll(strings.ReplaceAll(read(t, "sellerd.service"), "\n#LoadCredential=", "\nLoadCredential="), "\n#Environment=", "\nEnvironment=")
		var handed, taken, names []string
		for _, match := range regexp.MustCompile(`(?m)^LoadCredential=([a-z-]+):/etc/sellerd/([a-z-]+)$`).FindAllStringSubmatch(opened, -1) {
			if match[1] != match[2] {
				t.Errorf("%s is in the file %s", match[1], match[2])
			}
			handed = append(handed, match[1])
		}
		for variable := range strings.FieldsSeq(directives(opened)["Environment"]) {
			name, file, _ := strings.Cut(variable, "=%d/")
			names, taken = append(names, name), append(taken, file)
		}
		checkVariables(t, names)
		if diff := cmp.Diff(handed, taken); diff != "" || len(taken) != 3 {
			t.Errorf("(-LoadCredential +Environment):\n%s", diff)
		}
		checkUnit(t, "sellerd.service", opened, tolerated["sellerd.service"])
	})
	t.Run("the database of its file is in its state directory, and the one that Litestream copies", func(t *testing.T) {
		live := regexp.MustCompile(`(?m)^SELLERD_DB=sqlite:(.*)$`).FindStringSubmatch(read(t, "sellerd.env"))
		if live == nil || filepath.Dir(live[1]) != unit["WorkingDirectory"] {
			t.Fatalf("the database is %v", live)
		}
		var litestream struct {
			DBs []struct {
				Path    string
				Replica struct{ URL string }
			} `yaml:"dbs"`
		}
		if err := yaml.Unmarshal([]byte(read(t, "litestream.yml")), &litestream); err != nil {
			t.Fatal(err)
		}
		if len(litestream.DBs) != 1 || litestream.DBs[0].Path != live[1] || litestream.DBs[0].Replica.URL == "" {
			t.Errorf("Litestream copies %v", litestream.DBs)
		}
	})
}

// tolerated is the exposure up to which `systemd-analyze security` lets a unit pass, in tenths of its points.
var tolerated = map[string]string{"sellerd.service": "15", "sellerd-bridge.service": "15", "litestream.service": "40", "sellerd-backup.service": "15", "patroni/patroni-disk.service": "40"}

// TestSystemdAccepts gives the units to systemd's own checker, with a program that is there.
func TestSystemdAccepts(t *testing.T) {
	for name, threshold := range tolerated {
		t.Run(name, func(t *testing.T) { checkUnit(t, name, read(t, name), threshold) })
	}
}

func checkUnit(t *testing.T, name, text, threshold string) {
	t.Helper()
	installed.Require(t, "THE UNITS FOR SYSTEMD WERE NOT CHECKED", "systemd-analyze")
	path := filepath.Join(t.TempDir(), filepath.Base(name))
	text = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllLiteralString(text, "ExecStart="+program)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"verify", path}, {"security", "--offline=true", "--threshold=" + threshold, path}} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", arguments...).CombinedOutput()
		if err != nil || arguments[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
}

func TestDirectives(t *testing.T) {
	got := directives("# A=b\n[Service]\nExecStart=/x y=z\nUser=\nTimeoutStopSec=25s\n")
	if diff := cmp.Diff(map[string]string{"ExecStart": "/x y=z", "User": "", "TimeoutStopSec": "25s"}, got); diff != "" {
		t.Error(diff)
	}
}
