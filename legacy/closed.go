package legacy

import (
	"context"
	"errors"
	"net/http"

	"sellerd/v1"
)

// Closed puts the interface before another handler, as Mount does, but refuses every request with an error: for a program that cannot
// serve yet. It asks no API.
func Closed(next http.Handler, c Config, err error) (http.Handler, error) {
	c.API = closed{}
	h, unfit := New(c)
	if unfit != nil {
		return nil, unfit
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !under(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		x, _, _ := h.begin(w, r)
		if x.retired() {
			x.refuse(x.retirement())
			return
		}
		x.refuse(err)
	}), nil
}

// closed is the API of a handler that only refuses.
type closed struct{ API }

// Refusal implements API.
func (closed) Refusal(_ context.Context, err error) (known v1.Errors) {
	errors.As(err, &known)
	return known
}
