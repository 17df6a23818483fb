package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/term"
)

const (
	// receiverTimeout is how long the listener waits for the receiver's answer: as long as the service does.
	receiverTimeout = 20 * time.Second
	// longestReceiverWait is short, because a developer is working on the receiver.
	longestReceiverWait = 5 * time.Second
	answerReadAtMost    = 64 << 10
	deliveriesAPage     = 200
)

// loggedDelivery is a line of the service's log of deliveries.
type loggedDelivery struct {
	ID          string    `json:"id"`
	EventID     string    `json:"event_id"`
	EventType   string    `json:"event_type"`
	Attempt     int       `json:"attempt"`
	Trigger     string    `json:"trigger"`
	ScheduledAt time.Time `json:"scheduled_at"`
	RequestBody *string   `json:"request_body"` // null when the event is no longer kept
}

// deliveryPage is a page of the log, the newest first.
type deliveryPage struct {
	Results    []loggedDelivery `json:"results"`
	NextCursor string           `json:"next_cursor"` // empty at the end
}

// poll forwards new deliveries, the oldest first. The log begins with the newest, so poll walks to its end and reads the
// pages again on the way back. So a backlog of weeks needs little memory.
func (l *listener) poll(ctx context.Context) error {
	newest, err := l.page(ctx, l.state.since(), "")
	if err != nil {
		return err
	}
	if l.state.setBack(l.earliest()) {
		l.unsaved = true
		if newest, err = l.page(ctx, l.state.since(), ""); err != nil {
			return err
		}
	}
	since := l.state.since() // changes while the pages are forwarded
	var cursors []string
	for next := newest.NextCursor; next != ""; {
		page, err := l.page(ctx, since, next)
		if err != nil {
			return err
		}
		cursors = append(cursors, next)
		next = page.NextCursor
	}
	for _, cursor := range slices.Backward(cursors) {
		page, err := l.page(ctx, since, cursor)
		if err != nil {
			return err
		}
		if err := l.forwardPage(ctx, page); err != nil {
			return err
		}
	}
	if err := l.forwardPage(ctx, newest); err != nil {
		return err
	}
	return l.saveInTime()
}

// earliest is the earliest time that the service's clock may have shown since the last poll. If the clock was not set, this
// is the time of that poll. After a long wait for the receiver it also covers a step back that the clock has made up for
// since.
func (l *listener) earliest() time.Time {
	now := l.client.now()
	waited := now.Sub(l.looked)
	if l.looked.IsZero() {
		waited = 0
	}
	l.looked = now
	return l.served.Add(-max(0, waited))
}

func (l *listener) page(ctx context.Context, since time.Time, after string) (page deliveryPage, err error) {
	query := url.Values{
		"webhook_id":   {l.state.Webhook},
		"created_from": {since.UTC().Format(time.RFC3339Nano)},
		"limit":        {strconv.Itoa(deliveriesAPage)},
	}
	if after != "" {
		query.Set("after", after)
	}
	return page, l.call(ctx, http.MethodGet, "/v1/webhook-deliveries?"+query.Encode(), nil, &page)
}

// forwardPage forwards the new deliveries of a page. The first attempt stands for its event, and for each redelivery and
// test; further attempts are the service's own repetitions, if the subscription was resumed.
func (l *listener) forwardPage(ctx context.Context, page deliveryPage) error {
	for _, d := range slices.Backward(page.Results) {
		if _, done := l.state.Forwarded[d.ID]; done || d.Attempt != 1 || d.RequestBody == nil {
			continue
		}
		if err := l.forward(ctx, &d); err != nil {
			return err
		}
		l.state.forwarded(&d, l.served)
		l.unsaved = true
		if err := l.saveInTime(); err != nil {
			return err
		}
	}
	return nil
}

// forward sends one event until the receiver has accepted or finally rejected it. An unchanged failure is printed once.
func (l *listener) forward(ctx context.Context, d *loggedDelivery) error {
	printed := ""
	for wait := firstBackoff; ; wait = min(2*wait, longestReceiverWait) {
		began := l.client.now()
		outcome, final := l.attempt(ctx, d)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if final || outcome != printed {
			l.console.event(began, d, outcome, l.client.now().Sub(began), final)
		}
		if final {
			return nil
		}
		printed = outcome
		if err := l.saveInTime(); err != nil {
			return err
		}
		if err := l.client.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// attempt sends one event once, and returns the outcome and whether it is final.
func (l *listener) attempt(ctx context.Context, d *loggedDelivery) (outcome string, final bool) {
	body := []byte(*d.RequestBody)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.command.ForwardTo, bytes.NewReader(body))
	if err != nil {
		return err.Error(), true
	}
	at := l.client.now()
	signature, err := l.signer.Sign(d.EventID, at, body)
	if err != nil {
		return err.Error(), true
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "sellerd-listen/1")
	request.Header.Set(standardwebhooks.HeaderWebhookID, d.EventID)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	response, err := l.receiver.Do(request)
	if err != nil {
		return inWords(err), false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, answerReadAtMost)) // only the status matters
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return strconv.Itoa(response.StatusCode), false
	}
	return strconv.Itoa(response.StatusCode), true
}

// inWords describes why there was no answer.
func inWords(err error) string {
	var failed *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &failed) && failed.Timeout():
		return fmt.Sprintf("no answer within %s", receiverTimeout)
	case errors.As(err, &failed):
		return failed.Err.Error()
	}
	return err.Error()
}

// console prints the events and their outcomes, in colour if the terminal allows it.
type console struct {
	out      io.Writer
	coloured bool
	troubled string // the trouble that was printed last
}

func newConsole(out *os.File) *console {
	coloured := term.IsTerminal(int(out.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return &console{out: out, coloured: coloured}
}

// The colours, as terminals know them.
const (
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (c *console) paint(colour, text string) string {
	if !c.coloured {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func (c *console) say(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }

// greet prints what the receiver needs: the secret and the target.
func (c *console) greet(target string, state listenState) {
	c.say("Events are forwarded to %s, signed with", target)
	c.say("\n  %s\n", state.Secret)
	c.say("%s", c.paint(dim, "The subscription is "+state.Webhook+". Ctrl-C ends."))
}

// event prints an event and the receiver's answer in one line.
func (c *console) event(at time.Time, d *loggedDelivery, outcome string, took time.Duration, final bool) {
	var of struct {
		Resource struct {
			Type, ID string
			Sequence int64
		}
	}
	_ = json.Unmarshal([]byte(*d.RequestBody), &of) // without it the line has less
	colour, more := red, ""
	switch {
	case !final:
		more = ", trying again"
	case strings.HasPrefix(outcome, "2"):
		colour = green
	}
	if d.Trigger != "automatic" {
		more += ", " + d.Trigger
	}
	resource := fmt.Sprintf("%s %s #%d", of.Resource.Type, of.Resource.ID, of.Resource.Sequence)
	c.say("%s  %-16s  %-22s  %s  %d ms%s", c.paint(dim, at.Local().Format(time.TimeOnly)), d.EventType, resource, c.paint(colour, outcome), took.Milliseconds(), more)
}

// trouble prints once why no events come from the service.
func (c *console) trouble(text string) {
	_, reason, _ := strings.Cut(text, ": ") // the part before says how long this wait is
	if reason == c.troubled {
		return
	}
	c.troubled = reason
	c.say("%s", c.paint(yellow, "Waiting for the service: "+reason))
}

// recovered prints that the trouble is over.
func (c *console) recovered() {
	if c.troubled != "" {
		c.troubled = ""
		c.say("%s", c.paint(yellow, "The service answers again."))
	}
}
