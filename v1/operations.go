package v1

import (
	"sellerd/v1/accounts"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/sunset"
	"sellerd/v1/trade"
	"slices"
)

// Operations are the endpoints, in the order in which the documents list them. Everything that lists endpoints reads this
// table: the router, the reference, the translate tables and the tests.
var Operations = slices.Concat(
	items.Operations,
	trade.Operations,
	hooks.Operations,
	accounts.Operations,
	sunset.Operations,
	accounts.Reference,
	trade.SandboxOperations,
)

// OperatorOperations are the endpoints of the marketplace itself, on the operator's listener (docs/operating-api.md).
var OperatorOperations = slices.Concat(
	accounts.Operator,
	sunset.Operator,
	accounts.OperatorShippingModels,
	trade.Operator,
)
