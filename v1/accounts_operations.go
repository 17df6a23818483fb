package v1

import "sellerd/v1/permission"

// Operations are the endpoints of the account.
var accountsOperations = []*Operation{
	GetAccount.Operation, GetLimits.Operation,
}

// Reference are the endpoints of lists that all sellers share, and of the shipping models.
var accountsReference = []*Operation{
	BrowseCategories.Operation, BrowseShippingModels.Operation, BrowseDeliveryServices.Operation,
}

// Operator are the operator's endpoints of accounts and keys.
var accountsOperator = []*Operation{
	OperatorBrowseAccounts.Operation, OperatorGetAccount.Operation, OperatorCreateAccount.Operation,
	OperatorUpdateAccount.Operation, OperatorBrowseKeys.Operation, OperatorGetKey.Operation, OperatorCreateKey.Operation,
	OperatorRevokeKey.Operation,
}

// OperatorShippingModels are the operator's endpoints of shipping models.
var operatorShippingModels = []*Operation{
	OperatorCreateShippingModel.Operation, OperatorReplaceShippingModel.Operation, OperatorRemoveShippingModel.Operation,
}

// The endpoints of the account and of reference data.
var (
	GetAccount = op("GetAccount", "GET", "/v1/account", 200, (*Accounts).getAccount, needs(permission.AccountRead), tagged,
		doc("Reads your account, the key in use and its mode."))
	GetLimits = op("GetLimits", "GET", "/v1/account/limits", 200, (*Accounts).getLimits, needs(permission.AccountRead),
		doc("Tells your limits and what is left of them."))
	BrowseCategories = op("BrowseCategories", "GET", "/v1/categories", 200, (*Accounts).browseCategories, taggedSince(FirstRelease), localized,
		doc("Lists the marketplace's categories in tree order."))
	BrowseShippingModels = op("BrowseShippingModels", "GET", "/v1/shipping-models", 200, (*Accounts).browseShippingModels, tagged,
		doc("Lists your shipping models, the ways in which you charge for shipping."))
	BrowseDeliveryServices = op("BrowseDeliveryServices", "GET", "/v1/delivery-services", 200, (*Accounts).browseDeliveryServices, tagged,
		doc("Lists the carriers' services, which trackings and shipping models refer to."))
)

// The operator's endpoints.
var (
	OperatorCreateAccount = op("OperatorCreateAccount", "POST", "/operator/accounts", 201, (*Accounts).operatorCreateAccount, locates,
		doc("Creates an account without keys, with the first shipping models of its country."),
		refuses(InvalidValue, UnsupportedCurrency))
	OperatorUpdateAccount = op("OperatorUpdateAccount", "PATCH", "/operator/accounts/{id}", 200, (*Accounts).operatorUpdateAccount, answersETag,
		doc("Changes an account from its next request on: its data, its status, its store and its limits."),
		refuses(InvalidValue, MissingField, ConflictingFields, UnsupportedCurrency, EmptyPatch, PreconditionFailed))
	OperatorCreateKey = op("OperatorCreateKey", "POST", "/operator/accounts/{id}/keys", 201, (*Accounts).operatorCreateKey, locates,
		doc("Creates a key. Only this answer shows it, so the operation takes no Idempotency-Key."),
		refuses(InvalidValue, OutOfRange, DateInPast))
	OperatorRevokeKey = op("OperatorRevokeKey", "DELETE", "/operator/keys/{id}", 200, (*Accounts).operatorRevokeKey,
		doc("Revokes a key at once, an imported one as well."),
		refuses(PreconditionFailed))
	OperatorCreateShippingModel = op("OperatorCreateShippingModel", "POST", "/operator/accounts/{id}/shipping-models", 201, (*Accounts).operatorCreateShippingModel,
		takesShippingModel, locates, answersETag,
		doc("Gives the account another shipping model in one mode."),
		refuses(shippingModelCodes...))
	OperatorReplaceShippingModel = op("OperatorReplaceShippingModel", "PUT", "/operator/accounts/{id}/shipping-models/{model_id}", 200,
		(*Accounts).operatorReplaceShippingModel, takesShippingModel, answersETag,
		doc("Replaces a shipping model as a whole. Bills that are invoiced keep their cost."),
		refuses(shippingModelCodes...), refuses(PreconditionFailed))
	OperatorRemoveShippingModel = op("OperatorRemoveShippingModel", "DELETE", "/operator/accounts/{id}/shipping-models/{model_id}", 200,
		(*Accounts).operatorRemoveShippingModel,
		doc("Deletes a shipping model, or retires it if an item or a sale has it."),
		refuses(PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var shippingModelCodes = []Code{MissingField, TooShort, InvalidValue, OutOfRange, ConflictingFields, CurrencyMismatch, UnknownDeliveryService}
