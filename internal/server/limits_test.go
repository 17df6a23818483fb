package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/translate/openapi"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// TestEveryLimitOfTheDocumentsIsKept sends for each text and each list of a request one that is as long as the documents
// allow, which is not refused for its length, and one that is longer by one, which is. It goes through a listener, because the
// head of a request is bounded there.
func TestEveryLimitOfTheDocumentsIsKept(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		p := &prober{w: w, server: serve(t, w)}
		p.prepare(t)
		// /rest comes last: it closes the item with the sale that both are tried on.
		for _, document := range []struct {
			name  string
			text  []byte
			least int // limits that it had once
		}{{"v1", v1openapi.Document("/"), 300}, {"rest", openapi.Document("/"), 80}} {
			all, silent := spots(t, document.text)
			if len(silent) > 0 {
				t.Errorf("%s names no limit for:\n%s", document.name, strings.Join(silent, "\n"))
			}
			if len(all) < document.least {
				t.Errorf("%s has %d limits, and had %d once", document.name, len(all), document.least)
			}
			for _, s := range all {
				p.probe(t, s)
			}
		}
	}, func(c *v1.Config) { c.AllowPrivateTargets = false })
}

// serve answers on a listener as the program does.
func serve(t *testing.T, w *servertest.World) string {
	t.Helper()
	public := httptest.NewUnstartedServer(nil)
	public.Config = server.HTTPServer(w.Server, w.Server.Public, nil)
	public.Start()
	t.Cleanup(public.Close)
	return public.URL
}

// prober makes requests with one value in them.
type prober struct {
	w      *servertest.World
	server string
	ids    map[string]string // by the paths that need them
	other  string            // another seller's key
	keys   int               // keys that requests about the key itself had
}

// prepare makes an object of each kind, so that requests are read to their end.
func (p *prober) prepare(t *testing.T) {
	t.Helper()
	made := func(method, path string, body any) string {
		r := p.w.Do(t, servertest.Request{Method: method, Path: path, Body: body})
		if r.Status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
		}
		return servertest.Into[struct {
			ID     string `json:"id"`
			BillID string `json:"bill_id"`
		}](t, r).ID
	}
	pieces := servertest.FixedPrice(map[string]any{"quantity": 1000})
	item, sold := p.w.List(t, pieces), p.w.List(t, pieces) // one with a sale does not take every change
	auction := p.w.List(t, servertest.Auction())
	_, p.other, _ = p.w.Seller(t, "reset")
	r := p.w.Do(t, servertest.Request{Path: "/v1/test/items/" + sold + "/purchase", Body: map[string]any{}})
	sale := servertest.Into[struct {
		ID     string `json:"id"`
		BillID string `json:"bill_id"`
	}](t, r)
	bill := sale.BillID
	made("POST", "/v1/sales/"+sale.ID+"/rating", map[string]any{"score": 100, "comment": "Fast"})
	r = p.w.Do(t, servertest.Request{Path: "/v1/delivery-services"})
	services := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](t, r)
	tracking := made("POST", "/v1/bills/"+bill+"/trackings", map[string]any{"delivery_service_id": services.Results[0].ID, "number": "RR123456785BE"})
	hook := made("POST", "/v1/webhooks", map[string]any{"url": "https://hooks.example.com/", "status": "paused"})
	p.ids = map[string]string{
		"/items/{id}": item, "/sales/{id}": sale.ID, "/bills/{id}": bill, "{tracking_id}": tracking, "/webhooks/{id}": hook, "/bids": auction,
		"/webhook-deliveries/{id}": "dlv_1", "/item-submissions/{id}": "sub_1", "/item-batches/{id}": "bat_1",
		"{id_item}": sold, "{sale_type}": "auction",
	}
}

// path is where an operation is, with the ids of objects that there are.
func (p *prober) path(s spot) string {
	_, path, _ := strings.Cut(s.operation, " ")
	if strings.HasSuffix(path, "/bids") {
		return strings.Replace(path, "{id}", p.ids["/bids"], 1)
	}
	for place, id := range p.ids {
		name := place[strings.Index(place, "{")+1:]
		if strings.HasPrefix(place, "/") && strings.Contains(path, place) || strings.HasPrefix(place, "{") {
			path = strings.Replace(path, "{"+strings.TrimSuffix(name, "}")+"}", id, 1)
		}
	}
	return regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(path, "1")
}

// outcome is what became of a request.
type outcome struct {
	status int
	errors []servertest.ErrorEntry // wherever they stand in the answer
	body   string
}

// send makes the spot's request with a value in it.
func (p *prober) send(t *testing.T, s spot, value any) outcome {
	t.Helper()
	method, pattern, _ := strings.Cut(s.operation, " ")
	path, body, query := p.path(s), "", url.Values{}
	header := http.Header{"X-Api-Key": {p.w.Key}}
	if pattern == v1.ResetSandbox.Pattern { // it would refuse the other changes
		header.Set("X-Api-Key", p.other)
	}
	if strings.HasPrefix(pattern, "/v1/account/keys/current") {
		p.keys++
		_, key, _ := p.w.Seller(t, fmt.Sprint("key-", p.keys)) // which it may end
		header.Set("X-Api-Key", key)
	}
	text := fmt.Sprint(value)
	if list, ok := value.([]any); ok {
		text = strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
	}
	switch s.in {
	case "header":
		header.Set(s.steps[0].(string), text)
		if method == http.MethodPost && !strings.HasPrefix(path, "/rest/") {
			body = "{}"
			header.Set("Content-Type", "application/json")
		}
	case "path":
		path = strings.Replace(pattern, "{"+s.steps[0].(string)+"}", url.PathEscape(text), 1)
		path = regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(path, "1")
	case "query":
		query.Set(s.steps[0].(string), text)
	case "body":
		content := s.body(value)
		if s.operation == "POST /v1/item-changes" && len(s.steps) > 2 { // an entry is read to its end if it names an item
			entry := content.(map[string]any)["changes"].([]any)[0].(map[string]any)
			if entry["item_id"] == nil && entry["personal_reference"] == nil {
				entry["item_id"] = p.ids["/items/{id}"]
				if entry["close"] != nil { // the item is still needed
					entry["item_id"] = "9"
				}
			}
		}
		encoded, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		body = string(encoded)
		header.Set("Content-Type", "application/json")
	case "form":
		form := url.Values{}
		switch {
		case s.operation == "POST /rest/items" && len(s.steps) > 1:
			form = itemForm("items[0][%s]")
		case s.operation == "POST /rest/item":
			form = itemForm("%s")
		case s.operation == "POST /rest/notification/settings":
			form.Set("notificationType", "Curl_Seller_Item_Add")
		}
		if list, ok := value.([]any); ok {
			for i, entry := range list {
				if _, isObject := entry.(map[string]any); isObject {
					form.Set(fmt.Sprintf("%s[%d][title]", s.formName(), i), "A stamp")
				} else {
					form.Add(s.formName(), fmt.Sprint(entry))
				}
			}
		} else {
			form.Set(s.formName(), text)
		}
		body = form.Encode()
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(t.Context(), method, p.server+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return outcome{response.StatusCode, gather(answer), string(answer)}
}

// itemForm is an item that can be listed. Its fields are named as the format says.
func itemForm(format string) url.Values {
	form := url.Values{}
	for name, text := range map[string]string{"title": "A stamp", "id_category": "1010101", "personal_reference": "S-1", "fixed_price": "2.50"} {
		form.Set(fmt.Sprintf(format, name), text)
	}
	return form
}

// legacyError is the text of an error of /rest.
var legacyError = regexp.MustCompile(`<errorMsg>([^<]*)<`)

// gather finds the errors in an answer.
func gather(answer []byte) (all []servertest.ErrorEntry) {
	for _, match := range legacyError.FindAllStringSubmatch(string(answer), -1) {
		for sentence := range strings.SplitSeq(match[1], "; ") {
			field, message, named := strings.Cut(sentence, ": ")
			if !named && strings.Contains(sentence, "destination") { // an old sentence
				field = "destination"
			}
			all = append(all, servertest.ErrorEntry{Field: field, Message: message})
		}
	}
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if code, ok := v["code"].(string); ok {
				field, _ := v["field"].(string)
				message, _ := v["message"].(string)
				all = append(all, servertest.ErrorEntry{Code: code, Field: field, Message: message})
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	var parsed any
	if json.NewDecoder(bytes.NewReader(answer)).Decode(&parsed) == nil {
		walk(parsed)
	}
	return all
}

// formCodes are those with which a value is refused for its form, of which its length is a part.
var formCodes = []string{
	"too_long", "too_short", "invalid_value", "invalid_type", "invalid_parameter", "too_many_images", "batch_too_large", "invalid_idempotency_key",
	"invalid_image_url", "invalid_webhook_url", "invalid_header", "payload_too_large", "html_not_allowed",
	"", // /rest shows the code of the first error only
}

// otherReasons are sentences about a value whose form was understood.
var otherReasons = regexp.MustCompile(`^([Tt]here is no|No key of|must be between|does not go with|is required)`)

// about says whether an error is about the spot, or about what it is a part of.
func (s spot) about(e servertest.ErrorEntry) bool {
	if e.Field == "" {
		return false
	}
	if s.in == "form" {
		name := strings.Replace(s.formName(), "[]", "[0]", 1)
		return strings.HasPrefix(e.Field, name) || strings.HasPrefix(name, e.Field)
	}
	return strings.HasPrefix(s.field(), e.Field) || strings.HasSuffix(s.field(), e.Field) || e.Field == s.field()+".url"
}

// refusedForIts says whether a request was refused for the form of the spot's value.
func (o outcome) refusedForIts(s spot) bool {
	return slices.ContainsFunc(o.errors, func(e servertest.ErrorEntry) bool {
		return s.about(e) && slices.Contains(formCodes, e.Code) && !otherReasons.MatchString(e.Message)
	})
}

// tooLarge says whether a request was refused for the size of its head or its body.
func (o outcome) tooLarge() bool {
	return o.status == http.StatusRequestHeaderFieldsTooLarge || o.status == http.StatusRequestEntityTooLarge
}

// beside is what a request may have in its head or its body beside a value. Of the head, 4 KiB are there only on a connection
// that was used before.
const beside = 5 << 10

func (p *prober) probe(t *testing.T, s spot) {
	t.Helper()
	value := func(n int) any {
		if s.list {
			return s.entries(n)
		}
		return s.text(n)
	}
	carrier := s.room
	if s.in == "header" || s.in == "query" || s.in == "path" {
		carrier = v1.HeadLimit
	} else if s.in == "form" {
		carrier = s.most
	}
	byCarrier := !s.list && s.most >= carrier && s.most >= v1.HeadLimit

	over := p.send(t, s, value(s.most+1))
	refused := over.status/100 == 4 || over.refusedForIts(s) // of a batch, the entry
	if !refused || !over.tooLarge() && s.in != "path" && !over.refusedForIts(s) {
		t.Errorf("%s: %d and one more is not refused: %d %.900s", s, s.most, over.status, over.body)
	}
	most := s.most
	if byCarrier {
		most = min(s.most, carrier) - beside
	}
	if s.in == "path" && !byCarrier {
		return // an id that names nothing is not found, whatever its length
	}
	at := p.send(t, s, value(most))
	if at.tooLarge() || at.refusedForIts(s) {
		t.Errorf("%s: %d is refused for its form: %d %.900s", s, most, at.status, at.body)
	}
}
