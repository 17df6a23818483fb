package reference_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/reference"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// runner runs all samples of a language in one go, with the driver in testdata/drivers.
type runner struct {
	label    string   // of the samples
	programs []string // without which they cannot run
	driver   string   // its folder
	run      []string
	file     string                     // what a sample's file is called, by its number
	edit     func(source string) string // makes of the sample what the driver runs
	printed  *regexp.Regexp             // what a sample prints
}

var statusFirst = regexp.MustCompile(`(?s)^(?P<status>\d{3}) (?P<body>.*)$`)

var runners = []runner{
	{
		label: "curl", programs: []string{"curl", "openssl"}, driver: "curl", run: []string{"sh", "driver.sh"}, file: "%02d.sh",
		printed: regexp.MustCompile(`(?s)^(?P<body>.*)\n(?P<status>\d{3})$`),
	},
	{
		label: "Go", programs: []string{"go"}, driver: "go", run: []string{"sh", "driver.sh"}, file: "sample%02d.go", printed: statusFirst,
		edit: func(source string) string {
			return strings.Replace(source, "func main()", "func init()", 1) + "\nfunc init() { fmt.Print(\"\\x1e\") }\n"
		},
	},
	{
		label: "Python", programs: []string{"python3"}, driver: "python", run: []string{"python3", "-W", "error", "driver.py"}, file: "%02d.py", printed: statusFirst,
	},
	{
		label: "JavaScript", programs: []string{"node"}, driver: "javascript", run: []string{"node", "driver.mjs"}, file: "%02d.mjs", printed: statusFirst,
	},
	{
		label: "PHP", programs: []string{"php"}, driver: "php", run: []string{"php", "-d", "display_errors=stderr", "-d", "error_reporting=-1", "driver.php"}, file: "%02d.php",
		printed: regexp.MustCompile(`(?s)^HTTP/1.1 (?P<status>\d{3}) [^\n]*\n(?P<body>.*)$`),
	},
}

// answer is what a sample printed.
type answer struct {
	Operation, Status string
	Body              any
}

// refused are the operations whose samples come at a wrong time for the one item and the one bill that all of them are about.
// A refusal is an answer, too.
var refused = map[string]string{
	"markBillSent":    "422", // the day in the example was before this bill
	"simulateBid":     "409", // the item is no auction
	"simulateInvoice": "422", // the bill is paid already
	"simulatePayment": "422",
}

// TestSamplesAreAnsweredAlike runs the samples of each language against a service that holds the same items, sales and bills.
func TestSamplesAreAnsweredAlike(t *testing.T) {
	curl := runners[0].answers(t)
	operations := []string{}
	for _, a := range curl {
		operations = append(operations, a.Operation)
		want := regexp.MustCompile("^20[012]$")
		if status := refused[a.Operation]; status != "" {
			want = regexp.MustCompile(status)
		}
		if !want.MatchString(a.Status) {
			t.Errorf("%s with curl is answered %s %v", a.Operation, a.Status, a.Body)
		}
	}
	all := []string{}
	for _, o := range inOrder() {
		all = append(all, openapi.OperationID(o))
	}
	if diff := cmp.Diff(all, operations); diff != "" {
		t.Errorf("the samples are not of all operations (-want +got):\n%s", diff)
	}
	for _, r := range runners[1:] {
		t.Run("those in "+r.label+" like those for curl", func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(curl, r.answers(t)); diff != "" {
				t.Errorf("(-curl +%s):\n%s", r.label, diff)
			}
		})
	}
}

// answers runs the samples of a language in a world of their own.
func (r *runner) answers(t *testing.T) []answer {
	t.Helper()
	installed.Require(t, "THE SAMPLES IN "+strings.ToUpper(r.label)+" WERE NOT TRIED", r.programs...)
	w := servertest.New(t, servertest.SQLite(t))
	service := httptest.NewServer(w.Server.Public)
	t.Cleanup(service.Close)
	samples := samplesIn(t, w, r.label)
	folder := r.folder(t, samples, w.Config.BaseURL, service.URL, seed(t, w))

	run := exec.CommandContext(t.Context(), r.run[0], r.run[1:]...)
	run.Dir = folder
	run.Env = append(os.Environ(), reference.KeyVariable+"="+w.Key, "CURL_HOME="+folder, "PYTHONDONTWRITEBYTECODE=1")
	var complaints bytes.Buffer
	run.Stderr = &complaints
	out, err := run.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v\n%s\n%s", err, complaints.String(), out)
	}
	records := strings.Split(strings.TrimSuffix(string(out), "\x1e"), "\x1e")
	if len(records) != len(samples) {
		t.Fatalf("of %d samples, %d printed something", len(samples), len(records))
	}
	var answers []answer
	for i, record := range records {
		answers = append(answers, r.read(t, samples[i].operation, record))
	}
	return answers
}

// folder puts the samples and what runs them into a folder. They find their objects by the ids given for the collections.
func (r *runner) folder(t *testing.T, samples []sample, documented, served string, ids map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "drivers", r.driver))); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"go.mod": "module samples\n\ngo 1.26\n"}
	for i, s := range samples {
		source := inPaths.ReplaceAllStringFunc(s.source, func(part string) string {
			names := inPaths.FindStringSubmatch(part)
			if id := ids[names[1]]; id != "" {
				return "/" + names[1] + "/" + id
			}
			return part
		})
		source = strings.ReplaceAll(source, documented, served) + "\n"
		if r.edit != nil {
			source = r.edit(source)
		}
		files[fmt.Sprintf(r.file, i)] = source
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"curlrc": ".curlrc", "main.go.txt": "main.go"} { // names that tools would trip over here
		if err := os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return folder
}

// inPaths finds collections and the ids behind them.
var inPaths = regexp.MustCompile(`/([a-z-]+)/([a-z]+_[0-9a-z]+|[0-9]+)\b`)

// unlike are secrets, what is shown of them, and ids of keys and requests, which differ from service to service. In an event that is a text in
// an answer they are in escaped quotes.
var unlike = regexp.MustCompile(`(whsec_|dk_test_|req_)[^"\\]+|("(?:id|predecessor_id|successor_id)":")[0-9A-Za-z]{12}\b`)

// read takes apart what a sample printed.
func (r *runner) read(t *testing.T, operation, record string) answer {
	t.Helper()
	found := r.printed.FindStringSubmatch(strings.TrimSpace(record))
	if found == nil {
		t.Fatalf("the sample of %s printed no status and body:\n%s", operation, record)
	}
	a := answer{Operation: operation, Status: found[r.printed.SubexpIndex("status")]}
	body := unlike.ReplaceAllString(found[r.printed.SubexpIndex("body")], `$1$2…`)
	if err := json.Unmarshal([]byte(body), &a.Body); err != nil {
		t.Fatalf("the sample of %s printed a body that is no JSON: %v\n%s", operation, err, record)
	}
	return a
}

// sample is one of an operation.
type sample struct{ operation, source string }

// inOrder are the operations, those last that remove what others are about.
func inOrder() []*v1.Operation {
	isLast := func(o *v1.Operation) int {
		switch {
		case o.OnKey && o.Method == http.MethodDelete: // the key that all samples use
			return 3
		case o == v1.ResetSandbox.Operation: // while a reset runs, changes are refused
			return 2
		case o.Method == http.MethodDelete:
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(v1.Operations), func(a, b *v1.Operation) int { return isLast(a) - isLast(b) })
}

// samplesIn are the samples of a language that the service shows, in the order in which they are tried.
func samplesIn(t *testing.T, w *servertest.World, label string) (samples []sample) {
	t.Helper()
	shown, err := reference.New(openapi.Document(w.Config.BaseURL))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	shown.Each(func(o *reference.Operation) {
		for _, s := range o.Samples {
			if s.Label == label {
				sources[o.ID] = s.Source
			}
		}
	})
	for _, o := range inOrder() {
		samples = append(samples, sample{openapi.OperationID(o), sources[openapi.OperationID(o)]})
	}
	return samples
}

// seed makes what the samples are about, and returns an id for each collection: an item to change and sell; a sale of
// another, whose bill is paid and has a tracking; and a webhook with a delivery.
func seed(t *testing.T, w *servertest.World) map[string]string {
	t.Helper()
	do := func(path string, body any) (made struct {
		ID     string `json:"id"`
		BillID string `json:"bill_id"`
	},
	) {
		t.Helper()
		answer := w.Do(t, servertest.Request{Method: http.MethodPost, Path: path, Body: body})
		if answer.Status >= 300 {
			t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
		}
		return servertest.Into[struct {
			ID     string `json:"id"`
			BillID string `json:"bill_id"`
		}](t, answer)
	}
	ids := map[string]string{}
	ids["items"] = w.List(t, servertest.FixedPrice(map[string]any{"quantity": 5}))
	ids["item-submissions"] = do("/v1/items", servertest.FixedPrice()).ID
	ids["item-batches"] = do("/v1/item-batches", map[string]any{"items": []any{servertest.FixedPrice()}}).ID
	from := w.Clock.Now().Add(time.Hour)
	ids["legacy-drills"] = do("/v1/account/legacy-drills", map[string]any{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Hour))}).ID
	sold := w.List(t, servertest.FixedPrice())
	sale := do("/v1/test/items/"+sold+"/purchase", map[string]any{})
	ids["sales"], ids["bills"] = sale.ID, sale.BillID
	do("/v1/test/bills/"+sale.BillID+"/invoice", map[string]any{})
	do("/v1/test/bills/"+sale.BillID+"/pay", map[string]any{})
	ids["trackings"] = do("/v1/bills/"+sale.BillID+"/trackings", map[string]any{"delivery_service_id": "104", "number": "6A01234567890"}).ID
	ids["webhooks"] = do("/v1/webhooks", map[string]any{"url": "https://hooks.example.com/sales", "events": []any{"*"}, "status": "paused"}).ID
	ids["webhook-deliveries"] = do("/v1/webhooks/"+ids["webhooks"]+"/test", map[string]any{"event": "item.sold"}).ID
	return ids
}
