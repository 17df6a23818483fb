package translate

import (
	"time"

	"sellerd/v1"
)

// This file has facts about the whole legacy interface: the dates of its end, and how answers refer to them.

// The dates of the end. Package v1 defines the sunset, because the days until then are counted there.
var (
	// Deprecated is when /v1 was released and /rest became deprecated (RFC 9745).
	Deprecated = time.Date(2026, time.October, 5, 0, 0, 0, 0, time.UTC)
	// Sunset is the first instant at which /rest answers 410 (RFC 8594).
	Sunset = v1.LegacySunset.Std()
)

// How long /rest keeps the token of a login, in minutes, and the answer to a request for new items, in hours.
const (
	SessionMinutes = 30
	RepeatHours    = 24
)

// GuidePath is where the service shows the guide. Every answer of /rest links to it.
const GuidePath = "/migration"

// DrillHeader is the header with which a caller gets the answer of after the sunset today.
const DrillHeader = "Legacy-Drill"
