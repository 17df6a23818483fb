package v1

import "strings"

// ForgedKey is a key that looks right and that nobody has been given.
func ForgedKey(mode, id string) string {
	body := keyPrefix + mode + "_" + id + "_" + strings.Repeat("s", keySecretLength)
	return body + keyChecksum(body)
}
