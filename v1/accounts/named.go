package accounts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/internal/base/near"
	"sellerd/v1/core"
	"sellerd/v1/wire"
)

// This file finds the account that a person means.

// mostNamed is how many accounts an error names.
const mostNamed = 5

// NotOneAccountError says that a text names no account, or several. It is an ErrNoAccount.
type NotOneAccountError struct {
	Text    string
	Several bool
	Found   []*OperatorAccount // those that the text names, or that have similar names
}

// Error implements error.
func (e *NotOneAccountError) Error() string {
	names := each.Of(e.Found, func(a *OperatorAccount) string { return fmt.Sprintf("%s (%s, %s)", a.ID, a.Nickname, a.Email) })
	list := strings.Join(names, ", ")
	switch {
	case e.Text == "":
		return "the account is empty"
	case e.Several:
		return fmt.Sprintf("%q names several accounts, so give the id of one: %s", e.Text, list)
	case list != "":
		return fmt.Sprintf("there is no account %q. Is it %s?", e.Text, list)
	default:
		return fmt.Sprintf("there is no account %q", e.Text)
	}
}

// Unwrap makes errors.Is find ErrNoAccount.
func (e *NotOneAccountError) Unwrap() error { return core.ErrNoAccount }

// NamedAccount finds the account with an id, a nickname or an e-mail address. Digits are always an id. Letters from A to Z may be large or
// small. It fails with a NotOneAccountError unless there is exactly one.
func (s *Accounts) NamedAccount(ctx context.Context, text string) (int64, error) {
	named := &NotOneAccountError{Text: text, Several: true}
	var id wire.ID
	asked := []AccountNames{{Nickname: text}, {Email: text}}
	if id.UnmarshalText([]byte(text)) == nil && id > 0 {
		asked = nil
		row, err := s.Store.Reader().Account.Get(ctx, int64(id))
		if err == nil {
			named.Found = append(named.Found, operatorAccountFrom(row))
		}
	}
	for _, names := range asked {
		err := s.EachAccount(ctx, names, func(a *OperatorAccount) error {
			if text != "" && !slices.ContainsFunc(named.Found, func(known *OperatorAccount) bool { return known.ID == a.ID }) {
				named.Found = append(named.Found, a)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	switch len(named.Found) {
	case 1:
		return int64(named.Found[0].ID), nil
	case 0:
		named.Several = false
		if err := s.addSimilar(ctx, named); err != nil {
			return 0, err
		}
	}
	named.Found = named.Found[:min(mostNamed, len(named.Found))]
	return 0, named
}

// addSimilar adds the accounts whose names are similar to the text, the most similar first.
func (s *Accounts) addSimilar(ctx context.Context, named *NotOneAccountError) error {
	text := strings.ToLower(named.Text)
	if text == "" {
		return nil
	}
	distances := map[wire.ID]int{}
	err := s.EachAccount(ctx, AccountNames{}, func(a *OperatorAccount) error {
		least := len(text)
		for _, name := range []string{strings.ToLower(a.Nickname), strings.ToLower(a.Email)} {
			if least = min(least, near.Distance(text, name)); len(text) > 2 && strings.Contains(name, text) {
				least = 0
			}
		}
		if least <= 2 && 3*least <= len(text)+1 {
			distances[a.ID] = least
			named.Found = append(named.Found, a)
		}
		return nil
	})
	slices.SortStableFunc(named.Found, func(a, b *OperatorAccount) int { return cmp.Compare(distances[a.ID], distances[b.ID]) })
	return err
}
