package operatorpages

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"sellerd/v1"
)

// This file shows who changed what, member by member.

// auditList is a page of the audit log.
type auditList struct {
	Account, Operator, Action string // that were searched for
	Found                     []v1.AuditedChange
	First, Next               string // paths of the first and the next page, empty without one
}

// audit lists who changed what.
func (p *Pages) audit(r *http.Request) (*page, error) {
	asked, in, found, err := called(p, r, v1.OperatorBrowseAudit)
	if err != nil {
		return nil, err
	}
	list := &auditList{Account: asked.Get("account_id"), Operator: in.Operator.V, Action: in.Action.V, Found: found.Results}
	list.First, list.Next = around(audit, asked, found.NextCursor)
	return &page{Title: "Who changed what", Name: "audit", Data: list}, nil
}

// changedMember is a member of what was changed. Before is empty for something new.
type changedMember struct{ Member, Before, After string }

// changedMembers are what a change made of each member whose value differs, without those that the row has beside them.
func changedMembers(c v1.AuditedChange) (changed []changedMember) {
	before, after := membersOf(c.Before.V.Text), membersOf(c.After.V.Text)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := shownValue(before[name]), shownValue(after[name])
		if was == is || slices.Contains(beside, name) {
			continue
		}
		if !c.Before.Set {
			was = ""
		}
		changed = append(changed, changedMember{name, was, is})
	}
	return changed
}

// beside are the members that repeat what the row shows: when, whose, and of what.
var beside = []string{"account_id", "created_at", "id", "updated_at"}

// mostChanged is how many members stand open in a row.
const mostChanged = 4

// actionWords are the name of an operation in words, update account for OperatorUpdateAccount. The names of commands are words.
func actionWords(name string) string {
	var words strings.Builder
	for i, letter := range strings.TrimPrefix(name, "Operator") {
		if i > 0 && unicode.IsUpper(letter) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(letter))
	}
	return words.String()
}

// auditOf is the address of the changes of which a member is as given.
func auditOf(member, value string) string { return audit + "?" + url.Values{member: {value}}.Encode() }

// membersOf are the members of an object by their names; those of an object in it have its name before theirs.
func membersOf(text string) map[string]json.RawMessage {
	members, flat := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(text), &members) // of an empty text there are none
	for name, value := range members {
		within := membersOf(string(value))
		for below, v := range within {
			flat[name+"."+below] = v
		}
		if len(within) == 0 {
			flat[name] = value
		}
	}
	return flat
}

// none stands for a member without a value.
const none = "none"

// shownValue is a value as people read it: a text without quotes, and a list of texts without brackets.
func shownValue(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case len(value) == 0, string(value) == "null":
		return none
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	}
	return string(value)
}
