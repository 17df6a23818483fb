package translate

import (
	"fmt"
	"net/http"
)

// This file has the acts of the tables: what a POST does to which object. Printed requests make their Idempotency-Key of them.

// keyed adds an act to a target whose only operation is a POST.
func (t Target) keyed(act string) Target {
	t.Steps[0].Act = act
	return t
}

// checkActs rejects a POST without an act, and an act on any other method.
func (t *Target) checkActs() error {
	for i := range t.Steps {
		if step := &t.Steps[i]; (step.Act != "") != (step.Operation.Method == http.MethodPost) {
			return fmt.Errorf("its step %s %s has the act %q: every POST needs one, and nothing else", step.Operation.Method, step.Operation.Pattern, step.Act)
		}
	}
	return nil
}
