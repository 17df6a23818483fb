package v1

import (
	"slices"

	"sellerd/v1/accounts"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/trade"
)

// Operations are the endpoints, in the order in which the documents list them. Everything that lists endpoints reads this
// table: the router, the reference, the translate tables and the tests.
var Operations = slices.Concat(
	items.Operations,
	trade.Operations,
	hooks.Operations,
	accounts.Operations,
	restOperations,
	accounts.Reference,
	trade.SandboxOperations,
)

// OperatorOperations are the endpoints of the marketplace itself, on the operator's listener (docs/operator/operating-api.md).
var OperatorOperations = slices.Concat(
	accounts.Operator,
	restOperator,
	accounts.OperatorShippingModels,
	hooks.Operator,
	trade.Operator,
)
