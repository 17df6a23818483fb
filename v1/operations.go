package v1

import "slices"

// Operations are the endpoints, in the order in which the documents list them. Everything that lists endpoints reads this
// table: the router, the reference, the translate tables and the tests.
var Operations = slices.Concat(
	itemsOperations,
	tradeOperations,
	hooksOperations,
	accountsOperations,
	sunsetOperations,
	accountsReference,
	tradeSandbox,
)

// OperatorOperations are the endpoints of the marketplace itself, on the operator's listener (docs/operating-api.md).
var OperatorOperations = slices.Concat(
	accountsOperator,
	sunsetOperator,
	operatorShippingModels,
	tradeOperator,
)
