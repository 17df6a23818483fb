package server

import (
	"sellerd/translate"
	"sellerd/v1"
)

// AddLegacy tells a service's configuration what the tables of the legacy interface know: which operation follows which
// call, and what notifications say. Without it a service works, but cannot tell sellers what is left to move, and has no
// webhooks that old programs understand.
func AddLegacy(c *v1.Config) error {
	table, err := translate.New()
	if err != nil {
		return err
	}
	c.LegacyCalls, c.LegacyNotifications = table.Successors(), table.Notifications
	return nil
}
