package translate

import (
	"time"

	"sellerd/v1"
)

// This file is about what holds for all of the legacy interface: when it ends, and what its answers say of that.

// The dates of the end. What says or shows them reads them here; package v1, which counts the days, has the sunset.
var (
	// Deprecated is when /v1 was released and /rest became deprecated (RFC 9745).
	Deprecated = time.Date(2026, time.October, 5, 0, 0, 0, 0, time.UTC)
	// Sunset is the first instant at which /rest answers 410 (RFC 8594).
	Sunset = v1.LegacySunset.Std()
)

// How long /rest keeps what a caller does not see: the token of a login, and the answer to a request for new items.
const (
	SessionMinutes = 30
	RepeatHours    = 24
)

// GuidePath is where the service shows the guide. Every answer of /rest links to it.
const GuidePath = "/migration"

// DrillHeader lets a caller see today what it will be answered from the sunset on.
const DrillHeader = "Legacy-Drill"
