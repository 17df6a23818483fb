// Package apiclient is the client of the commands. Beyond what sellers' clients do, it slows down before the minute's budget is used up,
// and tells the user why there is no progress and what to look at.
package apiclient

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

// Client sends requests to the seller API.
type Client struct {
	Base     string
	Patience time.Duration // for one request and its repetitions
	Language string        // of messages and names, by default English

	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error
	Notice func(string) // shows the user why there is no progress

	api *client.Client
	key string
}

// New returns a client. Its error is about the key or the address.
func New(base, key string, patience time.Duration, now func() time.Time) (c *Client, err error) {
	c = &Client{Base: strings.TrimRight(base, "/"), Patience: patience, Now: now, Sleep: client.Sleep, Notice: func(string) {}, key: strings.TrimSpace(key)}
	c.api, err = client.New(client.Config{
		Key: key, BaseURL: base,
		AllowPlainHTTP: true, // operators use the commands in networks of their own
		Now:            now,
		Sleep:          func(ctx context.Context, d time.Duration) error { return c.Sleep(ctx, d) },
		OnRetry: func(wait time.Duration, why *client.Error) {
			reason := why.Cause
			if reason == nil {
				reason = answerOf(why).Failure()
			}
			c.Notice(fmt.Sprintf("waiting %s: %s", wait.Round(100*time.Millisecond), reason))
		},
	})
	return c, err
}

// KeyID is the public part of the key.
func (c *Client) KeyID() string { return part(c.key, 2) }

// Mode is the key's: live or test.
func (c *Client) Mode() string { return part(c.key, 1) }

func part(key string, n int) string {
	if parts := strings.Split(key, "_"); len(parts) > n {
		return parts[n]
	}
	return ""
}

// Error is an entry of an answer's errors.
type Error = client.Entry

// Answer is the last answer to a request.
type Answer struct {
	Status   int         // 0 when there was none
	Header   http.Header // of a success
	Data     json.RawMessage
	Errors   []Error
	Replayed bool
	Doubtful bool // an attempt ended without a clear answer, so the request may have been done
}

// Failure describes an answer that is neither a success nor about the rows.
func (a Answer) Failure() error {
	if a.Status == 0 {
		return nil
	}
	var words []string
	for _, e := range a.Errors {
		words = append(words, e.Code+": "+e.Message)
	}
	advice := ""
	switch a.Code() {
	case "missing_api_key", "invalid_api_key":
		advice = " Check the key: SELLERD_KEY, or --key"
	case "permission_denied":
		advice = " Use a key that has it: SELLERD_KEY, or --key"
	case "route_not_found":
		advice = " Is --base-url right?"
	}
	return errors.New(strings.TrimSpace(fmt.Sprintf("the service answered %d %s", a.Status, strings.Join(words, "; "))) + advice)
}

// Code is the first error's, empty without one.
func (a Answer) Code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Code
}

func answerOf(failed *client.Error) Answer {
	answer := Answer{Status: failed.Status, Doubtful: failed.MayBeDone}
	if failed.Code != client.CodeNoAnswer && failed.Code != client.CodeUnexpectedAnswer {
		answer.Errors = failed.Errors
	}
	return answer
}

// Do sends a request until it has a final answer, or until patience or the context ends. The error is nil if there is an
// answer, even an error answer.
func (c *Client) Do(ctx context.Context, method, path, idempotencyKey string, body []byte) (Answer, error) {
	request := client.Request{Method: method, Path: path, IdempotencyKey: idempotencyKey}
	if body != nil {
		request.Body = body
	}
	if c.Language != "" {
		request.Header = http.Header{"Accept-Language": {c.Language}}
	}
	got, err := c.api.WithDeadline(c.Patience).Do(ctx, request)
	if err == nil {
		return Answer{Status: got.Status, Header: got.Header, Data: got.Data, Replayed: got.Replayed()}, c.pace(ctx, got.Header)
	}
	var failed *client.Error
	if !errors.As(err, &failed) {
		return Answer{}, err
	}
	answer := answerOf(failed)
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case failed.Status == 0:
		return answer, c.unanswered(failed.Cause)
	case failed.Code == client.CodeUnexpectedAnswer && failed.Status < http.StatusInternalServerError:
		return Answer{Doubtful: true}, errors.New("what answers at " + c.Base + " is not the seller API")
	}
	return answer, c.pace(ctx, failed.Header)
}

// Get reads data of the service. The status is 0 without an answer.
func (c *Client) Get(ctx context.Context, path string, out any) (status int, err error) {
	answer, err := c.Do(ctx, http.MethodGet, path, "", nil)
	switch {
	case err != nil:
		return 0, err
	case answer.Status != http.StatusOK:
		return answer.Status, answer.Failure()
	}
	if err = json.Unmarshal(answer.Data, out); err != nil {
		err = fmt.Errorf("read the answer: %w", err)
	}
	return answer.Status, err
}

// Walk reads a list to its end. It passes the results of each page.
func Walk[T any](ctx context.Context, c *Client, path string, query url.Values, pass func(results []T) error) error {
	for {
		var page struct {
			Results    []T    `json:"results"`
			NextCursor string `json:"next_cursor"`
		}
		if _, err := c.Get(ctx, path+"?"+query.Encode(), &page); err != nil {
			return err
		}
		if err := pass(page.Results); err != nil || page.NextCursor == "" {
			return err
		}
		query.Set("after", page.NextCursor)
	}
}

// unanswered is an error with advice for a request that got no answer.
func (c *Client) unanswered(err error) error {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("no answer from %s: is the service running, and is --base-url right? (%w)", c.Base, failed.Err)
}

// pace slows down to the rate at which the budget refills before it is used up.
func (c *Client) pace(ctx context.Context, header http.Header) error {
	limit, limitErr := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	remaining, remainingErr := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	if limitErr != nil || remainingErr != nil || limit <= 0 || remaining >= min(spareRequests, limit/2) {
		return nil //nolint:nilerr // an answer without these headers asks for no pace
	}
	return c.Sleep(ctx, time.Minute/time.Duration(limit))
}
