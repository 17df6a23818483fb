package accounts

// ShippingModelInUse says whether something has a model.
var ShippingModelInUse = shippingModelInUse
