package legacy

import (
	"context"

	"sellerd/translate"
	"sellerd/v1"
)

// API is what the calls need of /v1. The service in this program implements it (ServiceAPI). Another implementation may
// reach a service over HTTP, because no method returns a database or a transaction.
type API interface {
	// Within does the work on a request, in a context that ends when the caller must get an answer. The operation is nil for
	// a call that runs no operation or several. Afterwards the limits for the answer's headers are in the call's Meta. The
	// work may be done twice, the second time with the call as it was before; then only the second time counts for CountCall.
	Within(ctx context.Context, o *v1.Operation, c *Call, work func(context.Context) (any, error)) (any, error)
	// Enter finds the seller behind the credentials, sets the call's Caller, and charges the request to the seller's budget. It
	// refuses a key without the permissions of the call's Needs. A refusal with status 401 counts against the address (with a
	// port) that the request came from.
	Enter(ctx context.Context, address string, c *Call, shown Credentials) error
	// Drills returns the scheduled drills of the end that are running now. It costs next to nothing when there is none.
	Drills(ctx context.Context) v1.RunningDrills
	// InDrill says whether the seller behind the credentials takes part in one of some running drills. Then it sets the call's
	// Caller. It charges and counts nothing, and costs next to nothing if none of the drills concerns the key.
	InDrill(ctx context.Context, c *Call, running v1.RunningDrills, shown Credentials) bool
	// NewSession makes a token. For SessionLife, Enter accepts the token in place of the credentials of this call. The token
	// needs no escaping in a URL.
	NewSession(c *Call) string

	// Run runs an operation for the seller with the inputs of an HTTP request: the path's values by name, a raw query, a JSON
	// body. It returns a pointer to the operation's Out, or v1.Errors for a rejected request. The other parts of the answer
	// are in the call's Meta.
	Run(ctx context.Context, o *v1.Operation, c *Call, path map[string]string, query string, body []byte) (any, error)
	// ItemWindow reads the part of a list of items that begins at a position, as v1.Service.ItemWindow does.
	ItemWindow(ctx context.Context, c *Call, in *v1.BrowseItemsInput, w v1.Window) ([]v1.Item, error)
	// SaleWindow reads the part of a list of sales that begins at a position, as v1.Service.SaleWindow does.
	SaleWindow(ctx context.Context, c *Call, in *v1.BrowseSalesInput, w v1.Window) ([]v1.Sale, error)
	// ItemsByID reads at most v1.MaxWindow of the seller's items. An id that matches none has no entry.
	ItemsByID(ctx context.Context, c *Call, ids []v1.ID) (map[v1.ID]v1.Item, error)

	// CountCall counts a call of a known seller, by the call's id, with the names of the fields that /v1 does not take over
	// unchanged.
	CountCall(ctx context.Context, c *Call, id string, lossy []string)
	// CountRetired counts a call that is answered 410, by the call's id; drill says that it met a drill, and not the end. It is
	// the call of c's seller if InDrill has set its Caller, else of the seller behind the credentials. Those are looked up later: a
	// call whose credentials are wrong is not counted. It costs no statement.
	CountRetired(c *Call, id string, shown Credentials, drill bool)
	// Refusal returns what the seller sees of an error: its codes, or one code for a failure whose cause stays in the log.
	Refusal(ctx context.Context, err error) v1.Errors
	// KnownLimits returns the limits for the headers of an answer that the call itself could not give, as after a panic.
	KnownLimits(ctx context.Context) v1.Meta
}

// Call is one request on its way to an API.
type Call struct {
	v1.Call
	// Key is the key of the request, for an API that sends it on to a service. Only such an API sets it, in Enter.
	Key string
	// Notes are about fields that an API changed itself when it ran an operation. The answer shows them beside those of the
	// tables.
	Notes []translate.Note
}

// NotAdmitted is the error of an API that learns only from an operation that the caller is not admitted, or that the service
// is away. The answer is as if Enter had returned the errors: nothing is said of the request's fields.
type NotAdmitted struct{ Errors v1.Errors }

func (n *NotAdmitted) Error() string { return n.Errors.Error() }

// Credentials are the credentials of a request: a key or the token of a session. If Refused is set, they are rejected
// without a lookup.
type Credentials struct {
	Key     string // of /v1, or of the old interface
	Session string // a token of NewSession
	Refused error  // what is wrong with their form or place
}
