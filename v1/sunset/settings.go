package sunset

import (
	"context"
	"fmt"
	"math"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/numbering"
	"sellerd/v1/permission"
)

// Settings are the webhooks of /rest, in its own format. Each has a number of its own. The numbers are counted for all
// sellers together, and stay below 2^31, because some programs have no more bits for them.

// settingNumbers are their numbers. The migration that numbered the first settings begins there, too.
var settingNumbers = numbering.Kind{Name: "setting", First: 1_001, Block: 1}

// numberSettings gives a number to those settings among a seller's webhooks that have none yet. /rest does that when it
// reads them, which every program of it does before it can name one. So a setting that is refused costs no number, and one
// that an older program made during an upgrade has its number as soon as it is read. A key that may not change webhooks gives
// none: until another one has listed the setting, it is called by its webhook's long number.
// Only callers of /rest read whole lists.
func (s *Rest) numberSettings(ctx context.Context, c *core.Call, rows []*ent.Webhook) error {
	if !c.WholeLists || c.May.Missing(permission.WebhooksWrite) != 0 {
		return nil
	}
	var fresh []*ent.Webhook
	for _, row := range rows {
		if row.Format == hooks.FormatLegacyXML && row.SettingNumber == nil {
			fresh = append(fresh, row)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	first, err := s.IDs.Numbers(ctx, settingNumbers, len(fresh))
	if err != nil {
		return err
	}
	if last := first + int64(len(fresh)) - 1; last > math.MaxInt32 {
		return fmt.Errorf("there are no numbers left for settings of /rest: %d is too large", last)
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
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
