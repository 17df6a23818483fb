package bridge

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/legacy"
	"sellerd/v1"
	"sellerd/v1/apikey"
	"sellerd/v1/refusal"
)

// This file is the API that package legacy uses, for a service that is reached over HTTP.

// callLimit bounds a whole call, with all its requests and its waiting.
const callLimit = 60 * time.Second

// api implements legacy.API.
type api struct {
	client   *client
	clock    v1.Clock
	keys     Keys
	sessions *sessions
	accounts accounts
	marks    *memory
	https    atomic.Bool // the service takes no http addresses
}

var _ legacy.API = (*api)(nil)

// manyAccounts bounds of how many keys the account is remembered.
const manyAccounts = 1000

// accounts remembers the accounts of keys, by the ids of the keys. It is safe for concurrent use.
type accounts struct {
	mu    sync.Mutex
	byKey map[string]v1.ID
}

// of is the account of a key, 0 if it is not known.
func (a *accounts) of(keyID string) v1.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byKey[keyID]
}

// put remembers an account. When there are too many, the others are forgotten, and read again when they are needed.
func (a *accounts) put(keyID string, account v1.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.byKey) == manyAccounts || a.byKey == nil {
		a.byKey = map[string]v1.ID{}
	}
	a.byKey[keyID] = account
}

// Within bounds the work. A call that made no request has its key checked afterwards: one that needs no operation, or whose
// fields are wrong. So a wrong key is refused before a wrong field, and every call counts against the seller's budget, as
// it did with the service.
func (a *api) Within(ctx context.Context, o *v1.Operation, c *legacy.Call, work func(context.Context) (any, error)) (any, error) {
	bounded, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	out, err := work(bounded)
	if c.Key != "" && len(journalOf(ctx).requests) == 0 {
		if refused := a.checkKey(bounded, o, c); refused != nil {
			return nil, refused
		}
	}
	return out, err
}

// Enter finds the key of /v1 that a call is made with. The service checks it when the call's requests come.
func (a *api) Enter(_ context.Context, _ string, c *legacy.Call, shown legacy.Credentials) error {
	if shown.Refused != nil {
		return shown.Refused
	}
	var ok bool
	if shown.Session == "" {
		c.KeyID, c.Key, ok = a.keyOf(shown.Key)
	} else if c.KeyID, c.Key, ok = a.sessions.open(shown.Session); !ok {
		return legacy.InvalidSession()
	} else if isOldKeyID(c.KeyID) { // the file may have another key for it now, or none
		c.Key, ok = a.keys[c.KeyID]
	}
	if !ok {
		c.KeyID, c.Key = "", ""
		return refusal.New(v1.InvalidAPIKey)
	}
	c.AccountID = int64(a.accounts.of(c.KeyID))
	return nil
}

// keyOf is the key of /v1 for a key that a program sent, with the id of the key that was sent.
func (a *api) keyOf(sent string) (id, key string, ok bool) {
	if oldKeyForm().MatchString(sent) {
		id = oldKeyID(sent)
		key, ok = a.keys[id]
		return id, key, ok
	}
	parsed, ok := apikey.Parse(sent)
	return parsed.ID, sent, ok
}

// NewSession seals the key of a call.
func (a *api) NewSession(c *legacy.Call) string { return a.sessions.seal(c.KeyID, c.Key) }

// checkKey asks the service whether a call's key is valid. A key that may not read its account is. The call would have shown
// the store's limits if its operation publishes items, so then the limits are read.
func (a *api) checkKey(ctx context.Context, o *v1.Operation, c *legacy.Call) error {
	read := v1.GetAccount.Operation
	if o != nil && o.Publishes {
		read = v1.GetLimits.Operation
	}
	got, err := a.ask(ctx, c, &request{operation: read})
	if err != nil || got.refusedWith(v1.PermissionDenied) {
		return err
	}
	if read == v1.GetLimits.Operation {
		return a.noteStoreLimits(c, got)
	}
	return a.noteAccount(c, got)
}

// ask sends a request for a call, and notes the limits that the answer shows.
func (a *api) ask(ctx context.Context, c *legacy.Call, r *request) (*answer, error) {
	r.key, r.keyID, r.language = c.Key, c.KeyID, c.Language
	got, err := a.client.send(ctx, journalOf(ctx), r)
	if err == nil && got.errors != nil && r.language != refusal.English && got.header.Get("Content-Language") == r.language {
		r.language = refusal.English // only names are in the caller's language on /rest, and only a read asks for them
		got, err = a.client.send(ctx, journalOf(ctx), r)
	}
	if err != nil {
		return nil, err
	}
	got.noteLimits(&c.Meta)
	return got, nil
}

// data is the data of an answer. Its error is the refusal, if the answer is one.
func data[T any](a *api, got *answer) (*T, error) {
	if got.errors != nil {
		return nil, got.refusal()
	}
	out := new(T)
	if err := got.into(out); err != nil {
		return nil, a.client.trouble(err)
	}
	return out, nil
}

// noteAccount remembers which account a key belongs to.
func (a *api) noteAccount(c *legacy.Call, got *answer) error {
	account, err := data[v1.Account](a, got)
	if err != nil {
		return err
	}
	c.AccountID = int64(account.ID)
	a.accounts.put(c.KeyID, account.ID)
	return nil
}

// noteStoreLimits keeps the limits of the store for the headers of the bridge's answer.
func (a *api) noteStoreLimits(c *legacy.Call, got *answer) error {
	limits, err := data[v1.Limits](a, got)
	if err != nil {
		return err
	}
	c.Meta.Store = &v1.StoreLimitState{
		OpenLimit: limits.OpenItems.Limit, OpenUsed: limits.OpenItems.Used,
		DailyLimit: limits.NewItemsPerDay.Limit, DailyUsed: limits.NewItemsPerDay.Used, DailyReset: limits.NewItemsPerDay.ResetAt,
	}
	return nil
}

// Run runs an operation by one request. A list that /rest answers whole is read to its end.
func (a *api) Run(ctx context.Context, o *v1.Operation, c *legacy.Call, path map[string]string, query string, body []byte) (any, error) {
	r := &request{operation: o, path: path, query: query, body: body, ifMatch: c.IfMatch}
	got, err := a.submit(ctx, c, r)
	if err != nil {
		return nil, err
	}
	if got.errors != nil {
		return nil, got.refusal()
	}
	out := reflect.New(o.Out).Interface()
	if err := got.into(out); err != nil {
		return nil, a.client.trouble(err)
	}
	switch out := out.(type) {
	case *v1.Page[v1.ShippingModel]:
		return out, readOn(ctx, a, c, r, out)
	case *v1.Page[v1.Category]:
		return out, readOn(ctx, a, c, r, out)
	case *v1.Page[v1.Webhook]:
		return out, a.completeSettings(ctx, c, out)
	case *v1.Account:
		a.accounts.put(c.KeyID, out.ID)
	}
	return out, nil
}

// readOn adds the further pages of a list to its first one.
func readOn[T any](ctx context.Context, a *api, c *legacy.Call, first *request, all *v1.Page[T]) error {
	for all.NextCursor.Set {
		query, err := url.ParseQuery(first.query)
		if err != nil {
			return err
		}
		query.Set("after", all.NextCursor.V)
		page, err := readPage[T](ctx, a, c, first.operation, query)
		if err != nil {
			return err
		}
		all.Results, all.NextCursor = append(all.Results, page.Results...), page.NextCursor
	}
	return nil
}

// readPage reads a page of a list.
func readPage[T any](ctx context.Context, a *api, c *legacy.Call, o *v1.Operation, query url.Values) (*v1.Page[T], error) {
	got, err := a.ask(ctx, c, &request{operation: o, query: query.Encode()})
	if err != nil {
		return nil, err
	}
	return data[v1.Page[T]](a, got)
}

// ItemsByID reads items, as many in one request as a page may have.
func (a *api) ItemsByID(ctx context.Context, c *legacy.Call, ids []v1.ID) (map[v1.ID]v1.Item, error) {
	items := make(map[v1.ID]v1.Item, len(ids))
	var distinct []string
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		distinct = append(distinct, id.String())
	}
	for batch := range slices.Chunk(distinct, v1.MaxPageSize) {
		page, err := readPage[v1.Item](ctx, a, c, v1.BrowseItems.Operation, url.Values{
			"id": {strings.Join(batch, ",")}, "limit": {strconv.Itoa(v1.MaxPageSize)},
		})
		if err != nil {
			return nil, err
		}
		for _, item := range page.Results {
			items[item.ID] = item
		}
	}
	return items, nil
}

// Drills implements legacy.API: drills are of the service's own /rest, which a program behind the bridge has left.
func (a *api) Drills(context.Context) v1.RunningDrills { return nil }

// InDrill implements legacy.API.
func (a *api) InDrill(context.Context, *legacy.Call, v1.RunningDrills, legacy.Credentials) bool {
	return false
}

// CountCall notes the fields for the recording. The service counts no calls of /rest here, since none reaches it.
func (a *api) CountCall(ctx context.Context, _ *legacy.Call, _ string, lossy []string) {
	for _, field := range lossy {
		journalOf(ctx).loses(field)
	}
}

// CountRetired implements legacy.API: nothing is retired here.
func (a *api) CountRetired(*legacy.Call, string, legacy.Credentials, bool) {}

// Refusal words an error for the program. Its cause goes to the log.
func (a *api) Refusal(ctx context.Context, err error) v1.Errors {
	known := refusalOf(err, journalOf(ctx))
	if known.Status() >= 500 && ctx.Err() == nil {
		v1.TraceFrom(ctx).Cause = err
	}
	return known
}

// KnownLimits has nothing to tell: after a panic the limits of the answer are lost.
func (a *api) KnownLimits(context.Context) v1.Meta { return v1.Meta{} }
