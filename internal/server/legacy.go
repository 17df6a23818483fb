package server

import (
	"sellerd/translate"
	"sellerd/v1"
)

// AddLegacy adds the tables of the legacy interface to a service's configuration: which operation replaces which call, and
// the content of notifications. Without it a service works, but cannot list the calls that sellers still have to move, and
// has no webhooks for old programs.
func AddLegacy(c *v1.Config) error {
	table, err := translate.New()
	if err != nil {
		return err
	}
	c.LegacyCalls, c.LegacyNotifications = table.Successors(), table.Notifications
	return nil
}
