package deploy

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// rule is one of alerts.yml.
type rule struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations struct{ Summary, Action, Page string }
}

func readRules(t *testing.T) []rule {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal([]byte(read(t, "alerts.yml")), &file); err != nil || len(file.Groups) != 1 {
		t.Fatal(err, len(file.Groups))
	}
	return file.Groups[0].Rules
}

// panel is one of grafana.json.
type panel struct {
	ID          int
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct{ Expr, LegendFormat string }
	Datasource  struct{ UID string }
}

// readDashboard returns the panels, and the expressions of Prometheus in them with Grafana's variables filled in.
func readDashboard(t *testing.T) (panels []panel, expressions []string) {
	t.Helper()
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal([]byte(read(t, "grafana.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expressions = append(expressions, fill.Replace(target.Expr))
		}
	}
	return dashboard.Panels, expressions
}

// TestPrometheusAccepts gives the files to Prometheus's own program, which also runs the tests of the rules and reads the
// expressions of the dashboard.
func TestPrometheusAccepts(t *testing.T) {
	promtool := installed.Path(t, "THE RULES FOR PROMETHEUS WERE NOT TESTED", "promtool")
	type record struct{ Record, Expr string }
	var records []record
	_, expressions := readDashboard(t)
	for _, expression := range expressions {
		records = append(records, record{"dashboard:panel:value", expression})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": records}}})
	if err != nil {
		t.Fatal(err)
	}
	dashboard := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(dashboard, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{"check", "config", "prometheus.yml"}, {"test", "rules", "alerts_test.yml"}, {"check", "rules", "--lint=none", dashboard},
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, arguments...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
}

// TestEveryAlertIsTested looks for a case of alerts_test.yml in which each alert is quiet, and one in which it fires.
func TestEveryAlertIsTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Cases []struct {
				Alert string `yaml:"alertname"`
				Fires []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "alerts_test.yml")), &file); err != nil {
		t.Fatal(err)
	}
	type seen struct{ Quiet, Fires bool }
	want, got := map[string]seen{}, map[string]seen{}
	for _, rule := range readRules(t) {
		want[rule.Alert] = seen{true, true}
	}
	for _, test := range file.Tests {
		for _, c := range test.Cases {
			got[c.Alert] = seen{got[c.Alert].Quiet || len(c.Fires) == 0, got[c.Alert].Fires || len(c.Fires) > 0}
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEveryAlertSaysWhatToDo follows the pages of the alerts to their sections, and looks for the alerts in the manual.
func TestEveryAlertSaysWhatToDo(t *testing.T) {
	severities, described := map[string]string{}, map[string]string{}
	severity := ""
	rows := regexp.MustCompile("severity `(\\w+)`|(?m)^\\| `(Sellerd\\w+)`")
	for _, found := range rows.FindAllStringSubmatch(read(t, "../operator/operating-monitoring.md"), -1) {
		severity = cmp.Or(found[1], severity)
		if found[2] != "" {
			described[found[2]] = severity
		}
	}
	for _, rule := range readRules(t) {
		severities[rule.Alert] = rule.Labels["severity"]
		if rule.Annotations.Summary == "" || rule.Annotations.Action == "" || !slices.Contains([]string{"page", "ticket"}, rule.Labels["severity"]) {
			t.Errorf("%s: %+v %v", rule.Alert, rule.Annotations, rule.Labels)
		}
		file, ofOperators := strings.CutPrefix(rule.Annotations.Page, "docs/operator/")
		if !ofOperators {
			t.Errorf("%s: the page %s is not in docs/operator", rule.Alert, rule.Annotations.Page)
		}
		page, section, _ := strings.Cut(file, "#")
		found := section == ""
		for _, heading := range regexp.MustCompile(`(?m)^##+ (.*)$`).FindAllStringSubmatch(read(t, "../operator/"+page), -1) {
			found = found || strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-") == section
		}
		if !found {
			t.Errorf("%s: there is no section %s", rule.Alert, rule.Annotations.Page)
		}
	}
	if diff := gocmp.Diff(severities, described); diff != "" {
		t.Errorf("the manual (-want +got):\n%s", diff)
	}
}

// TestTheDashboardHasAPlaceForEachPanel checks what Grafana expects of the file, as far as the panels are concerned.
func TestTheDashboardHasAPlaceForEachPanel(t *testing.T) {
	panels, _ := readDashboard(t)
	ids, places := map[int]string{}, map[[2]int]string{}
	for _, p := range panels {
		if other, ok := ids[p.ID]; ok || p.Title == "" {
			t.Errorf("%q has the id of %q", p.Title, other)
		}
		ids[p.ID] = p.Title
		if p.Type != "row" && (len(p.Targets) == 0 || p.Datasource.UID != "${datasource}") {
			t.Errorf("%s shows nothing: %+v", p.Title, p)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := places[[2]int{x, y}]; other != "" || x >= 24 {
					t.Errorf("%s lies on %q", p.Title, other)
				}
				places[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestWhatIsWatchedExists compares the metrics, labels and values that the rules and the dashboard name with what a server has.
func TestWhatIsWatchedExists(t *testing.T) {
	watched := map[string][]string{}
	for _, rule := range readRules(t) {
		watched["the rule "+rule.Alert] = []string{rule.Expr}
	}
	panels, _ := readDashboard(t)
	for _, p := range panels {
		for _, target := range p.Targets { // a label of a legend is to be one of its expression
			legend := regexp.MustCompile(`{{(\w+)}}`).ReplaceAllString(target.LegendFormat, " by ($1) ")
			watched["the panel "+p.Title] = append(watched["the panel "+p.Title], target.Expr+legend)
		}
	}
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") },
		"postgres": func(t *testing.T) string { t.Helper(); return pgtest.URL(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			server := blackbox.NewServer(t, database(t))
			server.Start(t)
			seller := blackbox.NewSeller(t, server, "anna")
			for _, path := range []string{"/v1/events", "/v1/account"} {
				if got := ask(t, http.DefaultClient, server.URL()+path, seller.Key, nil); got.status != http.StatusOK {
					t.Fatalf("%s: %d %s", path, got.status, got.body)
				}
			}
			metrics := scrape(t, server)
			for what, expressions := range watched {
				for _, expression := range expressions {
					for _, fault := range metrics.faults(expression) {
						t.Errorf("%s: %s", what, fault)
					}
				}
			}
		})
	}
}

// metrics are the values of each label of each metric. Prometheus itself gives the labels of a target to all.
type metrics map[string]map[string][]string

func scrape(t *testing.T, server *blackbox.Server) metrics {
	t.Helper()
	got := ask(t, http.DefaultClient, server.OperatorURL()+"/metrics", "", nil)
	m := metrics{"up": {"job": {"sellerd"}, "instance": nil}}
	for _, line := range regexp.MustCompile(`(?m)^([a-z]\w*)(\{.*\})? `).FindAllStringSubmatch(got.body, -1) {
		if m[line[1]] == nil {
			m[line[1]] = maps.Clone(m["up"])
		}
		for _, label := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(line[2], -1) {
			m[line[1]][label[1]] = append(m[line[1]][label[1]], label[2])
		}
	}
	return m
}

// faults are what an expression names and no server has. A value must be there if it is compared for being equal, or not equal; patterns
// are for values that a server does not have at its start.
func (m metrics) faults(expression string) (faults []string) {
	all := map[string]bool{}
	for _, use := range regexp.MustCompile(`\b((?:sellerd|process|go)_\w+|up)\b(?:\{([^}]*)\})?`).FindAllStringSubmatch(expression, -1) {
		labels, ok := m[use[1]]
		if !ok {
			faults = append(faults, "there is no metric "+use[1])
		}
		for label := range labels {
			all[label] = true
		}
		for _, matcher := range regexp.MustCompile(`(\w+)(=~|!~|!=|=)"([^"]*)"`).FindAllStringSubmatch(use[2], -1) {
			values, ok := labels[matcher[1]]
			if !ok || strings.HasSuffix(matcher[2], "=") && !slices.Contains(values, matcher[3]) {
				faults = append(faults, "there is no "+use[1]+" with "+matcher[0])
			}
		}
	}
	if len(all) == 0 {
		faults = append(faults, "no metric in "+expression)
	}
	for _, list := range regexp.MustCompile(`\b(?:by|on) \(([^)]*)\)`).FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(list[1], ", ") {
			if !all[label] {
				faults = append(faults, "there is no label "+label+" in "+expression)
			}
		}
	}
	return faults
}

// TestFaultsOfExpressions tests the test above.
func TestFaultsOfExpressions(t *testing.T) {
	m := metrics{"up": {"job": {"sellerd"}, "instance": nil}, "sellerd_a": {"job": {"sellerd"}, "op": {"Get", "Put"}}}
	for expression, want := range map[string][]string{
		`sum by (op) (sellerd_a{op="Get"}) / on (job) up{job="sellerd"}`: nil,
		`sellerd_a{op=~"Gone.*"}`:     nil,
		`sellerd_b`:                   {"there is no metric sellerd_b", "no metric in sellerd_b"},
		`sellerd_a{op!="Gone"}`:       {`there is no sellerd_a with op!="Gone"`},
		`sellerd_a{status="Get"}`:     {`there is no sellerd_a with status="Get"`},
		`sum by (op, le) (sellerd_a)`: {"there is no label le in sum by (op, le) (sellerd_a)"},
		`vector(1)`:                   {"no metric in vector(1)"},
	} {
		if diff := gocmp.Diff(want, m.faults(expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}
