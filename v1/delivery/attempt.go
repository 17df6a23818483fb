package delivery

import (
	"net/http"
	"time"

	"sellerd/v1/wire"
)

// Attempt is one delivery in hand. Each phase fills its part, and those after it only read it: the claim says which
// dispatch it is, and what is to be sent; sending says what came of it; settling stores that.
type Attempt struct {
	Claimed
	message
	result

	settled bool // stored, so that it is not offered again
}

// Claimed is a dispatch that this worker has leased, as the claim found it.
type Claimed struct {
	Dispatch, delivery, webhook, event, owner int64

	token         int64         // of the lease
	claimedUptime time.Duration // when it was leased, by the uptime
	claimedAt     wire.Time     // the same by the clock

	Number       int // of the attempt, from 1
	failures     int // how many of those before it failed
	trigger      string
	resource     string // what the event is about; events of one are sent in order
	sequence     int64  // of the event in its resource
	eventCreated wire.Time
	expires      wire.Time // no attempt begins later by itself
}

// message is what is sent, and where.
type message struct {
	url, format  string
	secrets      []string // that sign it, newest first
	body         string   // in the webhook's format, "" when the event is not kept any more
	contentType  string   // "" for JSON
	trace        string   // the traceparent of what caused the event, empty for none
	unread       bool     // the event could not be read
	unrenderable bool     // its format is not spoken any more
}

// result is what came of an attempt.
type result struct {
	headers    http.Header // of the request
	took       time.Duration
	status     int // of the answer, 0 without one
	answer     []byte
	truncated  bool
	errorCode  string        // "" for success
	retryAfter time.Duration // how long the next attempt waits at least
	lost       bool          // its worker is gone, and how long it took is not known
}

// Error codes of attempts beside those of outbound requests.
const (
	codeInterrupted   = "interrupted" // the outcome is not known
	codeBlockedTarget = "blocked_target"
	codeRedirect      = "redirect"
	codeHTTPStatus    = "http_status"
)

func (a *Attempt) succeeded() bool { return a.errorCode == "" }

// interrupt ends an attempt before anything is sent. The next one waits for a while.
func (a *Attempt) interrupt(wait time.Duration) { a.errorCode, a.retryAfter = codeInterrupted, wait }
