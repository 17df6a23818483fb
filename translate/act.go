package translate

import (
	"fmt"
	"net/http"
)

// This file names the acts of the tables: what a POST does to what.

// keyed is a target whose one operation is a POST.
func (t Target) keyed(act string) Target {
	t.Steps[0].Act = act
	return t
}

// checkActs refuses steps of the table that are POSTs without an act, and acts of other methods.
func (t *Target) checkActs() error {
	for i := range t.Steps {
		if step := &t.Steps[i]; (step.Act != "") != (step.Operation.Method == http.MethodPost) {
			return fmt.Errorf("its step %s %s has the act %q: every POST needs one, and nothing else", step.Operation.Method, step.Operation.Pattern, step.Act)
		}
	}
	return nil
}
