// Package changelog is the change log of the interface: a table of releases, a table of known issues, and the Atom feed made
// of both.
//
// The releases are in releases.json, newest first. A release without a date is not out yet: it is in the table, but in no
// page and no feed. The known issues are in issues.json (issues.go). The package conformance keeps what each release promised,
// and compares its files with ContractHash and Seal.
package changelog

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// File is the path of the table from the module's root.
const File = "changelog/releases.json"

//go:embed releases.json
var file []byte

// Kind says what a release means for existing programs.
type Kind string

// The kinds of releases.
const (
	Initial     Kind = "initial"
	Addition    Kind = "addition"
	Fix         Kind = "fix"
	Deprecation Kind = "deprecation"
	Breaking    Kind = "breaking"
)

// Release is one entry of the change log.
type Release struct {
	Version    string   `json:"version"` // 1.2.0
	Date       string   `json:"date"`    // the instant of its seal (2026-12-01T09:30:00Z), only the day up to 1.5.0; empty while it is not out
	Kind       Kind     `json:"kind"`
	Categories []string `json:"categories"` // its categories beside its kind: terms of Categories
	Title      string   `json:"title"`      // plain text
	Operations []string `json:"operations"` // the operations that it concerns: names of v1.Operations and ids of translate.Calls
	Text       Markup   `json:"text"`       // what is new, and what callers have to do; headings from ### on

	// ContractHash is the SHA-256 of the whole contract in hexadecimal digits, and Seal the last link of the chain of
	// released goldens. Both are empty until they are computed.
	ContractHash string `json:"contract_hash"`
	Seal         string `json:"seal"`
}

// Released says whether the release is out.
func (r Release) Released() bool { return r.Date != "" }

// Day is the day of the release in UTC, as YYYY-MM-DD.
func (r Release) Day() string { return r.Date[:min(len(r.Date), len(time.DateOnly))] }

// Terms are all categories in which the release is found: its kind, and the others.
func (r Release) Terms() []string { return append([]string{string(r.Kind)}, r.Categories...) }

// Category is a term by which readers choose entries.
type Category struct {
	Term    string
	Meaning string // what its entries are about, for a list
}

// Categories are all there are. Readers subscribe to one before its first entry, so its feed may be empty.
var Categories = []Category{
	{string(Breaking), "what no longer works as it did"},
	{string(Deprecation), "what still works, and will end on a day that is told"},
	{string(Addition), "what is new, and concerns nobody who does not use it"},
	{string(Fix), "what did not work as it was described, and now does"},
	{string(Initial), "the first release"},
	{"v1", "all about /v1"},
	{"rest", "all about /rest"},
	{IssueTerm, "faults that are known to affect programs, while they last and when they are corrected"},
}

func isCategory(term string) bool {
	return slices.ContainsFunc(Categories, func(c Category) bool { return c.Term == term })
}

var load = sync.OnceValues(func() ([]Release, error) { return Decode(file) })

// Load returns the built-in table, newest first, with the releases that are not out yet. An error names a mistake in the
// table.
func Load() ([]Release, error) {
	releases, err := load()
	return slices.Clone(releases), err
}

// Releases is Load for callers that cannot continue without the table: it panics if the built-in table has a mistake.
func Releases() []Release {
	releases, err := Load()
	if err != nil {
		panic(err)
	}
	return releases
}

// Find finds a release by its version, whether it is out or not.
func Find(version string) (Release, bool) {
	releases := Releases()
	i := slices.IndexFunc(releases, func(r Release) bool { return r.Version == version })
	if i < 0 {
		return Release{}, false
	}
	return releases[i], true
}

// Decode reads a table as it is in the file, strictly, and checks it.
func Decode(data []byte) ([]Release, error) { return decode(File, data, check) }

// decode reads a table.
func decode[E Release | Issue](file string, data []byte, check func([]E) error) (entries []E, err error) {
	if err = json.Unmarshal(data, &entries, json.RejectUnknownMembers(true)); err == nil {
		err = check(entries)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return entries, nil
}

// Encode prints a table exactly as its file has it.
func Encode[E Release | Issue](entries []E) []byte {
	text, err := json.Marshal(entries, jsontext.WithIndent("  "))
	if err != nil {
		panic(fmt.Sprintf("encode the change log: %v", err)) // strings and times fail only if they are not UTF-8
	}
	return append(text, '\n')
}
