// Package shipping holds shipping models, which say how a seller charges for shipping: their form in answers and in what operators write, the
// check of what operators write, their rows, and the cost of a bill's shipment by weight and destination. It also holds trackings, the numbers of
// parcels at delivery services: their form, and the check of what sellers write. The package does not depend on the service or its transactions:
// package v1 decides who may read and change a model or a tracking, and passes the client of the database.
package shipping
