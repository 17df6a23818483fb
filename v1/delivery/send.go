package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"sellerd/internal/base/crash"
	"sellerd/internal/base/tracing"
	"sellerd/v1/outbound"
	"sellerd/v1/wire"
)

// How much of an answer is read, and how much of it is kept.
const (
	maxAnswerRead = 64 << 10
	maxAnswerKept = 4 << 10
)

// send makes the request of an attempt, with the value of a header traceparent unless it is empty.
func (e *Engine) send(ctx context.Context, a *Attempt, trace string) {
	// Uptime does not count while the whole machine sleeps, the clock may be set: either may tell.
	stoodStill := e.config.Uptime()-a.claimedUptime > leaseTime-longestAttempt || e.now().Sub(a.claimedAt) > leaseTime-longestAttempt
	switch {
	case stoodStill: // for so long that another worker may send it
		a.interrupt(0)
		return
	case a.unread: // the database is away, and takes what became of this when it is back
		a.interrupt(unreadRest)
		return
	case a.body == "": // its event was purged while it was claimed
		a.interrupt(schedule[0])
		return
	case a.unrenderable:
		a.errorCode = codeBlockedTarget
		return
	}
	began := e.config.Clock.Now()
	defer func() { a.took = e.config.Clock.Now().Sub(began) }()
	request, err := e.request(ctx, a)
	if err != nil {
		a.errorCode = codeBlockedTarget // the address was accepted once and cannot be understood any more
		return
	}
	if trace != "" {
		request.Header[tracing.Header] = []string{trace}
	}
	a.headers = request.Header
	response, err := e.config.Client.Do(request)
	if err != nil {
		a.errorCode = outbound.ErrorCode(err)
		return
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerRead+1))
	crash.At(crash.AfterSend)
	if len(body) > maxAnswerRead {
		err = outbound.ErrResponseTooLarge
	}
	a.answer, a.truncated = body[:min(len(body), maxAnswerKept)], len(body) > maxAnswerKept
	switch {
	case a.status/100 == 3:
		a.errorCode = codeRedirect
	case a.status/100 != 2:
		a.errorCode = codeHTTPStatus
		a.retryAfter = restAsked(response, e.config.Clock.Now())
	case err != nil:
		a.errorCode = outbound.ErrorCode(err)
	}
}

// restAsked is how long a receiver that is overloaded or down wants to be left alone; 0 for other answers.
func restAsked(response *http.Response, now time.Time) time.Duration {
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0
	}
	asked := time.Duration(0)
	value := response.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		asked = time.Duration(min(seconds, uint64(mostRest/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		asked = at.Sub(now)
	}
	return min(max(asked, leastRest), mostRest)
}

// Attempts are spans of the trace of the request, or of the publication, that caused the event. Until an attempt is made, its
// row keeps the traceparent where it will have the headers.

// AttemptSpan is the name of the spans of attempts.
const AttemptSpan = "webhook delivery"

// Send makes one attempt and notes what came of it. It decides nothing.
func (e *Engine) Send(ctx context.Context, a *Attempt) {
	if e.config.Tracer == nil {
		e.send(ctx, a, "")
		return
	}
	ctx, span := e.config.Tracer.Start(ctx, tracing.Start{Name: AttemptSpan, Kind: tracing.Sent, Parent: a.trace})
	span.Text("sellerd.delivery_id", wire.DeliveryID(a.delivery).String())
	span.Text("sellerd.webhook_id", wire.WebhookID(a.webhook).String())
	span.Text("sellerd.event_id", wire.EventID(a.event).String())
	span.Number("sellerd.attempt", int64(a.Number))
	e.send(ctx, a, span.Parent())
	if a.status != 0 {
		span.Number("http.response.status_code", int64(a.status))
	}
	span.End(a.errorCode)
}

// Probe sends one signed event to an address, by the code that sends all others, without a database. It fails unless the receiver answers
// with a status of 2xx.
func Probe(ctx context.Context, client *http.Client, clock interface{ Now() time.Time }, url, secret string) error {
	e := &Engine{config: Config{Client: client, Clock: clock, Uptime: func() time.Duration { return 0 }}}
	a := &Attempt{
		Claimed: Claimed{claimedAt: e.now()},
		message: message{url: url, secrets: []string{secret}, body: `{"type":"webhook.test"}`},
	}
	e.Send(ctx, a)
	if !a.succeeded() {
		return fmt.Errorf("the delivery failed with %s, status %d", a.errorCode, a.status)
	}
	return nil
}
