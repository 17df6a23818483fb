package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"sellerd/internal/proof/installed"
)

// patroniSettings is the part of patroni.yml that is tested here. TestPatroni of internal/proof/outagetest runs all of it.
type patroniSettings struct {
	Etcd struct{ Hosts []string }
	Boot struct {
		DCS struct {
			TTL                 int
			LoopWait            int  `yaml:"loop_wait"`
			RetryTimeout        int  `yaml:"retry_timeout"`
			SynchronousMode     bool `yaml:"synchronous_mode"`
			SynchronousStrict   bool `yaml:"synchronous_mode_strict"`
			PrimaryStartTimeout *int `yaml:"primary_start_timeout"`
		}
	} `yaml:"bootstrap"`
}

func TestPatroniFiles(t *testing.T) {
	var p patroniSettings
	if err := yaml.Unmarshal([]byte(read(t, "patroni/patroni.yml")), &p); err != nil {
		t.Fatal(err)
	}
	dcs := p.Boot.DCS
	t.Run("a primary that is cut off has stopped before its lease ends", func(t *testing.T) {
		if dcs.TTL == 0 || dcs.LoopWait+2*dcs.RetryTimeout > dcs.TTL {
			t.Errorf("%d + 2 * %d > %d", dcs.LoopWait, dcs.RetryTimeout, dcs.TTL)
		}
	})
	t.Run("an acknowledged change is on two machines, and a crash is a failover", func(t *testing.T) {
		if !dcs.SynchronousMode || !dcs.SynchronousStrict || dcs.PrimaryStartTimeout == nil || *dcs.PrimaryStartTimeout != 0 {
			t.Errorf("%+v", dcs)
		}
	})
	t.Run("etcd of all machines is asked", func(t *testing.T) {
		_, values := settings(read(t, "patroni/etcd.env"))
		var members []string
		for member := range strings.SplitSeq(values["ETCD_INITIAL_CLUSTER"], ",") {
			_, url, _ := strings.Cut(member, "=http://")
			members = append(members, strings.Replace(url, ":2380", ":2379", 1))
		}
		if diff := cmp.Diff(members, p.Etcd.Hosts); diff != "" {
			t.Errorf("(-members +asked):\n%s", diff)
		}
		if !strings.Contains(read(t, "patroni/etcd.env"), "\nETCD_ENABLE_V2=true\n") {
			t.Error("etcd does not offer the interface that patroni.yml uses")
		}
	})
	t.Run("the program knows the variables of its file", func(t *testing.T) {
		names, _ := settings(read(t, "patroni/sellerd.env"))
		checkVariables(t, names)
	})
	t.Run("HAProxy accepts its file", func(t *testing.T) {
		haproxy := installed.Path(t, "THE CONFIGURATION OF THE LOAD BALANCER WAS NOT CHECKED", "haproxy")
		path := filepath.Join(t.TempDir(), "haproxy.cfg")
		text := strings.NewReplacer("db-1.example.com", "192.0.2.1", "db-2.example.com", "192.0.2.2", "db-3.example.com", "192.0.2.3").Replace(read(t, "patroni/haproxy.cfg"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), haproxy, "-c", "-dW", "-f", path).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// TestFullDisk runs disk.sh with programs in place of df, curl and patronictl. It asks for another primary when the disk of the primary
// is full, and at no other time.
func TestFullDisk(t *testing.T) {
	for _, c := range []struct {
		name, used, primary string
		want                string
	}{
		{"a full disk of the primary", "95", "0", "-c /etc/patroni/config.yml switchover sellerd --primary db-1 --force\n"},
		{"a full disk of a standby", "100", "22", ""},
		{"a disk with space", "94", "0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			said := filepath.Join(folder, "said")
			for name, text := range map[string]string{
				"df": "echo Use%; echo ' " + c.used + "%'", "curl": "exit " + c.primary, "patronictl": `echo "$@" >>` + said,
				"sleep": "[ -e " + folder + "/once ] && exit 1; touch " + folder + "/once",
			} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			run := exec.CommandContext(t.Context(), "sh", "patroni/disk.sh", "/data")
			run.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "PATRONI_NAME=db-1")
			run.WaitDelay = time.Second
			if out, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got, err := os.ReadFile(said)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("patronictl (-want +got):\n%s", diff)
			}
		})
	}
}
