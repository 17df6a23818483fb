package operatorpages

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"sellerd/v1"
)

// This file shows accounts: the list, and each of them. Both read what the operations of the same names read, in the same pages.

// accountList is a page of accounts.
type accountList struct {
	acting
	Nickname, Email, Status string // that were searched for
	Found                   []v1.OperatorAccount
	First, Next             string // paths of the first and the next page, empty without one
}

// accounts lists accounts, or those that the form asks for.
func (p *Pages) accounts(r *http.Request) (*page, error) {
	asked, in, found, err := called(p, r, v1.OperatorBrowseAccounts)
	if err != nil {
		return nil, err
	}
	list := &accountList{acting: actingIn(r), Nickname: in.Nickname.V, Email: in.Email.V, Status: in.Status.V, Found: found.Results}
	list.First, list.Next = around(accounts, asked, found.NextCursor)
	return &page{Title: "Accounts", Name: "accounts", Data: list}, nil
}

// called calls an operation with the parameters of a request. They are returned, and the input that they make.
func called[I, O any](p *Pages, r *http.Request, op v1.Op[I, O]) (asked url.Values, in *I, out *O, err error) {
	asked = given(r)
	call := &v1.Call{Operator: true}
	if in, err = op.Input(call, nil, asked.Encode(), nil); err == nil {
		out, err = op.Call(r.Context(), p.config.Service, call, in)
	}
	return asked, in, out, err
}

// given are the parameters of a request that have a value. A form sends its empty fields, too.
func given(r *http.Request) url.Values {
	asked := r.URL.Query()
	maps.DeleteFunc(asked, func(_ string, values []string) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return v != "" })
	})
	return asked
}

// around are the paths of the first page of a list and of the next one, each empty if it is not another page.
func around(path string, asked url.Values, cursor v1.Opt[string]) (first, next string) {
	asked = maps.Clone(asked)
	if asked.Has("after") {
		asked.Del("after")
		first = path + "?" + asked.Encode()
	}
	if cursor.Set {
		asked.Set("after", cursor.V)
		next = path + "?" + asked.Encode()
	}
	return first, next
}

// accountPage is one account, mode by mode.
type accountPage struct {
	acting
	*v1.AccountOverview
	Modes []accountMode
}

// Waits says whether a submission waits, and Hooks whether there is a webhook, in either mode.
func (p *accountPage) Waits() bool {
	return slices.ContainsFunc(p.Modes, func(m accountMode) bool { return m.Waiting != nil && len(m.Waiting.First) > 0 })
}

// Hooks says whether there is a webhook in either mode.
func (p *accountPage) Hooks() bool {
	return slices.ContainsFunc(p.Modes, func(m accountMode) bool { return len(m.Webhooks) > 0 })
}

type accountMode struct {
	Name string
	v1.ModeOverview
	Waiting *v1.WaitingSubmissions
}

// mostSubmissions is how many submissions that wait are shown, in each mode.
const mostSubmissions = 10

// account shows an account.
func (p *Pages) account(r *http.Request) (*page, error) {
	var id v1.ID
	if err := id.UnmarshalText([]byte(r.PathValue("id"))); err != nil {
		return nil, v1.ErrNoAccount
	}
	v1.TraceFrom(r.Context()).Account, v1.TraceFrom(r.Context()).Object = int64(id), id.String()
	found, err := p.config.Service.AccountOverview(r.Context(), int64(id))
	if err != nil {
		return nil, err
	}
	modes := []accountMode{{Name: "live", ModeOverview: found.Live}, {Name: "test", ModeOverview: found.Test}}
	for i := range modes {
		if modes[i].Waiting, err = p.config.Service.WaitingSubmissions(r.Context(), int64(id), modes[i].Name == "test", mostSubmissions); err != nil {
			return nil, err
		}
	}
	return &page{Title: found.Nickname, Name: "account", Data: &accountPage{actingIn(r), found, modes}}, nil
}

// legacyList is a page of the keys that use the old interface, or did.
type legacyList struct {
	acting
	State       string              // that was asked for
	Drills      []v1.AnnouncedDrill // for everybody, those to come and the one that runs
	Found       []v1.LegacyLeft
	First, Next string // paths of the first and the next page, empty without one
}

// legacy lists the keys that use the old interface, or did.
func (p *Pages) legacy(r *http.Request) (*page, error) {
	asked, in, found, err := called(p, r, v1.OperatorLegacyUsage)
	if err != nil {
		return nil, err
	}
	list := &legacyList{acting: actingIn(r), State: in.State.V, Found: found.Results}
	for _, drill := range p.config.Service.AnnouncedDrills(r.Context()) {
		if !drill.CalledOffAt.Set && drill.To > v1.TimeOf(p.config.Service.Clock().Now()) {
			list.Drills = append(list.Drills, drill)
		}
	}
	list.First, list.Next = around(legacy, asked, found.NextCursor)
	return &page{Title: "Who still uses the old interface", Name: "legacy", Data: list}, nil
}
