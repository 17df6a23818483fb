package translate_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

var update = flag.Bool("update", false, "write the goldens anew")

// proof says what of some calls and notifications is not as their samples and goldens have it.
func proof(calls []*translate.Call, types []*translate.Notification) error {
	table, err := translate.Compile(calls, types)
	if err != nil {
		return err
	}
	var wrong []error
	for _, p := range table.Plans {
		for i := range p.Samples {
			wrong = append(wrong, provenSample(p, &p.Samples[i]))
		}
		if p.Target.Kind != translate.Absent { // which answers nothing but refusals
			wrong = append(wrong, provenGolden("results/"+p.ID+".xml", renderResults(p)))
		}
	}
	for _, test := range translate.ErrorTexts {
		if p := table.Lookup(test.Call); p != nil {
			if got := p.ErrorText(&test.Err); got != test.Want {
				wrong = append(wrong, fmt.Errorf("call %s says %q of %s, not %q", p.ID, got, test.Err.Code, test.Want))
			}
		}
	}
	for _, event := range translate.SampleEvents() {
		if kind := translate.NotificationTypeOf(table.Notifications, event.Type); kind != "" {
			wrong = append(wrong, provenGolden("notifications/"+kind+".xml", renderNotification(table.Notifications, event)))
		}
	}
	return errors.Join(wrong...)
}

// provenSample decodes a sample and compares what it says.
func provenSample(p *translate.Plan, sample *translate.Sample) error {
	lines, notes, err := understand(p, sample)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(append(slices.Clone(sample.V1), sample.Note...), append(lines, notes...)); diff != "" {
		return fmt.Errorf("call %s, sample %s (-want +got):\n%s", p.ID, sample.Name, diff)
	}
	return nil
}

// understand is what a sample means: lines of /v1 or refusals, and notes.
func understand(p *translate.Plan, sample *translate.Sample) (lines, notes []string, err error) {
	pairs, err := translate.ParseForm(sample.Form)
	if err != nil {
		return nil, nil, err
	}
	fields, err := translate.NewFields(pairs)
	if err != nil {
		return nil, nil, err
	}
	r, errs := p.Decode(sample.Path, fields)
	if errs != nil {
		return refusals(errs), nil, nil
	}
	for _, note := range slices.Concat(r.Notes, r.Cautions) {
		if text := note.Field + " " + string(note.Kind); !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	return linesOf(p, r), notes, nil
}

// linesOf is what a decoded request means in /v1: the lines of its requests.
func linesOf(p *translate.Plan, r *translate.Request) (lines []string) {
	for _, request := range command.Requests(p, r) {
		lines = append(lines, request.Lines()...)
	}
	return lines
}

// refusals are errors as samples write them.
func refusals(errs v1.Errors) (lines []string) {
	for _, e := range errs {
		line := strconv.Itoa(v1.Errors{e}.Status()) + " " + string(e.Code)
		if e.Field != "" {
			line += " " + e.Field
		}
		lines = append(lines, line)
	}
	return lines
}

// renderResults is what a call answers for each example of its result.
func renderResults(p *translate.Plan) string {
	if p.Each != "" {
		return indent(string(p.AppendBulk(nil, []translate.BulkEntry{
			{PersonalReference: "FR-1849-20c"},
			{Errors: v1.Errors{{Code: v1.TooLong, Field: "items[1].title", Message: "is too long"}}},
		})))
	}
	result, _ := p.Target.ResultType()
	all := translate.SampleResults()[result]
	if all == nil {
		all = []translate.SampleResult{{"an acknowledgement", reflect.New(result).Interface()}}
	}
	var b strings.Builder
	for _, example := range all {
		fmt.Fprintf(&b, "<!-- %s -->\n%s", example.Name, indent(string(p.AppendBody(nil, example.Result))))
	}
	return b.String()
}

func renderNotification(n *translate.Notifications, event *v1.Event) string {
	xml, err := n.AppendXML(nil, event, "https://shop.example.com/in?x=1&token=a%26b", "stamps-and-more")
	if err != nil {
		return err.Error()
	}
	return indent(string(xml))
}

var xmlParts = regexp.MustCompile(`<[^>]*>|[^<]+`)

// indent breaks XML into lines for readers. Texts have no < and no >, because both are escaped.
func indent(xml string) string {
	parts := xmlParts.FindAllString(xml, -1)
	var b strings.Builder
	depth := 0
	for i := 0; i < len(parts); i++ {
		part, following := parts[i], func(n int) string {
			if i+n < len(parts) {
				return parts[i+n]
			}
			return ""
		}
		opens := strings.HasPrefix(part, "<") && !strings.HasPrefix(part, "</") && !strings.HasPrefix(part, "<?") && !strings.HasSuffix(part, "/>")
		switch {
		case strings.TrimSpace(part) == "":
			continue
		case opens && !strings.HasPrefix(following(1), "<") && strings.HasPrefix(following(2), "</"):
			b.WriteString(strings.Repeat("  ", depth) + part + following(1) + following(2) + "\n")
			i += 2
		case opens:
			b.WriteString(strings.Repeat("  ", depth) + part + "\n")
			depth++
		default:
			if strings.HasPrefix(part, "</") {
				depth--
			}
			b.WriteString(strings.Repeat("  ", max(depth, 0)) + part + "\n")
		}
	}
	return b.String()
}

var goldens = map[string]string{}

// provenGolden compares with a file under testdata, which is read once.
func provenGolden(name, got string) error {
	path := filepath.Join("testdata", name)
	want, ok := goldens[path]
	if !ok {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want = string(b)
		goldens[path] = want
	}
	if want != got {
		return fmt.Errorf("%s (-want +got):\n%s", path, cmp.Diff(want, got))
	}
	return nil
}

func writeGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryCallIsAsItsSamplesAndGoldensHaveIt(t *testing.T) {
	table := translate.NewTable(t)
	if *update {
		for _, p := range table.Plans {
			if p.Target.Kind != translate.Absent {
				writeGolden(t, "results/"+p.ID+".xml", renderResults(p))
			}
		}
		for _, event := range translate.SampleEvents() {
			writeGolden(t, "notifications/"+translate.NotificationTypeOf(table.Notifications, event.Type)+".xml", renderNotification(table.Notifications, event))
		}
	}
	for _, call := range translate.Calls {
		t.Run(call.ID, func(t *testing.T) {
			if len(call.Samples) == 0 {
				t.Error("has no samples")
			}
			if err := proof([]*translate.Call{call}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("notifications", func(t *testing.T) {
		if err := proof(nil, translate.NotificationTypes); err != nil {
			t.Error(err)
		}
	})
}

func TestEveryGoldenIsOfACallOrANotification(t *testing.T) {
	want := map[string]bool{}
	for _, call := range translate.Calls {
		if call.Target.Kind != translate.Absent {
			want[filepath.Join("testdata", "results", call.ID+".xml")] = true
		}
	}
	for _, kind := range translate.NotificationTypes {
		want[filepath.Join("testdata", "notifications", kind.Type+".xml")] = true
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*s", "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), files); diff != "" {
		t.Errorf("goldens (-want +got):\n%s", diff)
	}
}
