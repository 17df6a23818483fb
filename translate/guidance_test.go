package translate

import (
	"slices"
	"strings"
	"testing"
)

func TestACallThatItsReadersCannotShowIsRefused(t *testing.T) {
	byID := map[string]*Call{}
	for _, call := range Calls {
		byID[call.ID] = call
		if err := call.complete(); err != nil {
			t.Errorf("%s: %v", call.ID, err)
		}
	}
	for name, test := range map[string]struct {
		call  string
		spoil func(c *Call)
		want  string
	}{
		"one without a phase":                         {"item", func(c *Call) { c.Guide.Phase = "" }, "no place"},
		"one in the phase that has no calls":          {"item", func(c *Call) { c.Guide.Phase = PhaseOff }, "no place"},
		"one without an operation and a command":      {"server-time", func(c *Call) { c.Guide.Example.V1 = "" }, "a command for /v1"},
		"one with an operation and a command":         {"item", func(c *Call) { c.Guide.Example.V1 = "curl" }, "a command for /v1"},
		"an acknowledgement of nothing in particular": {"item-close", func(c *Call) { c.Guide.Answer = "" }, "acknowledges"},
		"an answer in place of an answer":             {"item", func(c *Call) { c.Guide.Answer = "the item" }, "acknowledges"},
		"one without samples":                         {"item", func(c *Call) { c.Samples = nil }, "no samples"},
		"a window of all there is":                    {"item-buyer", func(c *Call) { c.Paged = true }, "either"},
	} {
		t.Run(name, func(t *testing.T) {
			spoilt := *byID[test.call]
			test.spoil(&spoilt)
			if err := spoilt.complete(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestEveryExceptionIsOfACodeThatThereIs: what cannot come about is promised, or it would need no reason.
func TestEveryExceptionIsOfACodeThatThereIs(t *testing.T) {
	for _, call := range Calls {
		promised := append(call.Codes(), call.EntryCodes()...)
		for _, exception := range call.Never {
			for _, code := range exception.Codes {
				if !slices.Contains(promised, code) || exception.Why == "" {
					t.Errorf("%s: nothing promises %s, which cannot come about because %q", call.ID, code, exception.Why)
				}
			}
		}
	}
}
