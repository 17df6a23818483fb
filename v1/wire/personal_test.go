package wire

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type reader struct {
	Name  string      `json:"name"`
	Mail  Opt[string] `json:"mail" personal:"true"`
	Phone Opt[string] `json:"phone" personal:"true"`
}

type lending struct {
	Title   string            `json:"title"`
	Reader  reader            `json:"reader"`
	Earlier []reader          `json:"earlier"`
	Next    Opt[reader]       `json:"next"`
	Stored  Raw[reader]       `json:"stored"`
	List    Raw[[]lastReader] `json:"list"`
	Tags    Raw[[]string]     `json:"tags"`
}

type lastReader struct {
	Reader Opt[reader] `json:"reader"`
	Days   int         `json:"days"`
}

func TestPersonalMembersBecomeNullWhereverTheyAre(t *testing.T) {
	anna := reader{"anna", Some("anna@example.com"), Some("1")}
	v := struct {
		Results []lending `json:"results"`
	}{[]lending{{
		Title: "mail", Reader: anna, Earlier: []reader{anna, {Name: "bob"}}, Next: Some(anna),
		// Unknown members, another order, blanks and escapes are those of another version.
		Stored: Raw[reader]{`{ "phone" : "1" , "name":"\u0061nna", "street":{"mail":["x"]},"mail":"a\"},"}`},
		List:   Raw[[]lastReader]{`[ {"reader":null,"days":1,"note":"kept"}, {"days":2,"reader":{"mail":"m","name":"n","phone":null}} ]`},
		Tags:   Raw[[]string]{`["anna@example.com"]`},
	}}}
	has, err := HidePersonal(&v)
	if !has || err != nil {
		t.Fatalf("%t, %v", has, err)
	}
	want := `{"results":[{"title":"mail","reader":{"name":"anna","mail":null,"phone":null},` +
		`"earlier":[{"name":"anna","mail":null,"phone":null},{"name":"bob","mail":null,"phone":null}],` +
		`"next":{"name":"anna","mail":null,"phone":null},` +
		`"stored":{ "phone" : null , "name":"\u0061nna", "street":null,"mail":null},` +
		`"list":[ {"reader":null,"days":1,"note":"kept"}, {"days":2,"reader":{"mail":null,"name":"n","phone":null}} ],` +
		`"tags":["anna@example.com"]}]}`
	if diff := cmp.Diff(want, string(EncodeJSON(nil, &v))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestATypeWithoutPersonalMembersStaysAsItIs(t *testing.T) {
	v := struct {
		Tags Raw[[]string] `json:"tags"`
	}{Raw[[]string]{"not JSON"}}
	if has, err := HidePersonal(&v); has || err != nil || v.Tags.Text != "not JSON" {
		t.Errorf("%t, %v, %q", has, err, v.Tags.Text)
	}
}

func TestStoredTextThatCannotBeReadIsNotShown(t *testing.T) {
	for _, text := range []string{`{"mail":"m"`, `{"mail":"m",}`, `"m"`, `["m"]`, `{"mail":"m","mail":"n"}`, `{"mail"`, `7`, `{`} {
		v := Raw[reader]{text}
		if has, err := HidePersonal(&v); !has || err == nil || strings.Contains(v.Text, "m") {
			t.Errorf("%s: %t, %v, %q", text, has, err, v.Text)
		}
	}
	var none Raw[reader]
	if _, err := HidePersonal(&none); err != nil || none.Text != "" {
		t.Errorf("no text: %v, %q", err, none.Text)
	}
}
