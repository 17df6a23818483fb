package deploy

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// service is what the test looks at of a service of compose.yaml.
type service struct {
	Image string
	Build struct {
		Context, Dockerfile string
		Args                map[string]string
	}
	Command         []string
	Environment     map[string]string
	Secrets         []string
	Ports, Volumes  []string
	StopGracePeriod string       `yaml:"stop_grace_period"`
	DependsOn       dependencies `yaml:"depends_on"`
	Networks        map[string]struct {
		Address string `yaml:"ipv4_address"`
	}
}

// dependencies are written as a list of names, or with a condition each.
type dependencies map[string]struct{ Condition string }

// UnmarshalYAML reads both forms.
func (d *dependencies) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.MappingNode {
		return node.Decode((*map[string]struct{ Condition string })(d))
	}
	var names []string
	if err := node.Decode(&names); err != nil {
		return err
	}
	*d = dependencies{}
	for _, name := range names {
		(*d)[name] = struct{ Condition string }{"service_started"}
	}
	return nil
}

type compose struct {
	Services map[string]service
	Volumes  map[string]any
	Secrets  map[string]struct{ File string }
}

func readCompose(t *testing.T) (c compose) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// servers are the services that haproxy.cfg names.
var servers = []string{"sellerd-1", "sellerd-2"}

// TestCompose reads the file; it was never given to Docker here.
func TestCompose(t *testing.T) {
	c := readCompose(t)

	t.Run("there are a database, a migration, two servers and a load balancer", func(t *testing.T) {
		if diff := cmp.Diff([]string{"haproxy", "migrate", "postgres", "sellerd-1", "sellerd-2"}, slices.Sorted(maps.Keys(c.Services))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the program is built from this repository, as the release that .env names", func(t *testing.T) {
		for _, name := range append([]string{"migrate"}, servers...) {
			build := c.Services[name].Build
			if _, err := os.Stat(filepath.Join(build.Context, "go.mod")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := os.Stat(filepath.Join(build.Context, build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.HasPrefix(build.Args["VERSION"], "${VERSION:?") {
				t.Errorf("%s is built as %q", name, build.Args["VERSION"])
			}
		}
	})
	t.Run("the servers and the migration share database, secret and token, and the program knows all their variables", func(t *testing.T) {
		first := c.Services[servers[0]].Environment
		checkVariables(t, slices.Collect(maps.Keys(first)))
		for _, name := range []string{"SELLERD_DB_FILE", "SELLERD_SECRET_FILE", "SELLERD_OPERATOR_TOKEN_FILE", "SELLERD_BASE_URL"} {
			if first[name] == "" {
				t.Errorf("%s is not set", name)
			}
		}
		if db, set := first["SELLERD_DB"]; !set || db != "" {
			t.Errorf("the image's own SELLERD_DB is %q, %v", db, set)
		}
		for _, name := range []string{servers[1], "migrate"} {
			if diff := cmp.Diff(first, c.Services[name].Environment); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		checkCommand(t, c.Services["migrate"].Command...)
	})
	t.Run("each service has the secrets that its variables name, and README makes their files", func(t *testing.T) {
		made := read(t, "README.md")
		for name, s := range c.Services {
			var named []string
			for variable, value := range s.Environment {
				if secret, ok := strings.CutPrefix(value, "/run/secrets/"); ok && strings.HasSuffix(variable, "_FILE") {
					named = append(named, secret)
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(s.Secrets)), slices.Sorted(slices.Values(named))); diff != "" {
				t.Errorf("%s (-secrets +variables):\n%s", name, diff)
			}
			for _, secret := range named {
				if file := c.Secrets[secret].File; file == "" || !strings.Contains(made, " >"+strings.TrimPrefix(file, "./")+"\n") {
					t.Errorf("%s: README makes no file for %s, %q", name, secret, file)
				}
			}
		}
	})
	t.Run("the servers have the time to stop, and start after the migration", func(t *testing.T) {
		for _, name := range servers {
			checkStopTime(t, c.Services[name].StopGracePeriod)
			if got := c.Services[name].DependsOn["migrate"].Condition; got != "service_completed_successfully" {
				t.Errorf("%s starts when the migration is %q", name, got)
			}
		}
		if got := c.Services["migrate"].DependsOn["postgres"].Condition; got != "service_healthy" {
			t.Errorf("the migration starts when the database is %q", got)
		}
	})
	t.Run("only the load balancer is open to the world", func(t *testing.T) {
		for name, s := range c.Services {
			for _, port := range s.Ports {
				if name != "haproxy" && !strings.HasPrefix(port, "127.0.0.1:") {
					t.Errorf("%s publishes %s", name, port)
				}
			}
		}
		bind := regexp.MustCompile(`(?m)^ +bind :(\d+)$`).FindStringSubmatch(read(t, "haproxy.cfg"))
		if bind == nil || !slices.ContainsFunc(c.Services["haproxy"].Ports, func(port string) bool { return strings.HasSuffix(port, ":"+bind[1]) }) {
			t.Errorf("HAProxy listens on %v, published is %v", bind, c.Services["haproxy"].Ports)
		}
	})
	t.Run("the servers trust no proxy, and the balancer's address once it is taken in", func(t *testing.T) {
		text := read(t, ".env.example")
		_, values := settings(text)
		if got := values["SELLERD_TRUSTED_PROXIES"]; got != "" {
			t.Errorf("the example trusts %s", got)
		}
		if address := c.Services["haproxy"].Networks["default"].Address; address == "" || !strings.Contains(text, address) {
			t.Errorf("the example does not name the balancer's address %q", address)
		}
		if got := c.Services[servers[0]].Environment["SELLERD_TRUSTED_PROXIES"]; !strings.HasPrefix(got, "${SELLERD_TRUSTED_PROXIES?") {
			t.Errorf("the servers trust %q", got)
		}
	})
	t.Run("the files and volumes it mounts are there", func(t *testing.T) {
		for name, s := range c.Services {
			for _, volume := range s.Volumes {
				source, _, _ := strings.Cut(volume, ":")
				if !strings.HasPrefix(source, ".") {
					if _, ok := c.Volumes[source]; !ok {
						t.Errorf("%s: there is no volume %s", name, source)
					}
				} else if _, err := os.Stat(source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

// longestStop is how long the program may take to end (docs/operator/operating-upgrades.md).
const longestStop = 30 * time.Second

func checkStopTime(t *testing.T, text string) {
	t.Helper()
	if limit, err := time.ParseDuration(text); err != nil || limit <= longestStop {
		t.Errorf("it is killed after %q, want more than %s", text, longestStop)
	}
}

// TestEnvironmentExample: what compose.yaml asks for is in .env.example, which has the release of the sources, and
// files with secrets are not committed.
func TestEnvironmentExample(t *testing.T) {
	asked := map[string]bool{}
	for _, match := range regexp.MustCompile(`\$\{([A-Z_]+)`).FindAllStringSubmatch(read(t, "compose.yaml"), -1) {
		asked[match[1]] = true
	}
	names, values := settings(read(t, ".env.example"))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(asked)), slices.Sorted(slices.Values(names))); diff != "" {
		t.Errorf("compose.yaml asks for and .env.example has (-want +got):\n%s", diff)
	}
	release, err := exec.CommandContext(t.Context(), "make", "-s", "-C", root, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(release)), values["VERSION"]); diff != "" {
		t.Errorf("the example is not of the release of the sources (-sources +example):\n%s", diff)
	}
	for _, path := range []string{"/.env", "/secrets/"} {
		if !slices.Contains(strings.Fields(read(t, ".gitignore")), path) {
			t.Errorf(".gitignore does not name %s", path)
		}
	}
}
