package legacy

import (
	"context"

	"sellerd/v1"
)

// API is what the calls need of /v1. The service in this program is one (ServiceAPI). Another may reach a service over
// HTTP: no method hands out a database or a transaction.
type API interface {
	// Within does the work on a request, in a context that ends when the caller is to have an answer. The operation is nil
	// for a call that is none or several; the limits that its answer tells are in the call afterwards.
	Within(ctx context.Context, o *v1.Operation, c *Call, work func(context.Context) (any, error)) (any, error)
	// Enter finds the seller behind the credentials, sets the call's Caller, and charges the request to the seller's budget. A
	// refusal with status 401 counts against the address (with a port) that the request came from.
	Enter(ctx context.Context, address string, c *Call, shown Credentials) error
	// NewSession makes a token that Enter takes for SessionLife in place of the credentials that let this call in. It needs no
	// escaping in a URL.
	NewSession(c *Call) string

	// Run runs an operation for the seller with the inputs that HTTP has: the path's values by name, a raw query, a JSON body.
	// The result is a pointer to the operation's Out, or the error is v1.Errors for a refusal. What the answer says besides
	// is in the call's Meta.
	Run(ctx context.Context, o *v1.Operation, c *Call, path map[string]string, query string, body []byte) (any, error)
	// ItemPage reads a page of the seller's items. Unlike in a query, a filter's values may have commas.
	ItemPage(ctx context.Context, c *Call, in *v1.BrowseItemsInput) (*v1.Page[v1.Item], error)
	// ItemWindow reads the part of a list of items that begins at a position, as v1.Service.ItemWindow does.
	ItemWindow(ctx context.Context, c *Call, in *v1.BrowseItemsInput, w v1.Window) ([]v1.Item, error)
	// SaleWindow reads the part of a list of sales that begins at a position, as v1.Service.SaleWindow does.
	SaleWindow(ctx context.Context, c *Call, in *v1.BrowseSalesInput, w v1.Window) ([]v1.Sale, error)
	// ItemsByID reads at most v1.MaxWindow of the seller's items. An id that matches none has no entry.
	ItemsByID(ctx context.Context, c *Call, ids []v1.ID) (map[v1.ID]v1.Item, error)

	// CountCall notes that a known seller made a call, by the call's id, and which of its fields /v1 does not take over as they
	// are.
	CountCall(c *Call, id string, lossy []string)
	// Refusal is what the seller is told of an error: its codes, or one for a failure whose cause is not the seller's business.
	Refusal(ctx context.Context, err error) v1.Errors
	// KnownLimits are the limits to tell in an answer that its call did not give, as after a panic.
	KnownLimits(ctx context.Context) v1.Meta
}

// Call is one request on its way to an API.
type Call struct {
	v1.Call
	// Key is the key behind the request, for an API that shows it to a service again. Enter sets it where that is so.
	Key string
}

// Credentials are what a request shows: a key or the token of a session, unless they are refused before anything is looked
// up.
type Credentials struct {
	Key     string // of /v1, or of the old interface
	Session string // a token of NewSession
	Refused error  // what is wrong with how they are shown
}
