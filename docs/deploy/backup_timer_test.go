package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
)

// TestTheBackupOfTheUnit runs the command of the unit beside a server, and holds the unit against that of the server.
func TestTheBackupOfTheUnit(t *testing.T) {
	unit, served := directives(read(t, "sellerd-backup.service")), directives(read(t, "sellerd.service"))
	for _, name := range []string{"EnvironmentFile", "User", "Group", "UMask", "WorkingDirectory"} {
		if unit[name] != served[name] {
			t.Errorf("%s is %q, and the server's is %q", name, unit[name], served[name])
		}
	}
	command := strings.Fields(unit["ExecStart"])[1:]
	into := command[len(command)-1]
	if diff := cmp.Diff("sellerd "+filepath.Base(into), unit["StateDirectory"]); diff != "" || filepath.Dir(into) != "/var/lib" {
		t.Errorf("it may not write %s (-want +got):\n%s", into, diff)
	}
	folder := t.TempDir()
	server := blackbox.NewServer(t, "sqlite:"+filepath.Join(folder, "sellerd.db"))
	server.Start(t)
	made := filepath.Join(folder, "sellerd-backup")
	if err := os.Mkdir(made, 0o700); err != nil { // as systemd does
		t.Fatal(err)
	}
	backup := exec.Command(program, append(slices.Clone(command[:len(command)-1]), made)...)
	backup.Env = append(os.Environ(), "SELLERD_DB=sqlite:"+filepath.Join(folder, "sellerd.db"))
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if copies, err := filepath.Glob(filepath.Join(made, "sellerd-*", "sellerd.db")); err != nil || len(copies) != 1 {
		t.Errorf("%v, there are the copies %v", err, copies)
	}
}

// TestSystemdAcceptsTheTimer gives it to systemd's own checker, beside the service that it starts.
func TestSystemdAcceptsTheTimer(t *testing.T) {
	installed.Require(t, "THE UNITS FOR SYSTEMD WERE NOT CHECKED", "systemd-analyze")
	folder := t.TempDir()
	for _, name := range []string{"sellerd-backup.service", "sellerd-backup.timer"} {
		text := regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllLiteralString(read(t, name), "ExecStart="+program)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	when := directives(read(t, "sellerd-backup.timer"))["OnCalendar"]
	for _, arguments := range [][]string{{"verify", filepath.Join(folder, "sellerd-backup.timer")}, {"calendar", when}} {
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", arguments...).CombinedOutput()
		if err != nil || arguments[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
}
