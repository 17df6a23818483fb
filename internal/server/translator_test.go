package server_test

import (
	stdcmp "cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate/paste"
)

const translatorPath = "/migration/translate"

// post sends a body to the translator.
func post(handler http.Handler, media, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, translatorPath, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestTheTranslatorAnswersPrograms(t *testing.T) {
	_, s, _ := logged(t)
	got := post(s.Public, "application/json", `{"request": "DELETE https://rest.delcampe.net/item/4711?token=abcdefgh", "body": "reason=TestItem&colour=red"}`)
	want := `{"status_code":200,"data":{"call":"item-close","title":"Take an item off sale","guide_url":"http://sellerd.test/migration#item-close",` +
		`"curl":"# ACT: a new value for each new act; without this line the request is repeated\nACT=$(date +%s%N)\ncurl 'http://sellerd.test/v1/items/4711/close' \\\n  -H \"X-Api-Key: $KEY\" \\\n  -H 'Idempotency-Key: close-4711-'\"$ACT\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"reason\": \"test\"}'",` +
		`"v1":{"method":"POST","path":"/v1/items/4711/close","query":"","headers":[{"name":"Idempotency-Key","value":"close-4711-{act}"}],"body":{"reason":"test"}},` +
		`"steps":[{"purpose":"take an item off sale","curl":"curl 'http://sellerd.test/v1/items/4711/close' \\\n  -H \"X-Api-Key: $KEY\" \\\n  -H 'Idempotency-Key: close-4711-'\"$ACT\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"reason\": \"test\"}'",` +
		`"method":"POST","path":"/v1/items/4711/close","query":"","headers":[{"name":"Idempotency-Key","value":"close-4711-{act}"}],"body":{"reason":"test"}}],"why":null,"instead":null,` +
		`"notes":[{"field":"colour","kind":"unknown","text":"This call has no such field: it means nothing."}],` +
		`"line":1,"method":"DELETE","path":"/rest/item/{id_item}","fields":[{"name":"reason","value":"TestItem","variable":false,"error":null},` +
		`{"name":"colour","value":"red","variable":false,"error":null}],"calls":[]}}` + "\n"
	if diff := cmp.Diff(want, got.Body.String()); diff != "" || got.Code != http.StatusOK {
		t.Errorf("%d, body (-want +got):\n%s", got.Code, diff)
	}
	header := map[string]string{"Cache-Control": "no-store", "Content-Type": "application/json", "X-Content-Type-Options": "nosniff"}
	for name, value := range header {
		if got.Header().Get(name) != value {
			t.Errorf("%s: %q", name, got.Header().Get(name))
		}
	}
}

func TestTheTranslatorRefusesAsV1Does(t *testing.T) {
	_, s, _ := logged(t)
	long := strings.Repeat("a", paste.MaxBytes)
	for name, test := range map[string]struct {
		body, media string
		status      int
		want        []string
	}{
		"no JSON":              {"curl x", "", 400, []string{"malformed_json"}},
		"nothing":              {"", "", 400, []string{"malformed_json"}},
		"text":                 {`{}`, "text/plain", 415, []string{"unsupported_media_type Content-Type"}},
		"no request":           {`{}`, "", 422, []string{"missing_field request"}},
		"an unknown member":    {`{"request":"x","url":1}`, "", 422, []string{"unknown_field url"}},
		"another type":         {`{"request":["x"]}`, "", 422, []string{"invalid_type request"}},
		"no legacy call":       {`{"request":"GET /rest/nothing"}`, "", 404, []string{"route_not_found request"}},
		"no request at all":    {`{"request":"hello"}`, "", 422, []string{"invalid_value request"}},
		"what /rest refuses":   {`{"request":"POST /rest/item","body":"qty=x"}`, "", 422, []string{"missing_field personal_reference", "invalid_value qty"}},
		"more than 64 KiB":     {`{"request":"GET /rest/item/1","body":"` + long + `"}`, "", 413, []string{"payload_too_large"}},
		"a body beyond bounds": {`{"request":"` + strings.Repeat(long, 7) + `"}`, "", 413, []string{"payload_too_large"}},
	} {
		t.Run(name, func(t *testing.T) {
			media := "application/json"
			if test.media != "" {
				media = test.media
			}
			got := post(s.Public, media, test.body)
			var envelope struct {
				Errors []struct{ Code, Field string }
			}
			if err := json.Unmarshal(got.Body.Bytes(), &envelope); err != nil {
				t.Fatalf("%v\n%s", err, got.Body)
			}
			var codes []string
			for _, e := range envelope.Errors {
				codes = append(codes, strings.TrimSpace(e.Code+" "+e.Field))
			}
			if diff := cmp.Diff(test.want, codes); diff != "" || got.Code != test.status {
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
}

func TestTheTranslatorsPageWorksWithoutAScript(t *testing.T) {
	_, s, _ := logged(t)
	form := func(request, body string) string { return url.Values{"request": {request}, "body": {body}}.Encode() }
	const media = "application/x-www-form-urlencoded"
	for name, test := range map[string]struct {
		answer  *httptest.ResponseRecorder
		status  int
		want    []string
		without string
		stored  bool // the answer has nothing of the caller
	}{
		"the page": {get(s.Public, translatorPath), 200, []string{
			`aria-current="page">Translator`, `href="/migration/translate?sample=item-create"`,
			`src="/assets/translator.js"`,
		}, "data-copy", true},
		"a sample": {
			get(s.Public, translatorPath+"?sample=item-close"), 200,
			[]string{"rest.delcampe.net/item/4711", "/v1/items/4711/close"},
			"cannot be translated", false,
		},
		"no sample": {get(s.Public, translatorPath+"?sample=x"), 200, []string{"<h1>Translator</h1>"}, "cannot be translated", true},
		"a result": {post(s.Public, media, form("DELETE /rest/item/4711", "reason=TestItem")), 200, []string{
			"&#39;{&#34;reason&#34;: &#34;test&#34;}&#39;",
			"ACT=$(date +%s%N)\ncurl &#39;http://sellerd.test/v1/items/4711/close&#39;",
			"Every field was translated unchanged.",
		}, "It takes", false},
		"steps": {post(s.Public, media, form("POST /rest/item/4711/feedback", "feedback=88")), 200, []string{
			"It takes 2 steps", "rate its buyer", "ACT=$(date +%s%N)\ncurl &#39;http://sellerd.test/v1/sales/&#39;",
			`<td data-label="It is">narrowed</td>`,
		}, "Every field came", false},
		"a read": {post(s.Public, media, form("GET /rest/item/4711", "")), 200, []string{"curl &#39;http://sellerd.test/v1/items/4711&#39;"}, "ACT=", false},
		"no successor": {
			post(s.Public, media, form("GET /rest/server/time", "")), 200,
			[]string{"There is nothing to call. Every answer of /v1 carries the time."},
			"data-copy", false,
		},
		"a refusal": {post(s.Public, media, form("hello", "")), 422, []string{
			"It cannot be translated", "<code>request</code>: No request of /rest can be read",
			"hello</textarea>",
		}, "data-copy", false},
		"markup":   {post(s.Public, media, form("PUT /rest/item/1?title=<script>alert(1)</script>", "")), 200, []string{"&lt;script&gt;alert(1)"}, "<script>alert", false},
		"too much": {post(s.Public, media, form(strings.Repeat("%", 3*paste.MaxBytes), "")), 413, []string{"The form is too large"}, "data-copy", false},
		"no form":  {post(s.Public, media, "request=%zz"), 422, []string{"The body is not a form"}, "data-copy", false},
	} {
		t.Run(name, func(t *testing.T) {
			page := uncoloured(test.answer.Body.String())
			for _, want := range test.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q:\n%s", want, page)
				}
			}
			if strings.Contains(page, test.without) || test.answer.Code != test.status {
				t.Errorf("%d, with %q:\n%s", test.answer.Code, test.without, page)
			}
			if got := test.answer.Header().Get("Cache-Control") == "no-store"; got == test.stored {
				t.Errorf("Cache-Control: %q", test.answer.Header().Get("Cache-Control"))
			}
		})
	}
}

func TestTheTranslatorShowsFaultyValuesBesideTheirErrors(t *testing.T) {
	_, s, _ := logged(t)
	const request = "curl -X PUT https://rest.delcampe.net/item/4711 -d 'fixed_price=4,50&currency=XYZ&foo=bar'"
	text, err := json.Marshal(map[string]string{"request": request})
	if err != nil {
		t.Fatal(err)
	}
	got := post(s.Public, "application/json", string(text))
	for _, want := range []string{
		`{"status_code":422,"errors":[{"code":"invalid_value","message":"must be an amount such as 12.50","field":"fixed_price",`,
		`"value":"4,50","variable":false,"error":"must be an amount such as 12.50"`, `"value":"XYZ","variable":false,"error":"must be EUR, `,
		`"body":{"price":{"amount":"4,50","currency":"XYZ"}}`,
	} {
		if !strings.Contains(got.Body.String(), want) {
			t.Errorf("the answer lacks %s: %s", want, got.Body)
		}
	}
	page := post(s.Public, "application/x-www-form-urlencoded", url.Values{"request": {request}}.Encode())
	for _, want := range []string{
		`<strong class="state bad">Rejected</strong> must be an amount such as 12.50`, "Correct this first", "/v1/items/4711",
		`<code>bar</code></td><td data-label="Check"><span class="state">Ignored</span> this call has no such field</td>`,
	} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestEverySampleOfTheTranslatorsPageTranslates(t *testing.T) {
	_, s, _ := logged(t)
	found := 0
	for _, part := range strings.Split(get(s.Public, translatorPath).Body.String(), translatorPath+"?sample=")[1:] {
		id, _, _ := strings.Cut(part, `"`)
		call := map[string]string{"php": "item-update"}[id]
		if page := get(s.Public, translatorPath+"?sample="+id); page.Code != 200 || !strings.Contains(page.Body.String(), `href="/migration/`+stdcmp.Or(call, id)+`"`) {
			t.Errorf("the sample %s: %d\n%s", id, page.Code, page.Body)
		}
		found++
	}
	if found < 5 {
		t.Errorf("only %d samples", found)
	}
}

func TestKeysInAPasteAreNeitherLoggedNorToldNorStored(t *testing.T) {
	w, s, log := logged(t)
	const key, token = "dk_live_9fK2mQ7xT4vB8nL3", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo"
	for _, request := range []string{
		"curl https://rest.delcampe.net/seller -d apikey=" + key,
		"curl 'https://rest.delcampe.net/item/4711?token=" + token + "' -H 'X-Api-Key: " + key + "' -u me:" + token + " -b session=" + token,
		"GET /rest/item/" + key + "?token=" + token,
		"GET /rest/" + token,
		"curl --frobnicate=" + token + " -H 'X-Api-Key: " + key + "'",
		"ftp://me:" + token + "@host/" + key,
		key, token,
		"curl '" + token,
	} {
		in, err := json.Marshal(map[string]string{"request": request, "body": "token=" + token + "&apikey=" + key + "&" + token})
		if err != nil {
			t.Fatal(err)
		}
		answer := post(s.Public, "application/json", string(in)).Body.String()
		page := post(s.Public, "application/x-www-form-urlencoded", url.Values{"request": {request}}.Encode()).Body.String()
		_, result, _ := strings.Cut(page, `<section id="result"`)
		for name, said := range map[string]string{"answer": answer, "page": result, "log": log.String()} {
			if strings.Contains(said, key) || strings.Contains(said, token) {
				t.Errorf("%q: a credential is in the %s: %s", request, name, said)
			}
		}
	}
	if log.Len() == 0 {
		t.Error("nothing was logged at all")
	}
	if n := w.Count(t, "legacy_usage", "1 = 1"); n != 0 {
		t.Errorf("%d calls were counted", n)
	}
}
