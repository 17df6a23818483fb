package intake

// ChargeSet is the statement for PostgreSQL.
var ChargeSet = chargeSet
