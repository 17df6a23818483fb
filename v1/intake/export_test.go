package intake

// The statements for PostgreSQL, for tests.
const ChargeSet = chargeSet
