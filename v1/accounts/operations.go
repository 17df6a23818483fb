package accounts

import (
	"sellerd/v1/core"
	"sellerd/v1/operators"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
)

// Operations are the endpoints of the account.
var Operations = []*core.Operation{
	GetAccount.Operation, GetLimits.Operation, BrowseKeys.Operation, RotateKey.Operation, RevokeKey.Operation,
}

// Reference are the endpoints of lists that all sellers share, and of the shipping models.
var Reference = []*core.Operation{
	BrowseCategories.Operation, BrowseShippingModels.Operation, BrowseDeliveryServices.Operation,
}

// shippingModelBodyLimit is the largest body with a shipping model, in bytes.
const shippingModelBodyLimit = 8 << 20

// Operator are the operator's endpoints of accounts and keys.
var Operator = []*core.Operation{
	OperatorBrowseAccounts.Operation, OperatorGetAccount.Operation, OperatorCreateAccount.Operation,
	OperatorUpdateAccount.Operation, OperatorBrowseKeys.Operation, OperatorGetKey.Operation, OperatorCreateKey.Operation,
	OperatorRevokeKey.Operation, OperatorBrowseAudit.Operation,
}

// OperatorShippingModels are the operator's endpoints of shipping models.
var OperatorShippingModels = []*core.Operation{
	OperatorCreateShippingModel.Operation, OperatorReplaceShippingModel.Operation, OperatorRemoveShippingModel.Operation,
}

// The endpoints of the account and of reference data.
var (
	GetAccount = core.NewOp("GetAccount", "GET", "/v1/account", 200, (*Accounts).getAccount, core.Needs(permission.AccountRead), core.Tagged,
		core.Doc("Reads your account, the key in use and its mode."))
	GetLimits = core.NewOp("GetLimits", "GET", "/v1/account/limits", 200, (*Accounts).getLimits, core.Needs(permission.AccountRead),
		core.Doc("Tells your limits and what is left of them."))
	BrowseCategories = core.NewOp("BrowseCategories", "GET", "/v1/categories", 200, (*Accounts).browseCategories,
		core.TaggedSince(core.FirstRelease), core.Doc("Lists the marketplace's categories in tree order."))
	BrowseShippingModels = core.NewOp("BrowseShippingModels", "GET", "/v1/shipping-models", 200, (*Accounts).browseShippingModels, core.Tagged,
		core.Doc("Lists your shipping models, the ways in which you charge for shipping."))
	BrowseDeliveryServices = core.NewOp("BrowseDeliveryServices", "GET", "/v1/delivery-services", 200, (*Accounts).browseDeliveryServices,
		core.Tagged,
		core.Doc("Lists the carriers' services, which trackings and shipping models refer to."))
)

// The operator's endpoints.
var (
	OperatorCreateAccount = core.NewOp("OperatorCreateAccount", "POST", "/operator/accounts", 201, (*Accounts).operatorCreateAccount,
		core.Locates,
		core.Doc("Creates an account without keys, with the first shipping models of its country."),
		core.Refuses(refusal.InvalidValue, refusal.UnsupportedCurrency))
	OperatorUpdateAccount = core.NewOp("OperatorUpdateAccount", "PATCH", "/operator/accounts/{id}", 200, (*Accounts).operatorUpdateAccount,
		core.For(operators.Support),
		core.AnswersETag,
		core.Doc("Changes an account from its next request on: its data, its status, its store and its limits."),
		core.Refuses(refusal.InvalidValue, refusal.MissingField, refusal.ConflictingFields, refusal.UnsupportedCurrency, refusal.EmptyPatch,
			refusal.PreconditionFailed))
	OperatorCreateKey = core.NewOp("OperatorCreateKey", "POST", "/operator/accounts/{id}/keys", 201, (*Accounts).operatorCreateKey,
		core.Locates,
		core.Doc("Creates a key. Only this answer shows it, so the operation takes no Idempotency-Key."),
		core.Refuses(refusal.InvalidValue, refusal.OutOfRange, refusal.DateInPast))
	OperatorRevokeKey = core.NewOp("OperatorRevokeKey", "DELETE", "/operator/keys/{id}", 200, (*Accounts).operatorRevokeKey,
		core.For(operators.Support),
		core.Doc("Revokes a key at once, an imported one as well."),
		core.Refuses(refusal.PreconditionFailed))
	OperatorCreateShippingModel = core.NewOp("OperatorCreateShippingModel", "POST", "/operator/accounts/{id}/shipping-models", 201,
		(*Accounts).operatorCreateShippingModel,
		core.TakesBody(shippingModelBodyLimit), core.Locates, core.AnswersETag,
		core.Doc("Gives the account another shipping model in one mode."),
		core.Refuses(shippingModelCodes...))
	OperatorReplaceShippingModel = core.NewOp("OperatorReplaceShippingModel", "PUT", "/operator/accounts/{id}/shipping-models/{model_id}", 200,
		(*Accounts).operatorReplaceShippingModel, core.TakesBody(shippingModelBodyLimit), core.AnswersETag,
		core.Doc("Replaces a shipping model as a whole. Bills that are invoiced keep their cost."),
		core.Refuses(shippingModelCodes...), core.Refuses(refusal.PreconditionFailed))
	OperatorRemoveShippingModel = core.NewOp("OperatorRemoveShippingModel", "DELETE", "/operator/accounts/{id}/shipping-models/{model_id}",
		200,
		(*Accounts).operatorRemoveShippingModel,
		core.Doc("Deletes a shipping model, or retires it if an item or a sale has it."),
		core.Refuses(refusal.PreconditionFailed))
)

// The error codes of several operations beyond those of their input's tags.
var shippingModelCodes = []refusal.Code{
	refusal.MissingField, refusal.TooShort, refusal.InvalidValue, refusal.OutOfRange,
	refusal.ConflictingFields, refusal.CurrencyMismatch, refusal.UnknownDeliveryService,
}
