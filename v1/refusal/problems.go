package refusal

import (
	"fmt"
	"slices"
	"strings"
)

// maxProblems bounds how many problems are reported of one body, so that a hostile body does not cost a huge answer.
// maxEntryProblems bounds what decoding reports of each entry of a list.
const (
	maxProblems      = 200
	maxEntryProblems = 50
)

// Problems collects all errors of one input, so that the caller gets them at once.
type Problems struct {
	list  Errors
	apart int // entries of the list that came from join
	most  int // bound of the others, 0 for maxProblems
}

// Add reports one problem. A second problem of the same field, or one inside a field reported as a whole, is dropped:
// the first explains it.
func (p *Problems) Add(code Code, field, format string, args ...any) {
	if p.Full() || p.Has(field) {
		return
	}
	p.list = append(p.list, Entry(code, field, fmt.Sprintf(format, args...)))
}

// AddError reports a problem that is already an entry.
func (p *Problems) AddError(entry Error) {
	if !p.Full() {
		p.list = append(p.list, entry)
	}
}

// Join adds the problems of one entry of a list. They do not count towards the bound: with a common bound, the errors of a
// batch's first item could hide those of the next item, which would then be accepted.
func (p *Problems) Join(other Problems) {
	p.list = append(p.list, other.list...)
	p.apart += len(other.list)
}

// Full says whether further problems are dropped, because the bound is reached.
func (p *Problems) Full() bool {
	most := maxProblems
	if p.most > 0 {
		most = p.most
	}
	return len(p.list)-p.apart >= most
}

// EntryProblems collects the problems of one entry of a list, within the bound of an entry.
func EntryProblems() Problems { return Problems{most: maxEntryProblems} }

// Entries are the problems so far. The caller must not change them.
func (p *Problems) Entries() Errors { return p.list }

// Clone is a copy that can be added to without touching the original.
func (p *Problems) Clone() Problems {
	out := *p
	out.list = slices.Clone(p.list)
	return out
}

// Err is nil when there is no problem.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	return p.list
}

// Has says whether a field, or an object that holds it, has a problem already.
func (p *Problems) Has(field string) bool {
	for _, entry := range p.list {
		known := entry.Field
		if known == field || known != "" && strings.HasPrefix(field, known) && (field[len(known)] == '.' || field[len(known)] == '[') {
			return true
		}
	}
	return false
}
