package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sellerd/v1/client"
)

// spareRequests are left in the minute's budget for the seller's other programs.
const spareRequests = 20

// apiClient is the client of the commands. Beyond what sellers' clients do, it slows down before the minute's budget is used up, and tells
// the user why there is no progress and what to look at.
type apiClient struct {
	api      *client.Client
	base     string
	patience time.Duration // for one request and its repetitions

	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	notice func(string) // shows the user why there is no progress
}

func newAPIClient(base, key string, patience time.Duration, now func() time.Time) (*apiClient, error) {
	if err := checkURL("--base-url", base, exampleBaseURL); err != nil {
		return nil, err
	}
	c := &apiClient{base: strings.TrimRight(base, "/"), patience: patience, now: now, sleep: client.Sleep, notice: func(string) {}}
	var err error
	c.api, err = client.New(client.Config{
		Key: key, BaseURL: base,
		AllowPlainHTTP: true, // operators use the commands in networks of their own
		Now:            now,
		Sleep:          func(ctx context.Context, d time.Duration) error { return c.sleep(ctx, d) },
		OnRetry: func(wait time.Duration, why *client.Error) {
			reason := why.Cause
			if reason == nil {
				reason = answerOf(why).failure()
			}
			c.notice(fmt.Sprintf("waiting %s: %s", wait.Round(100*time.Millisecond), reason))
		},
	})
	if err != nil {
		return nil, wrongUsage(err.Error()) // about the key or the address
	}
	return c, nil
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
}

// failure describes an answer that is neither a success nor about the rows.
func (a apiAnswer) failure() error {
	if a.status == 0 {
		return nil
	}
	var words []string
	for _, e := range a.errors {
		words = append(words, e.Code+": "+e.Message)
	}
	advice := ""
	switch a.code() {
	case "missing_api_key", "invalid_api_key":
		advice = " Check the key: SELLERD_KEY, or --key"
	case "route_not_found":
		advice = " Is --base-url right?"
	}
	return errors.New(strings.TrimSpace(fmt.Sprintf("the service answered %d %s", a.status, strings.Join(words, "; "))) + advice)
}

// code is the first error's, empty without one.
func (a apiAnswer) code() string {
	if len(a.errors) == 0 {
		return ""
	}
	return a.errors[0].Code
}

func answerOf(failed *client.Error) apiAnswer {
	answer := apiAnswer{status: failed.Status, doubtful: failed.MayBeDone}
	if failed.Code == client.CodeNoAnswer || failed.Code == client.CodeUnexpectedAnswer {
		return answer
	}
	for _, e := range failed.Errors {
		answer.errors = append(answer.errors, apiError{Code: e.Code, Message: e.Message, Field: e.Field, Index: e.Index})
	}
	return answer
}

// do sends a request until it has a final answer, or until patience or the context ends. The error is nil if there is an
// answer, even an error answer.
func (c *apiClient) do(ctx context.Context, method, path, idempotencyKey string, body []byte) (apiAnswer, error) {
	request := client.Request{Method: method, Path: path, IdempotencyKey: idempotencyKey}
	if body != nil {
		request.Body = body
	}
	got, err := c.api.WithDeadline(c.patience).Do(ctx, request)
	if err == nil {
		return apiAnswer{status: got.Status, data: got.Data, replayed: got.Replayed()}, c.pace(ctx, got.Header)
	}
	var failed *client.Error
	if !errors.As(err, &failed) {
		return apiAnswer{}, err
	}
	answer := answerOf(failed)
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case failed.Status == 0:
		return answer, c.unanswered(failed.Cause)
	case failed.Code == client.CodeUnexpectedAnswer && failed.Status < http.StatusInternalServerError:
		return apiAnswer{doubtful: true}, errors.New("what answers at " + c.base + " is not the seller API")
	}
	return answer, c.pace(ctx, failed.Header)
}

// unanswered is an error with advice for a request that got no answer.
func (c *apiClient) unanswered(err error) error {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("no answer from %s: is the service running, and is --base-url right? (%w)", c.base, failed.Err)
}

// pace slows down to the rate at which the budget refills before it is used up.
func (c *apiClient) pace(ctx context.Context, header http.Header) error {
	limit, limitErr := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	remaining, remainingErr := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	if limitErr != nil || remainingErr != nil || limit <= 0 || remaining >= min(spareRequests, limit/2) {
		return nil
	}
	return c.sleep(ctx, time.Minute/time.Duration(limit))
}
