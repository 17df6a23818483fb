package seller

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
	"time"

	"sellerd/internal/command"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/term"
)

const (
	// receiverTimeout is how long the listener waits for the receiver's answer: as long as the service does.
	receiverTimeout   = 20 * time.Second
	firstReceiverWait = 500 * time.Millisecond
	// longestReceiverWait is short, because a developer is working on the receiver.
	longestReceiverWait = 5 * time.Second
	answerReadAtMost    = 64 << 10
	eventsAPage         = 200
)

// feedEvent is an event of the feed.
type feedEvent struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Resource struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Sequence int64  `json:"sequence"`
	} `json:"resource"`

	body []byte // as it came
}

// eventPage is a page of the feed.
type eventPage struct {
	Results    []json.RawMessage `json:"results"`
	NextCursor string            `json:"next_cursor"`
}

// poll forwards the next page of the feed, and says how many events it has.
func (l *listener) poll(ctx context.Context) (found int, err error) {
	page, err := l.page(ctx)
	if err != nil {
		return 0, err
	}
	for _, body := range page.Results {
		event := feedEvent{body: body}
		if err := json.Unmarshal(body, &event); err != nil {
			return 0, fmt.Errorf("read an event: %w", err)
		}
		if !l.wants(event.Type) || slices.Contains(l.state.Forwarded, event.ID) {
			continue
		}
		if err := l.forward(ctx, &event); err != nil {
			return 0, err
		}
		l.state.Forwarded, l.unsaved = append(l.state.Forwarded, event.ID), true
		if err := l.saveInTime(); err != nil {
			return 0, err
		}
	}
	l.unsaved = l.unsaved || l.state.Cursor != page.NextCursor
	l.state.Cursor, l.state.Forwarded = page.NextCursor, nil
	return len(page.Results), l.saveInTime()
}

// page reads the next page. If what follows the cursor is no longer kept, it begins with the oldest event.
func (l *listener) page(ctx context.Context) (page eventPage, err error) {
	query := url.Values{"limit": {strconv.Itoa(eventsAPage)}, "wait": {strconv.Itoa(l.wait)}}
	if l.state.Cursor != "" {
		query.Set("after", l.state.Cursor)
	}
	if !l.state.From.IsZero() {
		query.Set("created_from", l.state.From.UTC().Format(time.RFC3339Nano))
	}
	err = l.call(ctx, http.MethodGet, "/v1/events?"+l.leavesOut(query).Encode(), &page)
	var refused *refusedRequest
	if errors.As(err, &refused) && refused.code == "cursor_mismatch" {
		return page, command.Wrong("the place in %s belongs to other --not-key-id or --changed: give the same ones again, or delete the file", l.flags.State)
	}
	if errors.As(err, &refused) && refused.code == "cursor_expired" {
		l.console.say("%s", l.console.paint(yellow, "Some events are no longer kept. It goes on with the oldest one."))
		l.state.Cursor = ""
		return l.page(ctx)
	}
	return page, err
}

// wants says whether an event is one of those that the command names.
func (l *listener) wants(event string) bool {
	family, _, _ := strings.Cut(event, ".")
	return slices.ContainsFunc(l.flags.Events, func(name string) bool { return name == "*" || name == event || name == family+".*" })
}

// forward sends one event until the receiver has accepted or finally rejected it. An unchanged failure is printed once.
func (l *listener) forward(ctx context.Context, e *feedEvent) error {
	printed := ""
	for wait := firstReceiverWait; ; wait = min(2*wait, longestReceiverWait) {
		began := l.client.Now()
		outcome, final := l.attempt(ctx, e)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if final || outcome != printed {
			l.console.event(began, e, outcome, l.client.Now().Sub(began), final)
		}
		if final {
			return nil
		}
		printed = outcome
		if err := l.saveInTime(); err != nil {
			return err
		}
		if err := l.client.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// attempt sends one event once, and returns the outcome and whether it is final.
func (l *listener) attempt(ctx context.Context, e *feedEvent) (outcome string, final bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.flags.ForwardTo, bytes.NewReader(e.body))
	if err != nil {
		return err.Error(), true
	}
	at := l.client.Now()
	signature, err := l.signer.Sign(e.ID, at, e.body)
	if err != nil {
		return err.Error(), true
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "sellerd-listen/1")
	// Not by Set, so that the names are spelled like those of the service's own deliveries.
	request.Header[standardwebhooks.HeaderWebhookID] = []string{e.ID}
	request.Header[standardwebhooks.HeaderWebhookTimestamp] = []string{strconv.FormatInt(at.Unix(), 10)}
	request.Header[standardwebhooks.HeaderWebhookSignature] = []string{signature}
	response, err := l.receiver.Do(request)
	if err != nil {
		return command.WhyNoAnswer(err, receiverTimeout), false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, answerReadAtMost)) // only the status matters
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return strconv.Itoa(response.StatusCode), false
	}
	return strconv.Itoa(response.StatusCode), true
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
	c.say("%s", c.paint(dim, "Ctrl-C ends."))
}

// event prints an event and the receiver's answer in one line.
func (c *console) event(at time.Time, e *feedEvent, outcome string, took time.Duration, final bool) {
	colour, more := red, ""
	switch {
	case !final:
		more = ", trying again"
	case strings.HasPrefix(outcome, "2"):
		colour = green
	}
	resource := fmt.Sprintf("%s %s #%d", e.Resource.Type, e.Resource.ID, e.Resource.Sequence)
	c.say("%s  %-16s  %-22s  %s  %d ms%s", c.paint(dim, at.Local().Format(time.TimeOnly)), e.Type, resource, c.paint(colour, outcome), took.Milliseconds(), more)
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
