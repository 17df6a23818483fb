package translate

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/v1"
)

// wildText is text that old programs have never seen: control characters, ends of sections, emoji, halves of surrogates,
// and 10,000 characters of markup.
var wildText = rapid.OneOf(
	rapid.String(),
	rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{
		"]]>", "<![CDATA[", "<!--", "-->", "&amp;", "&#0;", "\x00", "\x0b", "\x1b", "\r", "\n", "\t", "\xed\xa0\xbd", "\xed\xb8\x80", "\ufffe", "😀", "é", "'",
		`"`, "<b>", "%",
	})), func(parts []string) string { return strings.Join(parts, "") }),
	rapid.Just(strings.Repeat("<p>Né</p>\n", 1000)),
)

func TestAnswersAreWellFormedWhateverTheySay(t *testing.T) {
	plan := NewTable(t).Lookup("item")
	rapid.Check(t, func(t *rapid.T) {
		title, description, token := wildText.Draw(t, "title"), wildText.Draw(t, "description"), wildText.Draw(t, "token")
		item := exampleAuction()
		item.Title, item.Description = title, v1.Some(description)
		e := Envelope{Token: token, At: at("2026-11-20T13:23:23Z").Std(), Type: "t"}
		b := e.AppendHead(nil, 200, []Note{{title, NoteUnknown, description}})
		b = e.AppendTail(plan.AppendBody(b, &item))

		var got struct {
			XMLName xml.Name `xml:"Delcampe_Notification"`
			Token   string   `xml:"Notification_Token"`
			Status  int      `xml:"Notification_Data>headers>status"`
			Warning string   `xml:"Notification_Data>headers>warning"`
			Title   string   `xml:"Notification_Data>body>item>title"`
			Text    string   `xml:"Notification_Data>body>item>description"`
		}
		if err := xml.Unmarshal(b, &got); err != nil {
			t.Fatalf("%v in %q", err, b)
		}
		want := got
		want.Token, want.Status, want.Title, want.Text = Holdable(token), 200, Holdable(title), Holdable(string(appendQuotes(nil, []byte(description))))
		want.Warning = Holdable("unknown " + title + ": " + description)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestRefusalsAreWellFormedWhateverTheySay(t *testing.T) {
	plan := NewTable(t).Lookup("item-create")
	rapid.Check(t, func(t *rapid.T) {
		field, message := wildText.Draw(t, "field"), wildText.Draw(t, "message")
		b := plan.AppendError([]byte("<body>"), v1.Errors{{Code: v1.InvalidValue, Field: "a" + field, Message: message}})
		var got struct {
			Text string `xml:"errorMsg"`
		}
		if err := xml.Unmarshal(append(b, "</body>"...), &got); err != nil {
			t.Fatalf("%v in %q", err, b)
		}
		if want := Holdable(plan.LegacyField("a"+field) + ": " + message); got.Text != want {
			t.Fatalf("%q, not %q", got.Text, want)
		}
	})
}

func TestWarningsOfARequestFullOfUnknownFieldsAreBounded(t *testing.T) {
	plan := NewTable(t).Lookup("item")
	var fields Fields
	for i := range 5000 {
		fields = append(fields, Field{Name: fmt.Sprintf("x%d", i), Text: "1"})
	}
	r, errs := plan.Decode(map[string]string{"id_item": "4711"}, fields)
	if errs != nil || len(r.Notes) != 5000 {
		t.Fatalf("%d notes and %v", len(r.Notes), errs)
	}
	b := (&Envelope{}).AppendHead(nil, 200, r.Notes)
	if got := strings.Count(string(b), "<warning>"); got != maxWarnings {
		t.Errorf("%d warnings, not %d", got, maxWarnings)
	}
}

func TestNotificationsArriveAsAFormThatHoldsXML(t *testing.T) {
	n := NewTable(t).Notifications
	for _, event := range SampleEvents() {
		contentType, body, err := n.Render(event, "https://shop.example.com/in?token=a%26b", "stamps-and-more")
		if err != nil {
			t.Fatal(err)
		}
		form, err := url.ParseQuery(string(body))
		if err != nil {
			t.Fatal(err)
		}
		want, err := n.AppendXML(nil, event, "https://shop.example.com/in?token=a%26b", "stamps-and-more")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(url.Values{"delcampeNotification": {string(want)}}, form); diff != "" || contentType != "application/x-www-form-urlencoded" {
			t.Errorf("%s (-want +got):\n%s", contentType, diff)
		}
	}
}

func TestNotificationsTellBackTheTokenOfTheirDestination(t *testing.T) {
	n := NewTable(t).Notifications
	for destination, want := range map[string]string{
		"https://shop.example.com/in":                    "",
		"https://shop.example.com/in?token=abc":          "abc",
		"https://shop.example.com/in?a=1&token=%3Cx%26y": "<x&y",
	} {
		b, err := n.AppendXML(nil, SampleEvents()[0], destination, "")
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Token string `xml:"Notification_Token"`
			ID    string `xml:"Notification_Data>id_item"`
		}
		if err := xml.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if got.Token != want || got.ID != "4711" {
			t.Errorf("%s gets %q of item %s", destination, got.Token, got.ID)
		}
	}
}

func TestOldProgramsHearOfTheEventsThatTheyKnow(t *testing.T) {
	n := NewTable(t).Notifications
	for _, test := range []struct {
		event string
		body  string
		want  bool
	}{
		{"item.published", `{}`, true},
		{"item.restarted", `{}`, false},
		{"payment.received", `{}`, false},
		{"item.rejected", `{"data":{"submission":{"errors":[{"code":"images_unreachable"}]}}}`, true},
		{"item.rejected", `{"data":{"submission":{"errors":[{"code":"publication_timeout"}]}}}`, false},
		{"item.rejected", `{"data":{"submission":{"personal_reference":"\"code\":\"images_unreachable\"","errors":[]}}}`, false},
		{"item.rejected", `{"data":{"submission":{"errors":[]},"item":{"code":"images_unreachable"}}}`, false},
		{"item.rejected", `{"data": {"submission": {"errors": [{"code": "too_long"}, {"code": "images_unreachable"}]}}}`, true},
		{"item.rejected", `{"data":{"submission":null}}`, false},
	} {
		if got := n.Wants(test.event, []byte(test.body)); got != test.want {
			t.Errorf("of %s %s: %v", test.event, test.body, got)
		}
	}
	for _, event := range SampleEvents() {
		if event.Type != "item.rejected" && !n.Wants(event.Type, nil) {
			t.Errorf("there is no notification of %s", event.Type)
		}
	}
}

// Holdable is a text with U+FFFD in the place of what XML cannot hold (XML 1.0, section 2.2).
func Holdable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 {
			return r
		}
		return utf8.RuneError
	}, text)
}
