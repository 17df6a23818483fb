package gate

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
)

// callName is the member of an answer of /rest that names the call.
const callName = "Notification_Type"

// calls are the names of calls in a released document of /rest and in a newer one.
type calls struct {
	released *openapi3.T
	added    map[string]bool // names of calls that the released document lacks
}

func newCalls(released, newer *openapi3.T) calls {
	c := calls{released, map[string]bool{}}
	known := map[string]bool{}
	for path, item := range newer.Paths.Map() {
		for method, operation := range item.Operations() {
			names := known
			if operationAt(released, path, method) == nil {
				names = c.added
			}
			for status := range operation.Responses.Map() {
				if succeeded(status) {
					for _, name := range namesIn(operation, status) {
						names[name] = true
					}
				}
			}
		}
	}
	for name := range known {
		delete(c.added, name)
	}
	return c
}

// names recognises the name of an added call in errors that any call may return. Errors of a single call, and successes,
// keep their names: a program gets no name there that it does not know.
func (c calls) names(change checker.Change) bool {
	args := change.GetArgs()
	if change.GetId() != "response-property-enum-value-added" || len(args) < 3 || args[1] != callName {
		return false
	}
	name, _ := args[0].(string)
	status, _ := args[2].(string)
	operation := operationAt(c.released, change.GetPath(), change.GetOperation())
	return c.added[name] && operation != nil && !succeeded(status) && len(namesIn(operation, status)) > 1
}

func succeeded(status string) bool { return strings.HasPrefix(status, "2") }

func operationAt(spec *openapi3.T, path, method string) *openapi3.Operation {
	item := spec.Paths.Value(path)
	if item == nil {
		return nil
	}
	return item.GetOperation(method)
}

// namesIn are the names of calls that an operation's answers of a status carry.
func namesIn(operation *openapi3.Operation, status string) (names []string) {
	response := operation.Responses.Value(status)
	if response == nil || response.Value == nil {
		return nil
	}
	for _, media := range response.Value.Content {
		if media.Schema == nil || media.Schema.Value.Properties[callName] == nil {
			continue
		}
		for _, value := range media.Schema.Value.Properties[callName].Value.Enum {
			if name, ok := value.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}
