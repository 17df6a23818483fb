package scan

import (
	"strings"
)

// This file evaluates calls that read settings.

// setting evaluates a call that reads a setting by its name, nil when there is none of the name.
func (e *evaluator) setting(args [][]node, object string, st int) []value {
	key := ""
	holder := ""
	if len(args) == 1 && len(args[0]) == 1 && args[0][0].isText() && len(e.file.byHold[object]) > 0 {
		if found := e.lookup(simple(args[0][0].literal()), object, args[0][0].literal(), args[0][0].at, st, true); !isHole(found) {
			return found
		}
	}
	for i := len(args) - 1; i >= 0; i-- { // config.get('section', 'key')
		if len(args[i]) == 1 && args[i][0].isText() && len(args[i][0].parts) == 1 {
			if text := args[i][0].literal(); !strings.Contains(text, "/") && text != "" {
				if key != "" {
					holder = simple(text)
					break
				}
				key = text
			}
		}
	}
	if key == "" || strings.ContainsAny(key, " ?=&") || methodWord(key) != "" {
		return nil
	}
	if len(args[0]) == 0 { // VB may leave an argument out
		return nil
	}
	if len(args) > 1 && len(args[0]) == 1 && args[0][0].isText() { // a default: getenv('BASE', 'https://…')
		if found := e.lookupKey(args[0][0].literal(), "", args[0][0].at, st); found != nil {
			return found
		}
		if values := e.values(args[1], st); literalOf(values) != "" && strings.ContainsAny(literalOf(values), "/.") {
			return values
		}
	}
	return e.lookupKey(key, holder, args[0][0].at, st)
}

// objectOf returns the simplified name of the object of a call, "" for none.
func objectOf(nodes []node, start, at int) string {
	if at < start+2 || !nodes[at-2].isName() {
		return ""
	}
	return simple(nodes[at-2].token.text)
}

// lookupKey returns the values of a setting, nil when there is none.
func (e *evaluator) lookupKey(key, holder string, at, st int) []value {
	if i := strings.LastIndexAny(key, ".:"); i >= 0 && i+1 < len(key) {
		if holder == "" {
			before := key[:i]
			holder = simple(before[strings.LastIndexAny(before, ".:")+1:])
		}
		if found := e.lookup(simple(key), "", key, at, st, true); !isHole(found) {
			return found
		}
		key = key[i+1:]
	}
	if found := e.lookup(simple(key), holder, key, at, st, true); !isHole(found) {
		return found
	}
	return nil
}

func isHole(values []value) bool { return len(values) == 1 && len(values[0]) == 1 && values[0][0].hole }
