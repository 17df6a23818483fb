package v1

import (
	"net/http"
	"reflect"
)

// ServeOutside answers a POST that is no operation the way operations are answered: the body is read strictly into in, a
// pointer to an input as operations have it, and what run makes of it goes out in the envelope. The body may have limit
// bytes. Nobody is asked for a key, and nothing is counted or kept.
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
