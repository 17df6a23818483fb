package v1

import (
	"context"

	"sellerd/ent"
	"sellerd/v1/permission"
	"sellerd/v1/sunset"
)

// numberSettings gives a number to those settings among a seller's webhooks that have none yet. /rest does that when it
// reads them, which every program of it does before it can name one. So a setting that is refused costs no number, and one
// that an older program made during an upgrade has its number as soon as it is read. A key that may not change webhooks gives
// none: until another one has listed the setting, it is called by its webhook's long number.
func (s *Service) numberSettings(ctx context.Context, c *Call, rows []*ent.Webhook) error {
	if !c.Legacy || c.may.Missing(permission.WebhooksWrite) != 0 {
		return nil
	}
	var fresh []*ent.Webhook
	for _, row := range rows {
		if row.Format == FormatLegacyXML && row.SettingNumber == nil {
			fresh = append(fresh, row)
		}
	}
	return sunset.NumberSettings(ctx, s.store, s.ids, fresh)
}
