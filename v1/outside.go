package v1

import (
	"net/http"
	"reflect"
)

// ServeOutside answers a POST that is not an operation in the way of an operation: it reads the body strictly into in, a
// pointer to an operation's input, and writes the result of run in the envelope. limit is the largest body in bytes. There
// is no key, no rate limit, and nothing is stored.
func (s *Service) ServeOutside(w http.ResponseWriter, r *http.Request, limit int64, in any, run func() (any, error)) {
	o := &Operation{Method: http.MethodPost, BodyLimit: limit, In: reflect.TypeOf(in).Elem()}
	c := &Call{}
	c.Meta.Status = http.StatusOK
	err := s.decode(r, w, o, c, in)
	if err == nil {
		err = c.Problems.Err()
	}
	var out any
	if err == nil {
		out, err = run()
	}
	if err != nil {
		s.refuse(w, r, c, err)
		return
	}
	s.succeed(w, r, o, c, out)
}
