package delivery

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

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
