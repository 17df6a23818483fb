package operatorpages

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

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
	asked := given(r)
	call := &v1.Call{Operator: true}
	in, err := v1.OperatorBrowseAudit.Input(call, nil, asked.Encode(), nil)
	if err != nil {
		return nil, err
	}
	found, err := v1.OperatorBrowseAudit.Call(r.Context(), p.config.Service, call, in)
	if err != nil {
		return nil, err
	}
	list := &auditList{Account: asked.Get("account_id"), Operator: in.Operator.V, Action: in.Action.V, Found: found.Results}
	list.First, list.Next = around(audit, asked, found.NextCursor)
	return &page{Title: "Who changed what", Name: "audit", Data: list}, nil
}

// changedMember is a member of what was changed. Before is empty for something new.
type changedMember struct{ Member, Before, After string }

// changedMembers are what a change made of each member. Of something new, those without a value are left out.
func changedMembers(c v1.AuditedChange) (changed []changedMember) {
	before, after := membersOf(c.Before.V.Text), membersOf(c.After.V.Text)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m := changedMember{Member: name, After: shownValue(after[name])}
		if c.Before.Set {
			m.Before = shownValue(before[name])
		} else if m.After == none {
			continue
		}
		changed = append(changed, m)
	}
	return changed
}

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

// shownValue is a value as people read it: a text without quotes.
func shownValue(value json.RawMessage) string {
	var text string
	switch {
	case len(value) == 0, string(value) == "null":
		return none
	case json.Unmarshal(value, &text) == nil:
		return text
	}
	return string(value)
}
