package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"sellerd/translate"
	"sellerd/v1"
	"sellerd/v1/refusal"
)

// This file words why there was no answer of /v1.

// retryTrouble is after how long a program may try again, when the service did not answer.
const retryTrouble = 5 * time.Second

// trouble is the error of a request that got no answer of /v1. Its text holds no key, no query and no body.
type trouble struct {
	text string
	err  error
}

func (t *trouble) Error() string { return t.text }
func (t *trouble) Unwrap() error { return t.err }

// trouble makes an error that names the service.
func (c *client) trouble(err error) error {
	return &trouble{"the service at " + c.base + " does not answer: " + reason(err), err}
}

// notAnswered is the error of a request that failed. If the call itself has ended, because its program left or its time is
// up, it is that.
func (c *client) notAnswered(call context.Context, err error) error {
	if call.Err() != nil {
		return context.Cause(call)
	}
	return c.trouble(err)
}

// reason is what is wrong, without the address that was asked for: a query may have personal references.
func reason(err error) string {
	var (
		failed      *url.Error
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		name        *net.DNSError
		plain       tls.RecordHeaderError
	)
	if errors.As(err, &failed) {
		err = failed.Err
	}
	var timed interface{ Timeout() bool }
	switch {
	case errors.As(err, &certificate), errors.As(err, &unknown):
		return "its certificate is not valid, so the key was not sent (" + err.Error() + ")"
	case errors.As(err, &plain):
		return "it does not speak https"
	case errors.As(err, &name):
		return "the name " + name.Name + " is not known to this machine"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return "it took longer than " + attemptLimit.String()
	default:
		return err.Error()
	}
}

// refusalOf is what a program sees of an error. If the call did not end in good order, it says what became of its changes.
func refusalOf(err error, j *journal) v1.Errors {
	var known v1.Errors
	var away *trouble
	switch {
	case errors.As(err, &known):
		if j.carriedOut() == someDone && (known.Status() == http.StatusTooManyRequests || known.Status() >= 500) {
			known = slices.Clone(known)
			known[0].Message += " " + j.outcome()
		}
		return known
	case errors.As(err, &away):
		return unavailable("No answer came from the seller API: " + away.text + ". " + j.outcome())
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable("The call took longer than " + callLimit.String() + ". " + j.outcome() + " What was read is remembered.")
	case errors.Is(err, context.Canceled):
		return unavailable("The bridge ended before the call did. " + j.outcome())
	default:
		return refusal.New(v1.InternalError)
	}
}

// done says what a call has changed.
type done int

const (
	nothingDone done = iota
	someDone
	doneUnknown // a request that changes something had no answer of /v1
)

// carriedOut is what the call has changed so far.
func (j *journal) carriedOut() (most done) {
	for i := range j.requests {
		switch r := &j.requests[i]; {
		case r.Method == http.MethodGet || r.unsent:
		case r.Status == 0 || r.unread:
			return doneUnknown
		case r.Status/100 == 2:
			most = someDone
		}
	}
	return most
}

// outcome says so in words. Creates can be repeated.
func (j *journal) outcome() string {
	text := map[done]string{
		nothingDone: "Nothing was changed.", someDone: "A part of it was carried out.", doneUnknown: "It is not known whether it was carried out.",
	}[j.carriedOut()]
	creates := slices.ContainsFunc(j.requests, func(r Request) bool {
		return r.Method == http.MethodPost && (r.Path == v1.SubmitItem.Pattern || r.Path == v1.SubmitBatch.Pattern)
	})
	if creates && j.carriedOut() != nothingDone {
		text += fmt.Sprintf(" Send the same again within %d hours: nothing is listed twice.", translate.RepeatHours)
	}
	return text
}

// notSent says whether a request failed before it was sent.
func notSent(err error) bool {
	var (
		dial        *net.OpError
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		plain       tls.RecordHeaderError
	)
	return errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &certificate) || errors.As(err, &unknown) || errors.As(err, &plain)
}

// unavailable asks the program to come again later.
func unavailable(message string) v1.Errors {
	all := refusal.Later(v1.ServiceUnavailable, retryTrouble)
	all[0].Message = message
	return all
}
