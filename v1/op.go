package v1

import (
	"context"
	"reflect"
)

// Op is an operation together with the types of its input and of its result. The tables list its Operation, which both
// stacks run without knowing either type; code that means one operation uses Call.
type Op[I, O any] struct{ *Operation }

// Call runs the operation for a caller as Run does: with the result, Errors for a refusal, or another error for a failure
// of the service.
func (o Op[I, O]) Call(ctx context.Context, s *Service, c *Call, in *I) (*O, error) {
	return o.Result(o.Run(ctx, s, c, in))
}

// Input is Bind with the type of the input.
func (o Op[I, O]) Input(c *Call, path map[string]string, query string, body []byte) (*I, error) {
	in, err := o.Bind(c, path, query, body)
	if err != nil {
		return nil, err
	}
	return in.(*I), nil
}

// Result gives what Run returned for this operation its type. The result of a failed run is nil.
func (o Op[I, O]) Result(out any, err error) (*O, error) {
	if err != nil {
		return nil, err
	}
	return out.(*O), nil
}

// op binds an endpoint to its method.
func op[I, O any](name, method, pattern string, status int, fn func(*Service, context.Context, *Call, *I) (*O, error), traits ...func(*Operation)) Op[I, O] {
	o := &Operation{
		Name: name, Method: method, Pattern: pattern, Status: status, BodyLimit: itemBodyLimit,
		In: reflect.TypeFor[I](), Out: reflect.TypeFor[O](),
		Since: FirstRelease, KeyedSince: everyKeyRelease, TaggedSince: ConditionalRelease,
	}
	for _, trait := range traits {
		trait(o)
	}
	o.run = func(ctx context.Context, s *Service, c *Call, in any) (any, error) {
		c.sealAnswer = o.AnswersSecret
		out := new(O)
		if !o.recallsLate {
			if replayed, err := s.recall(ctx, c, out); replayed || err != nil {
				return out, err
			}
		}
		result, err := fn(s, ctx, c, in.(*I))
		if err != nil && c.Idempotency != nil { // perhaps a twin was faster, and its answer is ours
			if replayed, recallErr := s.recall(ctx, c, out); replayed || recallErr != nil {
				return out, recallErr
			}
		}
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	return Op[I, O]{o}
}
