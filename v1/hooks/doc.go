// Package hooks is the room of events on their way to sellers: the catalogue of events (events.go), the feed in which a seller reads
// them (feed.go), webhooks (webhooks.go, webhook_patch.go), and the log of deliveries (deliveries.go). Package core writes an event
// in the transaction of its change, and package delivery sends it; this room says who wants it, in which format (formats.go), and
// sends again what a receiver has missed (recovery.go).
package hooks
