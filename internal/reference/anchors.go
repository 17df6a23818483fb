package reference

import "strings"

// Anchor is the fragment of an operation in the page, by its tag and its id. The page's script uses the same form.
func Anchor(tag, operationID string) string {
	return "tag/" + strings.ReplaceAll(strings.ToLower(tag), " ", "-") + "/" + operationID
}
