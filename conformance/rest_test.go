package conformance

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestALineThatFitsNothingMayBeMissing(t *testing.T) {
	const replacement = "      <replacement>GET /v1/items/{id}</replacement>"
	for _, test := range []struct {
		name      string
		due, got  []string
		wantSame  bool
		wantIndex [2]int
	}{
		{"it is there", []string{"a", "      $REPLACEMENT", "b"}, []string{"a", replacement, "b"}, true, [2]int{3, 3}},
		{"it is missing", []string{"a", "      $REPLACEMENT", "b"}, []string{"a", "b"}, true, [2]int{3, 2}},
		{"it is missing at the end", []string{"a", "$SUCCESSOR"}, []string{"a"}, true, [2]int{2, 1}},
		{"another line is missing", []string{"a", "b", "c"}, []string{"a", "c"}, false, [2]int{1, 1}},
		{"an empty line is missing", []string{"a", "", "c"}, []string{"a", "c"}, false, [2]int{1, 1}},
		{"there is a line more", []string{"a", "$SUCCESSOR"}, []string{"a", "b"}, false, [2]int{2, 1}},
		{"it comes twice", []string{"a", "      $REPLACEMENT"}, []string{"a", replacement, replacement}, false, [2]int{2, 2}},
	} {
		i, j, same := compareLines(test.due, test.got, map[string]string{})
		if same != test.wantSame || [2]int{i, j} != test.wantIndex {
			t.Errorf("%s: the same is %t, at %d and %d", test.name, same, i, j)
		}
	}
}

func TestElementsThatAreNotDueAreOthers(t *testing.T) {
	list := func(names ...string) (lines []string) {
		lines = append(lines, "<list>")
		for _, name := range names {
			if name == others {
				lines = append(lines, "  "+others)
				continue
			}
			lines = append(lines, "  <stamp>", "    <name>"+name+"</name>", "    <used/>", "  </stamp>")
		}
		return append(lines, "  <count>3</count>", "</list>")
	}
	for _, test := range []struct {
		name      string
		due, got  []string
		wantSame  bool
		wantColor string
	}{
		{"none", list(others, "red"), list("red"), true, ""},
		{"two before", list(others, "red"), list("blue", "green", "red"), true, ""},
		{"one on each side", list(others, "red", others), list("blue", "red", "green"), true, ""},
		{"between the ends", list("blue", others, "$color"), list("blue", "green", "red"), true, "red"},
		{"a name is kept by the one that fits", list(others, "$color", "red"), list("blue", "green", "red"), true, "green"},
		{"the one that is due is missing", list(others, "red", others), list("blue", "green"), false, ""},
		{"in another order", list(others, "red", others, "blue"), list("blue", "red"), false, ""},
		{"an element that is not whole", list(others, "red"), append([]string{"<list>", "  <stamp>"}, list("red")[1:]...), false, ""},
	} {
		vars := map[string]string{}
		if _, _, same := compareLines(test.due, test.got, vars); same != test.wantSame || vars["color"] != test.wantColor {
			t.Errorf("%s: the same is %t, the color %q", test.name, same, vars["color"])
		}
	}
}

func TestAnElementIsFoundByWhatStandsBehindIt(t *testing.T) {
	a := &answer{body: "<item><id>1</id><url>https://a.test/</url></item><item><id>2</id><url>https://b.test/</url></item>"}
	for path, want := range map[string]string{
		"<id>": "1", "<url>": "https://a.test/", "<id> before https://b.test/": "2", "<id> before https://c.test/": "", "<name>": "",
	} {
		if got, err := a.value(path); got != want || (err != nil) != (want == "") {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
}

func TestCurlSendsFormsAsTranscriptsSay(t *testing.T) {
	type sent struct{ Method, URL, ContentType, Body string }
	for _, test := range []struct {
		command, usual string
		want           sent
	}{
		{`curl $BASE/rest/item -d a=1 -d "b=é" -d"c="{1..3}`, "", sent{"POST", "http://s.test/rest/item", form, "a=1&b=é&c=1&c=2&c=3"}},
		{"curl ... -d b=2", `curl $BASE/rest/item -X PUT -d a=1`, sent{"PUT", "http://s.test/rest/item", form, "a=1&b=2"}},
		{"curl ... --json {}", `curl $BASE/rest/item -d a=1`, sent{"POST", "http://s.test/rest/item", "application/json", "{}"}},
		{"curl ... -d a=1 -H 'Content-Type: " + form + "; charset=latin1'", "curl $BASE/rest/item", sent{"POST", "http://s.test/rest/item", form + "; charset=latin1", "a=1"}},
		{"curl ... --url-query +t=%zz", "curl $BASE/rest/item?token=x", sent{"GET", "http://s.test/rest/item?token=x&t=%zz", "", ""}},
		{
			"curl $BASE/rest/item -F a=1 -F images[]=x", "", sent{
				"POST", "http://s.test/rest/item", "multipart/form-data; boundary=" + boundary,
				"--" + boundary + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n" +
					"--" + boundary + "\r\nContent-Disposition: form-data; name=\"images[]\"\r\n\r\nx\r\n--" + boundary + "--\r\n",
			},
		},
	} {
		c, err := read(test.command, map[string]string{"BASE": "http://s.test"}, test.usual)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.request()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, sent{r.Method, r.URL.String(), r.Header.Get("Content-Type"), string(body)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.command, diff)
		}
	}
}
