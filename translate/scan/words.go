package scan

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sellerd/translate/source"
)

// This file reads words.txt. What the scan knows of languages, clients and frameworks stands there, each word with its reason.

//go:embed words.txt
var wordsText string

// vocabulary are words by their meaning, with the second word of meanings that have one; begins are beginnings of words.
type vocabulary struct{ whole, begins map[string]string }

// words are the words by their meanings.
var words = sync.OnceValue(func() map[string]*vocabulary {
	all := map[string]*vocabulary{}
	for line := range strings.Lines(wordsText) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0][0] == '#' {
			continue
		}
		meaning, value, word := fields[0], "", fields[1]
		switch meaning {
		case "file", "implies", "method", "option", "runs":
			value, word = fields[1], fields[2]
		}
		if meaning != "option" {
			word = strings.ToLower(word)
		}
		if all[meaning] == nil {
			all[meaning] = &vocabulary{map[string]string{}, map[string]string{}}
		}
		if begin, ok := strings.CutSuffix(word, "*"); ok {
			all[meaning].begins[begin] = value
		} else {
			all[meaning].whole[word] = value
		}
	}
	return all
})

// has says whether a name, in small letters, has a meaning.
func has(meaning, name string) bool {
	_, ok := meaningOf(meaning, name)
	return ok
}

// meaningOf returns the value of a name.
func meaningOf(meaning, name string) (string, bool) {
	v := words()[meaning]
	if value, ok := v.whole[name]; ok {
		return value, true
	}
	for begin, value := range v.begins {
		if strings.HasPrefix(name, begin) {
			return value, true
		}
	}
	return "", false
}

// wordsOf splits a name where its case changes, and at what is no letter: CURLOPT_POST is curlopt and post, rmGET is rm and get.
func wordsOf(name string) (parts []string) {
	from := 0
	cut := func(to int) {
		if to > from {
			parts = append(parts, strings.ToLower(name[from:to]))
		}
		from = to
	}
	upper := func(i int) bool { return i >= 0 && i < len(name) && name[i] >= 'A' && name[i] <= 'Z' }
	lower := func(i int) bool { return i >= 0 && i < len(name) && name[i] >= 'a' && name[i] <= 'z' }
	for i := range len(name) {
		switch {
		case !source.IsWord(name[i]) || name[i] == '_' || name[i] >= '0' && name[i] <= '9':
			cut(i)
			from = i + 1
		case upper(i) && (lower(i-1) || upper(i-1) && lower(i+1)):
			cut(i)
		}
	}
	cut(len(name))
	return parts
}

// anyText is the kind of files whose language is not known. They are read if they name a host of the service.
const anyText = "any"

// kindOf returns how a file is read: a family of languages, or page, json, http or lines. It is "" for documents
// and for files whose names say nothing. head is its beginning.
func kindOf(name string, head []byte) string {
	base := strings.ToLower(filepath.Base(name))
	whole, isWhole := meaningOf("file", base)
	byEnd := words()["file"].whole[filepath.Ext(base)]
	switch {
	case isWhole:
		return whole
	case strings.HasSuffix(filepath.Dir(name), "cron.d"):
		return "shell"
	case byEnd != "":
		return byEnd
	case strings.Contains(base, "access.log") || strings.Contains(base, "access_log"):
		return "lines"
	case has("text", filepath.Ext(base)):
		return ""
	case filepath.Ext(base) != "":
		return anyText
	}
	line, _, _ := strings.Cut(strings.ToLower(string(head)), "\n")
	for _, word := range wordsOf(line) {
		if kind, ok := meaningOf("runs", word); ok && strings.HasPrefix(line, "#!") {
			return kind
		}
	}
	return ""
}

// isTest says whether a file is a test, by its name and its folders.
func isTest(name string) bool {
	base, extension := filepath.Base(name), filepath.Ext(name)
	parts := wordsOf(strings.TrimSuffix(base, extension))
	if n := len(parts); n > 1 && (parts[0] == "test" || has("test", parts[n-1])) || extension == ".t" || has("test", base) {
		return true
	}
	folders := strings.Split(strings.ToLower(filepath.ToSlash(filepath.Dir(name))), "/")
	return slices.ContainsFunc(folders, func(folder string) bool { return has("test", folder) })
}
