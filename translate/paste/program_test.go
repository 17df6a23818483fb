package paste_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/paste"
)

// TestProgramsAreTranslated translates the programs of testdata/programs.txt, as people write them. Below each stand its calls with their
// fields: a value, or $ for what only the program knows. A ~ stands for a blank.
func TestProgramsAreTranslated(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for program := range strings.SplitSeq(strings.TrimPrefix(string(text), "=== "), "\n=== ") {
		name, program, _ := strings.Cut(program, "\n")
		code, want, _ := strings.Cut(program, "\n---\n")
		t.Run(name, func(t *testing.T) {
			out, err := paste.Translate(table, paste.Input{Request: code, BaseURL: "https://api.example.com"})
			if out == nil {
				t.Fatalf("%v", err)
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), linesOf(out)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// linesOf are the calls of a translation with their fields.
func linesOf(out *paste.Translation) (lines []string) {
	calls := out.Calls
	if len(calls) == 0 {
		calls = []paste.Meaning{out.Meaning}
	}
	for _, m := range calls {
		var words []string
		for _, f := range m.Fields {
			if f.Error.V == "is required" {
				continue // it was not seen
			}
			value := strings.ReplaceAll(f.Value, " ", "~")
			if f.Variable {
				value = "$"
			}
			words = append(words, f.Name+"="+value)
		}
		slices.Sort(words)
		lines = append(lines, strings.Join(append([]string{m.Call}, words...), " "))
	}
	return lines
}

// TestAVariableIsNoWrongValue has the same call alone and beside others: it is translated in both, with the variable in its place.
func TestAVariableIsNoWrongValue(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ call, other, amount string }{
		"PHP":             {`$c->put("https://rest.delcampe.net/item/$nr", ['form_params' => ['fixed_price' => $cost]]);`, `$c->get("https://rest.delcampe.net/item/$nr");`, "$cost"},
		"a format of PHP": {`$c->put("https://rest.delcampe.net/item/$nr", ['form_params' => ['fixed_price' => number_format($cost, 2, '.', '')]]);`, `$c->get('https://rest.delcampe.net/item/1');`, "$cost"},
		"a price of PHP":  {`$c->put("https://rest.delcampe.net/item/$nr", ['form_params' => ['fixed_price' => priceOf($nr)]]);`, `$c->get('https://rest.delcampe.net/item/1');`, "$priceOf"},
		"Python":          {`requests.put("https://rest.delcampe.net/item/%d" % nr, data={"fixed_price": round(cost, 2)})`, "\nrequests.get(f'https://rest.delcampe.net/item/{nr}')", "$cost"},
		"axios":           {"axios.put(`https://rest.delcampe.net/item/${nr}`, new URLSearchParams({fixed_price: cost}));", "axios.get(`https://rest.delcampe.net/item/${nr}`);", "$cost"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, request := range []string{test.call, test.call + test.other} {
				out, err := paste.Translate(table, paste.Input{Request: request, BaseURL: "https://api.example.com"})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := out.V1.V.Body.V.Text, `{"price":{"amount":"`+test.amount+`"}}`; got != want {
					t.Errorf("%s has %s, not %s", request, got, want)
				}
			}
		})
	}
}

// TestARefusedCallOfAProgramSaysWhy has a call that is gone, alone and beside another one. Its values are shown, and not searched by name.
func TestARefusedCallOfAProgramSaysWhy(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	const reason = "Notifications are not sent by e-mail any more."
	call := `requests.post("https://rest.delcampe.net/notification/settings", data={"notificationType": "Email_Seller_Item_Update", "destination": "a@b.example"})`
	if out, err := paste.Translate(table, paste.Input{Request: call}); out != nil || err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("alone it is %+v, %v", out, err)
	}
	call += "\nrequests.post('https://rest.delcampe.net/items', data={'items[0][title]': 'A', 'items[0][fixed_price]': '1,5'})\nrequests.get('https://rest.delcampe.net/item/4711')"
	out, err := paste.Translate(table, paste.Input{Request: call})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"email-notification destination=a@b.example notificationType=Email_Seller_Item_Update", "item-bulk items[0][fixed_price]=1,5 items[0][title]=A", "item"}
	if diff := cmp.Diff(want, linesOf(out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m := out.Calls[0]; m.Why.V != reason || len(m.Notes) > 0 || m.Fields[0].Error.V == "" {
		t.Errorf("it is %+v", m)
	}
	if m := out.Calls[1]; !strings.Contains(m.Why.V, "is required.") && !strings.Contains(m.Why.V, "must be an amount") {
		t.Errorf("the bulk is %+v", m)
	}
}

// TestCallsWithoutTheirPathAreNamed has a class of PHP whose paths are constants of another file.
func TestCallsWithoutTheirPathAreNamed(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	out, err := paste.Translate(table, paste.Input{Request: `<?php
class Market {
  function call($m, $path, $f = array()) { return $this->send($m, MARKET . $path, $f); }
  function restart($id) { return $this->call('POST', "/item/$id/restart"); }
  function change($id, $f) { return $this->call('PUT', ITEM . '/' . $id, $f); }
  function close($id, $why) { return $this->call('DELETE', ITEM . "/$id", array('reason' => $why)); }
  function say($text) { log_line('x/' . $text); }
  function get($p) { return $this->call('GET', $p); }
}`})
	if err != nil {
		t.Fatal(err)
	}
	want := []translate.Note{{
		Kind: translate.NoteUnknown,
		Text: "Other calls get a path that is not in the paste. Their lines: 5, 6. Paste what sets it, too.",
	}}
	if diff := cmp.Diff(want, out.Notes); diff != "" || len(out.Calls) != 1 {
		t.Errorf("%d calls, notes (-want +got):\n%s", len(out.Calls), diff)
	}
}

// TestWhatIsLookedUpHasItsOwnName takes the id of an item out of a document.
func TestWhatIsLookedUpHasItsOwnName(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]string{
		"Python": "nr = answer.findtext('.//id_item')\nrequests.get('https://rest.delcampe.net/item/' + nr)",
		"PHP":    "<?php\n$nr = (string)$answer->item->id_item;\n$c->get('https://rest.delcampe.net/item/' . $nr);",
	} {
		out, err := paste.Translate(table, paste.Input{Request: code})
		if err != nil || out.V1.V.Path != "/v1/items/$id_item" {
			t.Errorf("%s: %v, %+v", name, err, out)
		}
	}
}
