package v1

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

// numberSettings gives a number to those settings among a seller's webhooks that have none yet. /rest does that when it
// reads them, which every program of it does before it can name one. So a setting that is refused costs no number, and one
// that an older program made during an upgrade has its number as soon as it is read.
func (s *Service) numberSettings(ctx context.Context, c *Call, rows []*ent.Webhook) error {
	if !c.Legacy {
		return nil
	}
	var fresh []*ent.Webhook
	for _, row := range rows {
		if row.Format == FormatLegacyXML && row.SettingNumber == nil {
			fresh = append(fresh, row)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	first, err := s.ids.Numbers(ctx, numbering.Settings, len(fresh))
	if err != nil {
		return err
	}
	if last := first + int64(len(fresh)) - 1; last > math.MaxInt32 {
		return fmt.Errorf("there are no numbers left for settings of /rest: %d is too large", last)
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
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
