package sunset

import (
	"sellerd/v1/core"
)

// Operations are the endpoints of what is left of /rest, and of drills.
var Operations = []*core.Operation{
	GetLegacyUsage.Operation, CreateLegacyDrill.Operation, BrowseLegacyDrills.Operation, GetLegacyDrill.Operation,
	DeleteLegacyDrill.Operation,
}

// Operator are the operator's endpoints of keys, drills and usage of /rest.
var Operator = []*core.Operation{
	OperatorImportLegacyKey.Operation, OperatorCreateLegacyDrill.Operation, OperatorBrowseLegacyDrills.Operation,
	OperatorGetLegacyDrill.Operation, OperatorDeleteLegacyDrill.Operation, OperatorLegacyUsage.Operation,
}
