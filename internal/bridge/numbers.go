package bridge

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"

	"sellerd/legacy"
	"sellerd/v1"
)

// This file completes notification settings, of which /v1 does not know everything.

// The numbers of settings fit into 32 bits. The service counts its own from a small number on, so those of the bridge are
// in the upper half: a number that a program remembers from before never names another setting here.
const (
	leastSetting = 1 << 30
	mostSettings = 1 << 30 // numbers
)

// completeSettings numbers the settings among webhooks, and finds the account whose they are.
func (a *api) completeSettings(ctx context.Context, c *legacy.Call, page *v1.Page[v1.Webhook]) error {
	if numberSettings(page.Results) == 0 || c.AccountID != 0 {
		return nil
	}
	got, err := a.ask(ctx, c, &request{operation: v1.GetAccount.Operation})
	if err != nil || got.refusedWith(v1.PermissionDenied) { // a key that may not read its account does not show its number
		return err
	}
	return a.noteAccount(c, got)
}

// numberSettings gives each setting the number that follows from its webhook's id, and returns how many there are. So the
// numbers need no storage, and are the same on every machine. Of two settings with the same number, of which there will be
// none, the one that was made later gets the next number.
func numberSettings(webhooks []v1.Webhook) int {
	var settings []*v1.Webhook
	for i := range webhooks {
		if webhooks[i].Format == v1.FormatLegacyXML {
			settings = append(settings, &webhooks[i])
		}
	}
	slices.SortFunc(settings, func(a, b *v1.Webhook) int { return cmp.Compare(a.ID, b.ID) })
	taken := map[int64]bool{}
	for _, w := range settings {
		hash := fnv.New64a()
		hash.Write([]byte(w.ID.String()))
		number := leastSetting + int64(hash.Sum64()%mostSettings)
		for taken[number] {
			number = leastSetting + (number-leastSetting+1)%mostSettings
		}
		taken[number] = true
		w.SettingNumber = v1.Some(number)
	}
	return len(settings)
}
