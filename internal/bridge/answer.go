package bridge

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/legacy"
	"sellerd/v1"
	v1client "sellerd/v1/client"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file reads answers of /v1.

// answer is an answer in the envelope of /v1: data, or errors.
type answer struct {
	header http.Header
	data   jsontext.Value
	errors v1.Errors
}

// refusedWith says whether the answer is a refusal with this code as its first one.
func (a *answer) refusedWith(code v1.Code) bool { return len(a.errors) > 0 && a.errors[0].Code == code }

// refusal is the error of an answer that is one. Some concern the caller or the service, whatever was asked.
func (a *answer) refusal() error {
	switch status := a.errors.Status(); {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status >= 500, a.refusedWith(v1.RateLimited):
		return &legacy.NotAdmitted{Errors: a.errors}
	default:
		return a.errors
	}
}

// replayed says whether the answer is the stored one to an earlier request with the same Idempotency-Key.
func (a *answer) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// into reads the data into what v points to. Members that this program does not know are left out: a newer service may have
// some. The rules for input do not hold for answers, so their problems are dropped.
func (a *answer) into(v any) error {
	var ignored v1.Problems
	if err := wire.BindInto(a.data, v, &ignored); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}

// read reads an answer. Its error is a trouble if the answer is not one of /v1, such as the page of a proxy.
func (c *client) read(response *http.Response, text []byte) (*answer, error) {
	status := response.StatusCode
	var envelope struct {
		StatusCode int              `json:"status_code"`
		Data       jsontext.Value   `json:"data"`
		Errors     []v1client.Entry `json:"errors"`
	}
	err := json.Unmarshal(text, &envelope)
	succeeded := status/100 == 2
	switch {
	case status/100 == 3:
		return nil, c.trouble(errors.New("it redirects to another address, and a key is not sent there: give the right address with --to"))
	case err != nil, envelope.StatusCode != status, succeeded != (envelope.Data != nil), succeeded == (len(envelope.Errors) > 0):
		return nil, c.trouble(fmt.Errorf("what answers there (with status %d) is not the seller API", status))
	}
	a := &answer{header: response.Header, data: envelope.Data}
	for _, e := range envelope.Errors {
		entry := v1.Error{Code: v1.Code(e.Code), Message: e.Message, Field: e.Field, Details: e.Details}
		if e.Index != nil {
			entry.Index = v1.IndexAt(*e.Index)
		}
		a.errors = append(a.errors, entry)
	}
	if !succeeded {
		a.errors = refusal.Received(a.errors, status, c.retryAfter(response.Header))
	}
	return a, nil
}

// retryAfter is how long an answer asks to wait, as seconds or as a date, and 0 if it does not say.
func (c *client) retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(c.clock.Now()))
	}
	return 0
}

// noteLimits keeps the limits that an answer shows, for the headers of the bridge's own answer.
func (a *answer) noteLimits(m *v1.Meta) {
	number := func(name string) (int, bool) {
		n, err := strconv.Atoi(a.header.Get(name))
		return n, err == nil
	}
	if limit, ok := number("X-RateLimit-Limit"); ok {
		remaining, _ := number("X-RateLimit-Remaining")
		after, _ := number("X-RateLimit-Reset-After")
		m.Rate = &v1.RateState{Limit: limit, Remaining: remaining, ResetAfter: time.Duration(after) * time.Second}
	}
	if limit, ok := number("X-StoreLimit-Limit"); ok {
		used, _ := number("X-StoreLimit-Used")
		daily, _ := number("X-StoreLimit-Daily-Limit")
		left, _ := number("X-StoreLimit-Daily-Remaining")
		reset, _ := number("X-StoreLimit-Daily-Reset")
		m.Store = &v1.StoreLimitState{
			OpenLimit: limit, OpenUsed: used, DailyLimit: daily, DailyUsed: daily - left, DailyReset: v1.TimeOf(time.Unix(int64(reset), 0)),
		}
	}
}
