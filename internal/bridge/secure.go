package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sellerd/legacy"
	"sellerd/translate"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file sends addresses of images and of receivers as https. Old programs have http ones, which /rest took and /v1 does
// not: most hosts have both by now. A service on a developer's machine may take http, so the address goes as it is until
// the service has refused one.

// secured are the operations that have addresses, the member that holds them, and what /rest calls it.
var secured = map[*v1.Operation]struct {
	member, legacy string
	code           v1.Code // with which an http address is refused
}{
	v1.SubmitItem.Operation:    {"images", "images", v1.InvalidImageURL},
	v1.SubmitBatch.Operation:   {"images", "images", v1.InvalidImageURL},
	v1.UpdateItem.Operation:    {"images", "images", v1.InvalidImageURL},
	v1.CreateWebhook.Operation: {"url", "destination", v1.InvalidWebhookURL},
}

// plainScheme is how an address begins that /v1 does not take, and secureScheme how it begins instead.
const (
	plainScheme  = "http://"
	secureScheme = "https://"
)

// sendSecure sends a request, with https addresses where the service takes no others.
func (a *api) sendSecure(ctx context.Context, c *legacy.Call, r *request) (*answer, error) {
	at, ok := secured[r.operation]
	if !ok || !mayHavePlain(r.body) {
		return a.ask(ctx, c, r)
	}
	body, changed := withHTTPS(r.body, at.member)
	if !changed {
		return a.ask(ctx, c, r)
	}
	if r.operation == v1.SubmitBatch.Operation { // the service would accept a part of it, so it is asked before
		if err := a.tryPlain(ctx, c); err != nil {
			return nil, err
		}
	}
	if a.https.Load() && r.operation != v1.UpdateItem.Operation { // the service takes the http addresses that an item has already
		return a.sendHTTPS(ctx, c, r, body)
	}
	got, err := a.ask(ctx, c, r)
	reused := err == nil && got.refusedWith(v1.IdempotencyKeyReused) // by a create with the https addresses
	if err != nil || count(got.errors, at.code) == 0 && !reused {
		return got, err
	}
	again, err := a.sendHTTPS(ctx, c, r, body)
	if err != nil {
		return nil, err
	}
	if !reused && count(again.errors, at.code) >= count(got.errors, at.code) {
		return got, nil
	}
	a.https.Store(true)
	return again, nil
}

// sendHTTPS sends a request with a body of https addresses. An equal one may have been made before by the service's own /rest,
// with the http addresses: then that is found, and nothing is made twice.
func (a *api) sendHTTPS(ctx context.Context, c *legacy.Call, r *request, body []byte) (*answer, error) {
	if r.operation == v1.CreateWebhook.Operation {
		if exists, err := a.settingExists(ctx, c, r.body); exists != nil || err != nil {
			return exists, err
		}
	}
	secure := *r
	secure.body = body
	got, err := a.ask(ctx, c, &secure)
	if err != nil {
		return nil, err
	}
	if got.refusedWith(v1.IdempotencyKeyReused) { // by a create with the http addresses, since the key is derived of them
		earlier, err := a.ask(ctx, c, r)
		if err != nil || earlier.errors == nil {
			return earlier, err
		}
	}
	return a.noteHTTPS(ctx, c, secured[r.operation].legacy, got), nil
}

// settingExists is the answer that there is a webhook with this body, http address and all, and nil if there is none.
func (a *api) settingExists(ctx context.Context, c *legacy.Call, body []byte) (*answer, error) {
	var wanted struct {
		URL    string   `json:"url"`
		Events []string `json:"events"`
		Format string   `json:"format"`
	}
	if err := json.Unmarshal(body, &wanted); err != nil {
		return nil, nil //nolint:nilerr // the service says what is wrong with it
	}
	page, err := readPage[v1.Webhook](ctx, a, c, v1.BrowseWebhooks.Operation, nil)
	var late *legacy.NotAdmitted
	if errors.As(err, &late) && late.Errors.Status() == http.StatusForbidden { // the key may only add settings
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(wanted.Events)
	for i := range page.Results {
		w := &page.Results[i]
		events, err := w.Events.Value()
		if err != nil {
			return nil, a.client.trouble(err)
		}
		if w.URL == wanted.URL && w.Format == wanted.Format && slices.Equal(slices.Sorted(slices.Values(events)), wanted.Events) {
			return &answer{errors: refusal.With(v1.WebhookExists, map[string]any{"webhook_id": w.ID.String()})}, nil
		}
	}
	return nil, nil
}

func count(all v1.Errors, code v1.Code) (n int) {
	for i := range all {
		if all[i].Code == code {
			n++
		}
	}
	return n
}

// tryPlain has the service check an item with an http address, which lists nothing: it has neither title nor price.
func (a *api) tryPlain(ctx context.Context, c *legacy.Call) error {
	if a.https.Load() {
		return nil
	}
	got, err := a.ask(ctx, c, &request{
		operation: v1.SubmitItem.Operation, query: "validate_only=true", body: []byte(`{"images":["http://www.example.com/1.png"]}`),
	})
	if err != nil {
		return err
	}
	if count(got.errors, v1.InvalidImageURL) > 0 {
		a.https.Store(true)
	}
	return nil
}

// noteHTTPS tells the program, and the recording, that an address was changed, unless the request was refused. It returns the
// answer.
func (a *api) noteHTTPS(ctx context.Context, c *legacy.Call, field string, got *answer) *answer {
	if got.errors != nil || slices.ContainsFunc(c.Notes, func(n translate.Note) bool { return n.Field == field }) {
		return got
	}
	journalOf(ctx).loses(field)
	c.Notes = append(c.Notes, translate.Note{
		Field: field, Kind: translate.NoteNarrowed, Text: "/v1 takes https alone, so the address was sent with https in place of http.",
	})
	return got
}

// withHTTPS is a body whose members of a name have https addresses in place of http ones: texts, lists of texts, and objects
// with a url. It reports whether there was any.
func withHTTPS(body []byte, member string) (out []byte, changed bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return body, false // the service says what is wrong with it
	}
	var walk func(value any, inside bool) any
	walk = func(value any, inside bool) any {
		switch v := value.(type) {
		case string:
			if rest, plain := cutPlain(v); inside && plain {
				changed = true
				return secureScheme + rest
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i], inside)
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name], inside || name == member)
			}
		}
		return value
	}
	value = walk(value, false)
	if !changed {
		return body, false
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return body, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}

// mayHavePlain says whether a body has an http address somewhere.
func mayHavePlain(body []byte) bool { return bytes.Contains(bytes.ToLower(body), []byte(plainScheme)) }

// cutPlain cuts off http:// in any case of letters, and the port of http. An address with another port has no https there.
func cutPlain(address string) (rest string, ok bool) {
	if len(address) < len(plainScheme) || !strings.EqualFold(address[:len(plainScheme)], plainScheme) {
		return address, false
	}
	u, err := url.Parse(address)
	if err != nil {
		return address, false
	}
	rest = address[len(plainScheme):]
	port := u.Port()
	if port == "" {
		return rest, true
	}
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	if strings.TrimLeft(port, "0") != "80" {
		return address, false
	}
	return strings.TrimSuffix(host, ":"+port) + rest[len(host):], true
}
