package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attemptTimeout = 30 * time.Second
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 30 * time.Second
	spareRequests  = 20 // left in the minute's budget for the seller's other programs
)

// apiClient sends requests and repeats those that may succeed later: the network failed, the service failed (5xx), or
// it asked to wait (429, or 409 while the same key is at work). A POST is only repeated under its Idempotency-Key.
type apiClient struct {
	base, key string
	http      *http.Client
	patience  time.Duration // for one request and its repetitions

	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	notice func(string) // shows the user why there is no progress
}

func newAPIClient(base, key string, patience time.Duration, now func() time.Time) (*apiClient, error) {
	if err := checkURL("--base-url", base, exampleBaseURL); err != nil {
		return nil, err
	}
	return &apiClient{
		base: strings.TrimSuffix(base, "/"), key: key, patience: patience,
		// Redirects are not followed: the key must not go to another host.
		http: &http.Client{Timeout: attemptTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		now:  now, sleep: sleep, notice: func(string) {},
	}, nil
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// apiError is an entry of an answer's errors.
type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Index   *int   `json:"index,omitempty"`
}

// apiAnswer is the last answer to a request.
type apiAnswer struct {
	status   int // 0 when there was none
	data     json.RawMessage
	errors   []apiError
	replayed bool
	doubtful bool // an attempt ended without a clear answer, so the request may have been done

	header http.Header
}

// do sends a request until it has a final answer, or until patience or the context ends. The error is nil if there is an
// answer, even an error answer.
func (c *apiClient) do(ctx context.Context, method, path, idempotencyKey string, body []byte) (apiAnswer, error) {
	start, backoff, doubtful := c.now(), firstBackoff, false
	for {
		answer, err := c.attempt(ctx, method, path, idempotencyKey, body)
		if err != nil || answer.status >= 500 {
			doubtful = true
		}
		answer.doubtful = doubtful
		if ctx.Err() != nil {
			return answer, context.Cause(ctx)
		}
		if err == nil && !answer.temporary() {
			return answer, c.pace(ctx, answer)
		}
		wait, asked := answer.retryAfter(c.now())
		if !asked {
			wait = time.Duration(float64(backoff) * (0.5 + rand.Float64())) // many clients must not repeat at the same moment
			backoff = min(2*backoff, longestBackoff)
		}
		if c.now().Add(wait).Sub(start) > c.patience {
			return answer, c.unanswered(err)
		}
		c.notice(fmt.Sprintf("waiting %s: %s", wait.Round(100*time.Millisecond), firstOf(err, answer.failure())))
		if err := c.sleep(ctx, wait); err != nil {
			return answer, err
		}
	}
}

// unanswered is an error with advice for a request that got no answer.
func (c *apiClient) unanswered(err error) error {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("no answer from %s: is the service running, and is --base-url right? (%w)", c.base, failed.Err)
}

func (c *apiClient) attempt(ctx context.Context, method, path, idempotencyKey string, body []byte) (apiAnswer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return apiAnswer{}, err
	}
	request.Header.Set("X-Api-Key", c.key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return apiAnswer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return apiAnswer{}, fmt.Errorf("the answer ended early: %w", err)
	}
	answer := apiAnswer{status: response.StatusCode, header: response.Header, replayed: response.Header.Get("Idempotent-Replayed") == "true"}
	var envelope struct {
		StatusCode int             `json:"status_code"`
		Data       json.RawMessage `json:"data"`
		Errors     []apiError      `json:"errors"`
	}
	err = json.Unmarshal(text, &envelope)
	if answer.status < 500 && (err != nil || envelope.StatusCode != answer.status) {
		return apiAnswer{}, errors.New("what answers at " + c.base + " is not the seller API")
	}
	answer.data, answer.errors = envelope.Data, envelope.Errors
	return answer, nil
}

func (a apiAnswer) temporary() bool {
	return a.status >= 500 || a.status == http.StatusTooManyRequests ||
		a.code() == "idempotency_key_in_progress"
}

// retryAfter is how long the service asks to wait: seconds, or a date.
func (a apiAnswer) retryAfter(now time.Time) (time.Duration, bool) {
	text := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// pace slows down to the rate at which the budget refills before it is used up.
func (c *apiClient) pace(ctx context.Context, answer apiAnswer) error {
	limit, limitErr := strconv.Atoi(answer.header.Get("X-RateLimit-Limit"))
	remaining, remainingErr := strconv.Atoi(answer.header.Get("X-RateLimit-Remaining"))
	if limitErr != nil || remainingErr != nil || limit <= 0 || remaining >= min(spareRequests, limit/2) {
		return nil
	}
	return c.sleep(ctx, time.Minute/time.Duration(limit))
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
