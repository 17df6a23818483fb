package probe

import (
	"strings"

	v1 "sellerd/v1"
	"sellerd/v1/apikey"
)

// ForgedKey is a well-formed key that the service did not make.
func ForgedKey(mode, id string) string {
	return apikey.Assemble(id, mode, strings.Repeat("s", 32)).Text
}

// Remembers says whether the process remembers the row of a key.
func Remembers(s *v1.Service, key string) bool {
	parsed, _ := apikey.Parse(key)
	return s.RemembersKey(parsed.ID)
}
