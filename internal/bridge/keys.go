package bridge

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sellerd/internal/base/pattern"
	"sellerd/v1/apikey"
)

// This file knows keys of the old interface. The service accepts them only on its own /rest, so the seller lists them in a
// file, each with a key of /v1 that stands for it.

// Keys are the keys of /v1 for old keys, by the ids of the old keys.
type Keys map[string]string

// oldKeyForm is the form of an old key.
var oldKeyForm = pattern.Late(`^[A-Za-z0-9]{64}$`)

// oldKeyID is the id of an old key: that which the service gives to it, so that creates have the same idempotency keys. It
// is never that of a key of /v1, which has capitals or letters after f.
func oldKeyID(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:6])
}

// isOldKeyID says whether an id is that of an old key.
func isOldKeyID(id string) bool { return strings.Trim(id, "0123456789abcdef") == "" }

// longestKeys bounds a file of keys, in bytes: some thousand keys.
const longestKeys = 1 << 20

// LoadKeys reads a file of keys. Its errors name lines, and never what they hold. Where files have modes, the file must be
// readable by its owner alone.
func LoadKeys(path string) (Keys, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > longestKeys:
		return nil, fmt.Errorf("%s has more than %d bytes", path, longestKeys)
	}
	if err := checkPrivate(path, info); err != nil {
		return nil, err
	}
	keys, err := ReadKeys(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// ReadKeys reads lines that each have an old key and, behind a blank, a key of /v1. Lines that are empty or begin with #
// mean nothing. Editors and shells of Windows begin a file with a mark, and PowerShell writes UTF-16.
func ReadKeys(r io.Reader) (Keys, error) {
	keys := Keys{}
	lines := bufio.NewScanner(transform.NewReader(r, unicode.BOMOverride(transform.Nop)))
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		fields := strings.Fields(text)
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d must be like OLDKEY dk_live_…", n)
		}
		old, key := fields[0], fields[1]
		if !oldKeyForm().MatchString(old) {
			return nil, fmt.Errorf("line %d: the first word must be an old key, 64 letters and digits", n)
		}
		if _, ok := apikey.Parse(key); !ok {
			return nil, fmt.Errorf("line %d: the second word must be a whole key of /v1, dk_live_… or dk_test_…", n)
		}
		id := oldKeyID(old)
		if _, twice := keys[id]; twice {
			return nil, fmt.Errorf("line %d: the old key is in the file twice", n)
		}
		keys[id] = key
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, errors.New("a line is too long")
		}
		return nil, err
	}
	return keys, nil
}
