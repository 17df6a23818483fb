package bridge

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"time"

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

// refusalOf is what a program sees of an error.
func refusalOf(err error) v1.Errors {
	var known v1.Errors
	var away *trouble
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &away):
		return unavailable("No answer came from the seller API: " + away.text + ". It is not known whether the request was carried out.")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unavailable("The call took longer than " + callLimit.String() + ". What it read so far is remembered.")
	default:
		return refusal.New(v1.InternalError)
	}
}

// unavailable asks the program to come again later.
func unavailable(message string) v1.Errors {
	all := refusal.Later(v1.ServiceUnavailable, retryTrouble)
	all[0].Message = message
	return all
}
