package legacy

import (
	"context"
	"strconv"
	"strings"

	"sellerd/v1"
)

// ServiceAPI is the API of a service in this program. The clock decides when sessions end.
func ServiceAPI(service *v1.Service, clock v1.Clock) API { return &serviceAPI{service, clock} }

type serviceAPI struct {
	service *v1.Service
	clock   v1.Clock
}

func (a *serviceAPI) Within(ctx context.Context, o *v1.Operation, c *Call, work func(context.Context) (any, error)) (any, error) {
	return a.service.Within(ctx, o, &c.Call, work)
}

func (a *serviceAPI) Enter(ctx context.Context, address string, c *Call, shown Credentials) error {
	return a.service.Enter(ctx, address, &c.Call, func(ctx context.Context) (v1.Caller, error) {
		return a.authenticate(ctx, &c.Call, shown)
	})
}

// authenticate finds the caller behind credentials.
func (a *serviceAPI) authenticate(ctx context.Context, c *v1.Call, shown Credentials) (v1.Caller, error) {
	switch {
	case shown.Refused != nil:
		return v1.Caller{}, shown.Refused
	case shown.Session == "":
		return a.service.AuthenticateLegacy(ctx, c, shown.Key)
	}
	keyID, until, ok := a.readSession(shown.Session)
	if !ok || v1.TimeOf(a.clock.Now()) >= until {
		return v1.Caller{}, InvalidSession()
	}
	return a.service.AuthenticateKeyID(ctx, c, keyID)
}

func (a *serviceAPI) Drills(ctx context.Context) v1.RunningDrills {
	return a.service.RunningDrills(ctx)
}

// InDrill reads the row of a key that a drill concerns. The seller of a suspended account takes part, too, and so does a session that
// has ended, because the day itself asks for none. If the row cannot be read, Enter will say why.
func (a *serviceAPI) InDrill(ctx context.Context, c *Call, running v1.RunningDrills, shown Credentials) bool {
	if shown.Refused != nil {
		return false
	}
	keyID, _, sealed := a.readSession(shown.Session)
	if !sealed {
		keyID = v1.LegacyKeyID(shown.Key)
	}
	if !a.service.DrillsConcern(ctx, running, keyID) {
		return false
	}
	var caller v1.Caller
	if sealed {
		caller, _ = a.service.AuthenticateKeyID(ctx, &v1.Call{}, keyID)
	} else {
		caller, _ = a.authenticate(ctx, &v1.Call{}, shown)
	}
	if caller.Owner == 0 || !running.Of(int64(caller.Owner), caller.KeyID) {
		return false
	}
	c.Caller = caller
	v1.TraceFrom(ctx).Account = caller.AccountID
	return true
}

// NewSession seals the key's id and the end of the session. The token only stands for the key: Enter checks each time whether
// the key is still valid.
func (a *serviceAPI) NewSession(c *Call) string {
	until := v1.TimeOf(a.clock.Now().Add(SessionLife))
	return a.service.SealToken(strconv.AppendInt([]byte(c.KeyID+" "), int64(until), 10))
}

// readSession returns the id of the key of a token that NewSession made, and the end of the session.
func (a *serviceAPI) readSession(token string) (keyID string, until v1.Time, ok bool) {
	text, ok := a.service.OpenToken(token)
	if !ok {
		return "", 0, false
	}
	keyID, end, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(end, 10, 64)
	return keyID, v1.Time(n), err == nil
}

func (a *serviceAPI) Run(ctx context.Context, o *v1.Operation, c *Call, path map[string]string, query string, body []byte) (any, error) {
	in, err := o.Bind(&c.Call, path, query, body)
	if err != nil {
		return nil, err
	}
	return o.Run(ctx, a.service, &c.Call, in)
}

func (a *serviceAPI) ItemWindow(ctx context.Context, c *Call, in *v1.BrowseItemsInput, w v1.Window) ([]v1.Item, error) {
	return a.service.ItemWindow(ctx, &c.Call, in, w)
}

func (a *serviceAPI) SaleWindow(ctx context.Context, c *Call, in *v1.BrowseSalesInput, w v1.Window) ([]v1.Sale, error) {
	return a.service.SaleWindow(ctx, &c.Call, in, w)
}

func (a *serviceAPI) ItemsByID(ctx context.Context, c *Call, ids []v1.ID) (map[v1.ID]v1.Item, error) {
	return a.service.ItemsByID(ctx, &c.Call, ids)
}

func (a *serviceAPI) CountCall(_ context.Context, c *Call, id string, lossy []string) {
	c.OnceAdmitted(func() {
		a.service.CountLegacyCall(v1.LegacyCall{Owner: c.Owner, KeyID: c.KeyID, Call: id, Lossy: lossy})
	})
}

func (a *serviceAPI) CountRetired(c *Call, id string, shown Credentials, drill bool) {
	call := v1.LegacyCall{Owner: c.Owner, KeyID: c.KeyID, Call: id, Drill: drill}
	switch {
	case c.Owner != 0:
		c.OnceAdmitted(func() { a.service.CountLegacyCall(call) })
	case shown.Refused != nil:
	case shown.Session != "":
		if keyID, _, ok := a.readSession(shown.Session); ok { // a session that has ended says as well which key it was
			call.KeyID = keyID
			a.service.CountLegacySession(call)
		}
	default:
		a.service.CountLegacyKey(shown.Key, call)
	}
}

func (a *serviceAPI) Refusal(ctx context.Context, err error) v1.Errors {
	return a.service.Refusal(ctx, err)
}

func (a *serviceAPI) KnownLimits(ctx context.Context) v1.Meta { return a.service.KnownLimits(ctx) }
