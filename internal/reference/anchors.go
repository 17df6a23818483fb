package reference

import "strings"

// Anchor is the fragment under which the page shows an operation, by its tag and its id. The page's script says the same.
func Anchor(tag, operationID string) string {
	return "tag/" + strings.ReplaceAll(strings.ToLower(tag), " ", "-") + "/" + operationID
}
