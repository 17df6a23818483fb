package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/ent"
	"sellerd/internal/crash"
	"sellerd/v1/outbound"
	"sellerd/v1/wire"
)

// jsonType is the content type of events in the standard format.
const jsonType = "application/json"

// How much of an answer is read, and how much of it is kept.
const (
	maxAnswerRead = 64 << 10
	maxAnswerKept = 4 << 10
)

// Send makes one attempt and notes what came of it. It decides nothing.
func (e *Engine) Send(ctx context.Context, a *Attempt) {
	// Uptime does not count while the whole machine sleeps, the clock may be set: either may tell.
	stoodStill := e.config.Uptime()-a.claimedUptime > deliveryLease-longestAttempt || e.now().Sub(a.claimedAt) > deliveryLease-longestAttempt
	switch {
	case stoodStill: // for so long that another worker may send it
		a.interrupt(0)
		return
	case a.unread: // the database is away, and takes what became of this when it is back
		a.interrupt(unreadRest)
		return
	case a.body == "": // its event was purged while it was claimed
		a.interrupt(deliveryWaits[0])
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

// request is what a receiver gets: the event's bytes, signed as Standard Webhooks has it, with every live secret.
func (e *Engine) request(ctx context.Context, a *Attempt) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, strings.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	at := e.config.Clock.Now()
	id := wire.EventID(a.event).String()
	signatures := make([]string, len(a.secrets))
	for i, secret := range a.secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, fmt.Errorf("webhook %d: %w", a.webhook, err)
		}
		if signatures[i], err = signer.Sign(id, at, []byte(a.body)); err != nil {
			return nil, fmt.Errorf("webhook %d: %w", a.webhook, err)
		}
	}
	h := request.Header
	h.Set("Content-Type", cmp.Or(a.contentType, jsonType))
	h.Set("User-Agent", "sellerd-webhooks/1")
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return request, nil
}

// liveSecrets are a webhook's secrets that sign now, newest first.
func (e *Engine) liveSecrets(row *ent.Webhook) ([]string, error) {
	secret, err := e.config.Unseal(row.ID, row.Secret)
	if err != nil {
		return nil, err
	}
	secrets := []string{secret}
	if row.PreviousSecretUntil != nil && wire.Time(*row.PreviousSecretUntil) > e.now() && len(row.PreviousSecret) > 0 {
		previous, err := e.config.Unseal(row.ID, row.PreviousSecret)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, previous)
	}
	return secrets, nil
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
