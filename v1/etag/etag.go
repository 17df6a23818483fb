// Package etag makes entity tags, and reads the headers that list them: If-Match and If-None-Match (RFC 9110, 8.8.3 and
// 13.1).
package etag

import (
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"strings"
)

// Of is the entity tag of an answer's data.
func Of(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}

// A compressed answer has other bytes, so its entity tag is another: that of the object, with one of these suffixes inside its quotes. No
// tag of an object ends like that. Whoever sends one back means the object.
const (
	Gzip = "~gz"
	Zstd = "~zs"
)

// Compressed is the tag of an answer that is compressed, with the suffix of its coding. A weak tag says nothing about bytes and stays.
func Compressed(tag, suffix string) string {
	if !strings.HasPrefix(tag, `"`) {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + suffix + `"`
}

// ofObject is the tag of the object whose answer has this tag, compressed or not.
func ofObject(tag string) string {
	for _, suffix := range [...]string{Gzip, Zstd} {
		if opaque, compressed := strings.CutSuffix(tag, suffix+`"`); compressed {
			return opaque + `"`
		}
	}
	return tag
}

// Matches says whether a header is * or names the entity tag of an object (RFC 9110, 13.1), or that of its compressed answer. Weak tags
// match only in a weak comparison. The part of a header after its first mistake is ignored.
func Matches(header, etag string, weak bool) bool {
	if header == "*" {
		return etag != ""
	}
	for tag := range All(header) {
		if weak {
			tag = strings.TrimPrefix(tag, "W/")
		}
		if tag == etag {
			return true
		}
	}
	return false
}

// All are the tags of objects that a header names before its first mistake.
func All(header string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			tag, rest, ok := cut(header)
			if !ok || tag == "" || !yield(ofObject(tag)) {
				return
			}
			header = rest
		}
	}
}

// IsList says whether a header is a list of at least one entity tag.
func IsList(header string) bool {
	tag, rest, ok := cut(header)
	if tag == "" {
		return false
	}
	for ok && tag != "" {
		tag, rest, ok = cut(rest)
	}
	return ok
}

// cut returns the first entity tag of a list (RFC 9110, 8.8.3) and the rest, skipping empty elements (5.6.1.2). At the end
// of the list the tag is empty. ok is false if there is something other than a tag, or no comma after it.
func cut(list string) (tag, rest string, ok bool) {
	list = strings.TrimLeft(list, ", \t")
	if list == "" {
		return "", "", true
	}
	opaque, quoted := strings.CutPrefix(strings.TrimPrefix(list, "W/"), `"`)
	end := strings.IndexByte(opaque, '"')
	if !quoted || end < 0 {
		return "", "", false
	}
	for _, character := range []byte(opaque[:end]) {
		if character <= ' ' || character == 0x7f {
			return "", "", false
		}
	}
	rest = strings.TrimLeft(opaque[end+1:], " \t")
	if rest != "" && rest[0] != ',' {
		return "", "", false
	}
	return list[:len(list)-len(opaque)+end+1], rest, true
}
