package sunset

import (
	"context"
	"fmt"
	"math"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/v1/numbering"
)

// Settings are the webhooks of /rest, in its own format. Each has a number of its own. The numbers are counted for all
// sellers together, and stay below 2^31, because some programs have no more bits for them.

// settingNumbers are their numbers. The migration that numbered the first settings begins there, too.
var settingNumbers = numbering.Kind{Name: "setting", First: 1_001, Block: 1}

// SettingStore is a store that runs transactions.
type SettingStore interface {
	// Write runs fn in one transaction, more than once if need be, and returns after the commit is durable.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
}

// NumberSettings gives numbers to settings that have none yet, and puts them into the rows. It must not be called inside a
// transaction.
func NumberSettings(ctx context.Context, store SettingStore, ids *numbering.Source, fresh []*ent.Webhook) error {
	if len(fresh) == 0 {
		return nil
	}
	first, err := ids.Numbers(ctx, settingNumbers, len(fresh))
	if err != nil {
		return err
	}
	if last := first + int64(len(fresh)) - 1; last > math.MaxInt32 {
		return fmt.Errorf("there are no numbers left for settings of /rest: %d is too large", last)
	}
	return store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		for i, row := range fresh {
			number, err := numberSetting(ctx, tx, row.ID, first+int64(i))
			if err != nil {
				return fmt.Errorf("number setting %d: %w", row.ID, err)
			}
			row.SettingNumber = number
		}
		return nil
	})
}

// numberSetting gives a setting a number and returns its current number, since another read may have been faster. A setting
// that was deleted meanwhile keeps the given number and is shown once more.
func numberSetting(ctx context.Context, tx *ent.Client, id, number int64) (*int64, error) {
	n, err := tx.Webhook.Update().Where(webhook.ID(id), webhook.SettingNumberIsNil()).SetSettingNumber(number).Save(ctx)
	if err != nil || n > 0 {
		return &number, err
	}
	row, err := tx.Webhook.Query().Where(webhook.ID(id)).Select(webhook.FieldSettingNumber).Only(ctx)
	if ent.IsNotFound(err) {
		return &number, nil
	}
	if err != nil {
		return nil, err
	}
	return row.SettingNumber, nil
}
