package v1

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

	"sellerd/internal/crash"
)

// How much of an answer is read, and how much of it is kept.
const (
	maxAnswerRead = 64 << 10
	maxAnswerKept = 4 << 10
)

// unreadRest is how long an event waits that could not be read.
const unreadRest = time.Second

// longestAttempt is how long an attempt can take: the timeout of OutboundConfig.
const longestAttempt = 20 * time.Second

// The longest rest that a receiver can ask for, and the shortest that it gets (contract, section 6).
const (
	leastRest = time.Minute
	mostRest  = 24 * time.Hour
)

// send makes one attempt and notes what came of it. It decides nothing.
func (s *Service) send(ctx context.Context, a *attempt) {
	// Uptime does not count while the whole machine sleeps, the clock may be set: either may tell.
	if most := deliveryLease - longestAttempt; s.Uptime()-a.claimed > most || s.now().Sub(a.sentAt) > most {
		a.errorCode = deliveryInterrupted // this worker stood still for so long that another one may send it
		return
	}
	if a.unread { // the database is away, and takes what became of this when it is back
		a.errorCode, a.retryAfter = deliveryInterrupted, unreadRest
		return
	}
	if a.body == "" { // its event was purged while it was claimed
		a.errorCode, a.retryAfter = deliveryInterrupted, deliveryWaits[0]
		return
	}
	if a.untold {
		a.errorCode = "blocked_target" // its format is not spoken any more
		return
	}
	began := s.Clock.Now()
	defer func() { a.took = s.Clock.Now().Sub(began) }()
	request, err := s.deliveryRequest(ctx, a)
	if err != nil {
		a.errorCode = "blocked_target" // the address was accepted once and cannot be understood any more
		return
	}
	a.headers = request.Header
	response, err := s.Webhooks.Do(request)
	if err != nil {
		a.errorCode = OutboundErrorCode(err)
		return
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerRead+1))
	crash.At(crash.AfterSend)
	if len(body) > maxAnswerRead {
		err = ErrResponseTooLarge
	}
	a.answer, a.truncated = body[:min(len(body), maxAnswerKept)], len(body) > maxAnswerKept
	switch {
	case a.status/100 == 3:
		a.errorCode = "redirect"
	case a.status/100 != 2:
		a.errorCode = "http_status"
		a.retryAfter = s.restAsked(response)
	case err != nil:
		a.errorCode = OutboundErrorCode(err)
	}
}

// deliveryRequest is what a receiver gets: the event's bytes, signed as Standard Webhooks has it, with every live secret.
func (s *Service) deliveryRequest(ctx context.Context, a *attempt) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, strings.NewReader(a.body))
	if err != nil {
		return nil, err
	}
	at := s.Clock.Now()
	id := EventID(a.event).String()
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
	h.Set("Content-Type", cmp.Or(a.contentType, contentTypeJSON))
	h.Set("User-Agent", "sellerd-webhooks/1")
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return request, nil
}

// restAsked is how long a receiver that is overloaded or down wants to be left alone; 0 for other answers.
func (s *Service) restAsked(response *http.Response) time.Duration {
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
		asked = at.Sub(s.Clock.Now())
	}
	return min(max(asked, leastRest), mostRest)
}
