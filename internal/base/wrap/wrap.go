// Package wrap says in an error what failed.
package wrap

import "fmt"

// Err is an error with what failed before it, as "load item 7: …". It is nil for a nil error, so that a function can end with it.
func Err(err error, what string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(what, args...), err)
}
