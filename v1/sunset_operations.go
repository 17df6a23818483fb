package v1

// Operations are the endpoints of what is left of /rest, and of drills.
var sunsetOperations = []*Operation{
	GetLegacyUsage.Operation, CreateLegacyDrill.Operation, BrowseLegacyDrills.Operation, GetLegacyDrill.Operation,
	DeleteLegacyDrill.Operation,
}

// Operator are the operator's endpoints of keys, drills and usage of /rest.
var sunsetOperator = []*Operation{
	OperatorImportLegacyKey.Operation, OperatorCreateLegacyDrill.Operation, OperatorBrowseLegacyDrills.Operation,
	OperatorGetLegacyDrill.Operation, OperatorDeleteLegacyDrill.Operation, OperatorLegacyUsage.Operation,
}
