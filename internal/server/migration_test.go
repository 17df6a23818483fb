package server_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
)

func TestMigrationPages(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct{ path, kind, contains string }{
		{"/migration", "text/html; charset=utf-8", `<tr id="item-create" data-page="/migration/item-create"`},
		{"/migration?q=restart+already", "text/html; charset=utf-8", `1 call matches.`},
		{"/migration/item-create", "text/html; charset=utf-8", `<h1>Put an item on sale</h1>`},
		{"/migration/item-create", "text/html; charset=utf-8", `<td data-label="In /v1">`},
		{"/migration/item-create", "text/html; charset=utf-8", `href="/migration" aria-current="true"`},
		{"/migration/item-create", "text/html; charset=utf-8", `href="/migration/item-create" aria-current="page"`},
		{"/migration/item-create", "text/html; charset=utf-8", `<a rel="next" href="/migration/item-bulk">`},
		{"/migration/item-create", "text/html; charset=utf-8", `<a rel="prev" href="/migration/phase-listing">`},
		{"/migration/item-create.md", "text/markdown; charset=utf-8", `# Put an item on sale`},
		{"/migration/phase-reading", "text/html; charset=utf-8", `http://sellerd.test/v1/`},
		{"/migration/print", "text/html; charset=utf-8", `<section class="call" id="item-create"`},
		{"/migration", "text/html; charset=utf-8", `<script src="/assets/guide.js" defer></script>`},
		{"/migration", "text/html; charset=utf-8", `no request: not needed any more</td>`},
		{"/migration", "text/html; charset=utf-8", `href="/migration" aria-current="page"`},
		{"/migration/item", "text/html; charset=utf-8", `curl &#34;http://sellerd.test/rest/item/$ITEM?token=$TOKEN&#34;`},
		{"/migration.md", "text/markdown; charset=utf-8", "http://sellerd.test/v1/items/$ITEM"},
		{"/migration.json", "application/json", `"sunset": "2027-10-05T00:00:00Z"`},
		{"/migration.schema.json", "application/schema+json", `"$id": "http://sellerd.test/migration.schema.json"`},
		{"/assets/guide.js", "text/javascript; charset=utf-8", "'use strict'"},
	} {
		t.Run(test.path+" has "+test.contains, func(t *testing.T) {
			got := get(w.Server.Public, test.path)
			if got.Code != http.StatusOK || got.Header().Get("Content-Type") != test.kind || !strings.Contains(uncoloured(got.Body.String()), test.contains) {
				t.Errorf("want %s with %q, got %d %s %.300s", test.kind, test.contains, got.Code, got.Header().Get("Content-Type"), got.Body)
			}
		})
	}
	t.Run("the JSON names its schema, which is served", func(t *testing.T) {
		answer := get(w.Server.Public, "/migration.json")
		var guide struct {
			Schema string `json:"$schema"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &guide); err != nil {
			t.Fatal(err)
		}
		want := "http://sellerd.test/migration.schema.json"
		if link := answer.Header().Get("Link"); guide.Schema != want || link != "<"+want+`>; rel="describedby"; type="application/schema+json"` {
			t.Errorf("$schema is %s, the link %s", guide.Schema, link)
		}
	})
	t.Run("programs learn when nothing changed", func(t *testing.T) {
		request := httptest.NewRequest("GET", "/migration.json", nil)
		request.Header.Set("If-None-Match", get(w.Server.Public, "/migration.json").Header().Get("ETag"))
		answer := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(answer, request)
		if answer.Code != http.StatusNotModified || answer.Body.Len() > 0 {
			t.Errorf("%d %.100s", answer.Code, answer.Body)
		}
	})
	t.Run("the calls are those of the tables", func(t *testing.T) {
		var guide struct{ Calls []struct{ ID string } }
		if err := json.Unmarshal(get(w.Server.Public, "/migration.json").Body.Bytes(), &guide); err != nil {
			t.Fatal(err)
		}
		if len(guide.Calls) != len(translate.Calls) {
			t.Errorf("%d calls", len(guide.Calls))
		}
	})
}

// TestOnlyPagesOfTheGuideAreThere asks for what no page of the guide is.
func TestOnlyPagesOfTheGuideAreThere(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct{ method, path string }{
		{"GET", "/migration/nothing"},
		{"GET", "/migration/item-create/"},
		{"GET", "/migration/nothing.md"},
	} {
		answer := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(answer, httptest.NewRequest(test.method, test.path, nil))
		if answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "route_not_found") {
			t.Errorf("%s %s: %d %s", test.method, test.path, answer.Code, answer.Body)
		}
	}
	head := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(head, httptest.NewRequest("HEAD", "/migration/item-create", nil))
	if head.Code != http.StatusOK || head.Header().Get("ETag") == "" || head.Body.Len() > 0 {
		t.Errorf("HEAD of a page: %d %v, %d bytes", head.Code, head.Header(), head.Body.Len())
	}
	if searched := get(w.Server.Public, "/migration?q=item"); searched.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("a search is kept: %s", searched.Header().Get("Cache-Control"))
	}
}

// TestEveryCallLeadsToItsPageOfTheGuide follows the Link header of each call, which the answer has without a key too: to the
// entry of the call in the index, and from there to the page about it.
func TestEveryCallLeadsToItsPageOfTheGuide(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	index := get(w.Server.Public, "/migration").Body.String()
	link := regexp.MustCompile(`<http://sellerd\.test/migration#([^>]+)>`)
	for _, call := range translate.Calls {
		form := ""
		if call.Match.Field != "" {
			form = call.Match.Field + "=" + call.Match.Prefix
		}
		header := strings.Join(w.Rest(t, call.Method, call.Pattern, form).Header["Link"], ", ")
		found := link.FindAllStringSubmatch(header, -1)
		if len(found) != 2 || found[0][1] != call.ID || found[1][1] != "sunset" {
			t.Errorf("%s leads to %s", call.ID, header)
		}
		for _, anchor := range found {
			if !strings.Contains(index, ` id="`+anchor[1]+`"`) {
				t.Errorf("the guide has no place %s", anchor[1])
			}
		}
		page := "/migration/" + call.ID
		if !strings.Contains(index, `<tr id="`+call.ID+`" data-page="`+page+`"`) || !strings.Contains(index, `<th data-label="Call" scope="row"><a href="`+page+`">`) {
			t.Errorf("the entry of %s does not lead to its page", call.ID)
		}
		if got := get(w.Server.Public, page); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "<h1>"+html.EscapeString(call.Title)+"</h1>") {
			t.Errorf("%s: %d", page, got.Code)
		}
	}
}

// TestWhatTheGuideSaysOfAllCallsIsSo runs what the guide says once for all calls.
func TestWhatTheGuideSaysOfAllCallsIsSo(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.RateLimit = 180 })
	item := w.List(t, servertest.FixedPrice())
	key := []string{"X-Api-Key", w.Key}
	for _, test := range []struct {
		says string
		want []string
		got  func() []string
	}{
		{"a path of /v1 with a trailing slash is not found", []string{"route_not_found"}, func() []string {
			return w.Do(t, servertest.Request{Path: "/v1/items/"}).Codes()
		}},
		{"a key in the query of /v1 is refused", []string{"invalid_api_key"}, func() []string {
			return w.Do(t, servertest.Request{Path: "/v1/account?apikey=" + w.Key, Key: "none"}).Codes()
		}},
		{"/rest ignores a field that it does not know, and warns", []string{"200", "unknown colour: This call has no such field: it means nothing."}, func() []string {
			answer := w.Rest(t, "GET", "/rest/item/"+item, "colour=blue", key...)
			return []string{answer.Text("headers/status"), answer.Text("headers/warning")}
		}},
		{"/v1 refuses what it does not know", []string{"unknown_parameter colour", "unknown_field colour"}, func() []string {
			return append(w.Do(t, servertest.Request{Path: "/v1/items?colour=blue"}).Codes(),
				w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"colour":"blue"}`}).Codes()...)
		}},
		{"null clears in a PATCH, and what is absent stays", []string{`"personal_reference":null`, `"title":"France 1849`}, func() []string {
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"personal_reference":"A"}`})
			body := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"personal_reference":null}`}).Body
			return []string{within(body, `"personal_reference":null`), within(body, `"title":"France 1849`)}
		}},
		{"a field that is sent empty to /rest stays, but for booleans", []string{"France 1849, 20c black Ceres", "0"}, func() []string {
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"options":{"highlight":true}}`})
			w.Rest(t, "PUT", "/rest/item/"+item, "title=&option_highlight=", key...)
			answer := w.Rest(t, "GET", "/rest/item/"+item, "", key...)
			return []string{answer.Text("body/item/title"), answer.Text("body/item/option_highlight")}
		}},
		{"what is no number has another code on each side", []string{"invalid_value", "invalid_type duration_days"}, func() []string {
			refused := w.Rest(t, "PUT", "/rest/item/"+item, "duration=x", key...)
			return append([]string{refused.Text("body/errorCode")}, w.Do(t, servertest.Request{
				Method: "PATCH", Path: "/v1/items/" + item,
				Body: `{"duration_days":"x"}`,
			}).Codes()...)
		}},
		{"limit is at most 200 and never clamped", []string{"invalid_parameter limit"}, func() []string {
			return w.Do(t, servertest.Request{Path: "/v1/items?limit=201"}).Codes()
		}},
		{"both interfaces draw on one budget", []string{"1"}, func() []string {
			before := w.Do(t, servertest.Request{Path: "/v1/account"}).Header.Get("X-RateLimit-Remaining")
			after := w.Rest(t, "GET", "/rest/item/auction/sold", "", key...).Header.Get("X-RateLimit-Remaining")
			return []string{difference(t, before, after)}
		}},
		{"a replayed answer says so", []string{"true"}, func() []string {
			request := servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Header: map[string]string{"Idempotency-Key": "guide"}}
			w.Do(t, request)
			return []string{w.Do(t, request).Header.Get("Idempotent-Replayed")}
		}},
		{"/rest lists new items of the same request once, and those of another request again", []string{"2"}, func() []string {
			form := "title=Twice&id_category=" + servertest.Category + "&personal_reference=TWICE&fixed_price=3"
			bulk := "items[0][" + strings.NewReplacer("=", "]=", "&", "&items[0][").Replace(form)
			for _, request := range [][2]string{{"/rest/item", form}, {"/rest/item", form}, {"/rest/items", bulk}, {"/rest/items", bulk}} {
				w.Rest(t, "POST", request[0], request[1], key...)
			}
			w.Publish(t)
			items := servertest.Into[struct {
				Results []any `json:"results"`
			}](t, w.Do(t, servertest.Request{Path: "/v1/items?personal_reference=TWICE"}))
			return []string{strconv.Itoa(len(items.Results))}
		}},
		{"reads of one object have an ETag, and If-Match keeps a change from overwriting another one", []string{"true", "precondition_failed If-Match"}, func() []string {
			tag := w.Do(t, servertest.Request{Path: "/v1/items/" + item}).Header.Get("ETag")
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"personal_reference":"B"}`})
			late := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"personal_reference":"C"}`, Header: map[string]string{"If-Match": tag}})
			return append([]string{strconv.FormatBool(tag != "")}, late.Codes()...)
		}},
		{"validate_only checks an item and lists none", []string{"valid"}, func() []string {
			answer := w.Do(t, servertest.Request{Path: "/v1/items?validate_only=true", Body: servertest.FixedPrice()})
			return []string{servertest.Into[struct {
				Status string `json:"status"`
			}](t, answer).Status}
		}},
		{"a setting of /rest is a webhook with the format legacy_xml, and goes on after the sunset", []string{"410", "legacy_xml active"}, func() []string {
			w.Rest(t, "POST", "/rest/notification/settings", "notificationType=Curl_Default&destination=https://shop.example.com/in", key...)
			w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
			gone := w.Rest(t, "GET", "/rest/notification/settings", "", key...)
			hooks := servertest.Into[struct {
				Results []struct {
					Format string `json:"format"`
					Status string `json:"status"`
				} `json:"results"`
			}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks"}))
			got := []string{gone.Text("headers/status")}
			for _, hook := range hooks.Results {
				got = append(got, hook.Format+" "+hook.Status)
			}
			return got
		}},
	} {
		t.Run(test.says, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got()); diff != "" {
				t.Errorf("(-guide +service):\n%s", diff)
			}
		})
	}
}

// TestNotificationsGoOnAfterTheSunset lets /rest make a setting, switches /rest off, and sees what arrives.
func TestNotificationsGoOnAfterTheSunset(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	var item string
	var got []string
	inbox := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		xml := r.PostFormValue("delcampeNotification")
		got = append(got, within(xml, "<Notification_Type>Seller_Item_Update</Notification_Type>"), within(xml, "<id_item>"+item+"</id_item>"))
	}))
	t.Cleanup(inbox.Close)
	w.Rest(t, "POST", "/rest/notification/settings", "notificationType=Curl_Seller_Item_Update&destination="+inbox.URL, "X-Api-Key", w.Key)
	w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
	item = w.List(t, servertest.FixedPrice())
	w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: `{"personal_reference":"LATER"}`})
	for {
		n, err := w.Service.DeliverOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	want := []string{"<Notification_Type>Seller_Item_Update</Notification_Type>", "<id_item>" + item + "</id_item>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// within is a part of a text, if it is there.
func within(text, part string) string {
	if strings.Contains(text, part) {
		return part
	}
	return text
}

// difference is by how much the number in a header fell.
func difference(t *testing.T, before, after string) string {
	t.Helper()
	a, err1 := strconv.Atoi(before)
	b, err2 := strconv.Atoi(after)
	if err1 != nil || err2 != nil {
		t.Fatalf("%q, then %q", before, after)
	}
	return strconv.Itoa(a - b)
}
