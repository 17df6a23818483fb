package capture_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate/capture"
)

func TestRecordsAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		kind capture.Kind
		want []capture.Request
	}{
		"a HAR, with fields in a list": {
			"{\n \"log\": {\"entries\": [\n  {\"response\": {\"status\": 200},\n   \"request\": {\"url\": \"https://a.example/x\", \"method\": \"post\",\n   \"postData\": {\"params\": [{\"name\": \"a b\", \"value\": \"1&2\"}]}}}]}}",
			capture.HAR,
			[]capture.Request{{Line: 4, Column: 24, Method: "POST", URL: "https://a.example/x", Body: "a+b=1%262", ContentType: "application/x-www-form-urlencoded"}},
		},
		"a collection with folders and variables": {
			`{"info": {"_postman_id": "1"}, "variable": [{"key": "base", "value": "https://a.example"}], "item": [{"item": [{"request": {"method": "DELETE",` +
				` "url": {"raw": "{{base}}/x/{{id}}"}}}]}, {"request": "{{base}}/y"}]}`,
			capture.Postman,
			[]capture.Request{
				{Line: 1, Column: 161, Method: "DELETE", URL: "https://a.example/x/{{id}}"},
				{Line: 1, Column: 199, Method: "GET", URL: "https://a.example/y"},
			},
		},
		"a common log": {
			"1.2.3.4 - - [12/Mar/2026:06:25:24 +0100] \"GET /x?a=1 HTTP/1.1\" 200 5\nno line of a log\n",
			capture.Lines,
			[]capture.Request{{Line: 1, Column: 47, Method: "GET", URL: "/x?a=1", Bare: true}},
		},
		"a log with hosts": {
			"shop.example.org:443 1.2.3.4 - - [12/Mar/2026:06:25:24 +0100] \"PUT /x HTTP/2.0\" 200 5 \"-\" \"curl/8\"\n",
			capture.Lines,
			[]capture.Request{{Line: 1, Column: 68, Method: "PUT", URL: "/x", Host: "shop.example.org"}},
		},
		"a log of a proxy": {
			"1614676447.120 88 192.0.2.1 TCP_MISS/200 412 POST http://a.example/x - HIER_DIRECT/192.0.2.8 text/xml\nsee GET http://a.example/y\n",
			capture.Lines,
			[]capture.Request{{Line: 1, Column: 51, Method: "POST", URL: "http://a.example/x"}},
		},
		"lines of JSON": {
			"{\"req\": {\"method\": \"get\", \"url\": \"/x\", \"headers\": {\"host\": \"a.example\"}}}\n{\"level\": \"info\"}\n{\"request\": \"POST /y HTTP/1.1\"}\n",
			capture.Lines,
			[]capture.Request{
				{Line: 1, Column: 1, Method: "GET", URL: "/x", Host: "a.example"},
				{Line: 3, Column: 1, Method: "POST", URL: "/y", Bare: true},
			},
		},
		"a recording of the bridge": {
			`{"at":"2027-11-01T10:00:00Z","call":"item-feedback","method":"POST","path":"/rest/item/1/feedback","status":200,"ms":9,"v1":[{"method":"GET","path":"/v1/sales","status":200}],"lossy":["feedback"]}`,
			capture.Lines,
			[]capture.Request{{Line: 1, Column: 1, Method: "POST", URL: "/rest/item/1/feedback", Call: "item-feedback", Fields: []string{"feedback"}}},
		},
		"requests as they are sent": {
			"POST /x HTTP/1.1\r\nHost: a.example\r\nContent-Type: text/plain\r\n\r\na=1\r\n###\nGET https://a.example/y\n",
			capture.HTTP,
			[]capture.Request{
				{Line: 1, Column: 6, Method: "POST", URL: "/x", Host: "a.example", Body: "a=1", ContentType: "text/plain"},
				{Line: 7, Column: 5, Method: "GET", URL: "https://a.example/y"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if kind := capture.Sniff([]byte(test.text)); kind != test.kind {
				t.Errorf("it is taken for %d, not %d", kind, test.kind)
			}
			var got []capture.Request
			if err := capture.Read(test.kind, strings.NewReader(test.text), func(r capture.Request) { got = append(got, r) }); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnotherTextIsNoRecord(t *testing.T) {
	for _, text := range []string{"", "hello", "curl https://a.example/x", "{", "<html>", "title=Postcard&qty=1", "[1, 2]"} {
		if kind := capture.Sniff([]byte(text)); kind != capture.Unknown {
			t.Errorf("%q is taken for %d", text, kind)
		}
	}
}

func TestABrokenRecordIsAnErrorAfterWhatWasRead(t *testing.T) {
	deep := `{"info": {"_postman_id": "1"}, "item": ` + strings.Repeat(`[{"item": `, 1000)
	half := `{"log": {"entries": [{"request": {"method": "GET", "url": "https://a.example/x"}}, {"req`
	for name, test := range map[string]struct {
		kind capture.Kind
		text string
		read int
	}{
		"half a HAR":                     {capture.HAR, half, 1},
		"folders in a thousand folders":  {capture.Postman, deep, 0},
		"a HAR that is another document": {capture.HAR, `{"log": [}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			if err := capture.Read(test.kind, strings.NewReader(test.text), func(capture.Request) { read++ }); err == nil || read != test.read {
				t.Errorf("%d requests were read, with the error %v", read, err)
			}
		})
	}
}

func FuzzRecordsAreReadToTheirEnd(f *testing.F) {
	f.Add(`{"log": {"entries": [{"request": {"method": "GET", "url": "x"}}]}}`)
	f.Add(`{"info": {"_postman_id": "1"}, "item": [{"request": "x"}]}`)
	f.Add("1.2.3.4 - - [x] \"GET /x HTTP/1.1\" 200 5")
	f.Add("GET /x HTTP/1.1\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		kind := capture.Sniff([]byte(text))
		for _, read := range []capture.Kind{kind, capture.HAR, capture.Postman, capture.Lines, capture.HTTP} {
			_ = capture.Read(read, strings.NewReader(text), func(r capture.Request) {
				if r.Line < 1 && r.URL != "" && read != capture.Postman {
					t.Errorf("a request has no line: %+v", r)
				}
			})
		}
	})
}
