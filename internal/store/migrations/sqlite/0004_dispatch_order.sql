-- +goose NO TRANSACTION
-- +goose Up
PRAGMA foreign_keys = off;
BEGIN IMMEDIATE;
-- create "new_webhooks" table
CREATE TABLE `new_webhooks` (`id` integer NOT NULL, `owner` integer NOT NULL, `url` text NOT NULL, `events` text NOT NULL DEFAULT (''), `events_key` text NOT NULL, `format` text NOT NULL, `description` text NULL, `status` text NOT NULL, `disabled_reason` text NULL, `failing_since` integer NULL, `secret` blob NOT NULL, `previous_secret` blob NULL, `previous_secret_until` integer NULL, `secret_hint` text NOT NULL, `failures` integer NOT NULL DEFAULT (0), `failing_event_at` integer NULL, `last_success_at` integer NULL, `paused_until` integer NULL, `breaker_level` integer NOT NULL DEFAULT (0), `resumed_at` integer NULL, `resuming` bool NOT NULL DEFAULT (false), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- copy rows from old table "webhooks" to new temporary table "new_webhooks"
INSERT INTO `new_webhooks` (`id`, `owner`, `url`, `events`, `events_key`, `format`, `description`, `status`, `disabled_reason`, `failing_since`, `secret`, `previous_secret`, `previous_secret_until`, `secret_hint`, `failures`, `failing_event_at`, `last_success_at`, `paused_until`, `breaker_level`, `created_at`, `updated_at`) SELECT `id`, `owner`, `url`, `events`, `events_key`, `format`, `description`, `status`, `disabled_reason`, `failing_since`, `secret`, `previous_secret`, `previous_secret_until`, `secret_hint`, `failures`, `failing_event_at`, `last_success_at`, `paused_until`, `breaker_level`, `created_at`, `updated_at` FROM `webhooks`;
-- drop "webhooks" table after copying rows
DROP TABLE `webhooks`;
-- rename temporary table "new_webhooks" to "webhooks"
ALTER TABLE `new_webhooks` RENAME TO `webhooks`;
-- create index "webhooks_owner" to table: "webhooks"
CREATE UNIQUE INDEX `webhooks_owner` ON `webhooks` (`owner`, `url`, `events_key`);
-- create "new_dispatches" table
CREATE TABLE `new_dispatches` (`id` integer NOT NULL, `owner` integer NOT NULL, `event_id` integer NOT NULL, `webhook_id` integer NOT NULL, `delivery_id` integer NOT NULL, `trigger` text NOT NULL, `resource` text NOT NULL DEFAULT (''), `sequence` integer NOT NULL DEFAULT (0), `blocked` bool NOT NULL DEFAULT (false), `status` text NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `failures` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL, `lease` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`id`));
-- copy rows from old table "dispatches" to new temporary table "new_dispatches"
INSERT INTO `new_dispatches` (`id`, `owner`, `event_id`, `webhook_id`, `delivery_id`, `trigger`, `resource`, `status`, `attempts`, `failures`, `due_at`, `lease`, `created_at`, `expires_at`) SELECT `id`, `owner`, `event_id`, `webhook_id`, `delivery_id`, `trigger`, `resource`, `status`, `attempts`, `failures`, `due_at`, `lease`, `created_at`, `expires_at` FROM `dispatches`;
-- drop "dispatches" table after copying rows
DROP TABLE `dispatches`;
-- rename temporary table "new_dispatches" to "dispatches"
ALTER TABLE `new_dispatches` RENAME TO `dispatches`;
-- fill in what the new columns mean for dispatches that there are already: the state "held" is gone, the webhook's own state decides
UPDATE dispatches SET sequence = coalesce((SELECT e.sequence FROM events e WHERE e.id = dispatches.event_id), 0) WHERE resource <> '';
UPDATE dispatches SET status = 'pending' WHERE status = 'held';
-- create index "dispatches_due" to table: "dispatches"
CREATE INDEX `dispatches_due` ON `dispatches` (`status`, `webhook_id`, `due_at`, `id`);
-- create index "dispatches_order" to table: "dispatches"
CREATE INDEX `dispatches_order` ON `dispatches` (`webhook_id`, `resource`, `sequence`);
-- create index "dispatches_first" to table: "dispatches"
CREATE INDEX `dispatches_first` ON `dispatches` (`webhook_id`, `due_at`, `id`) WHERE status = 'pending' AND attempts = 0 AND NOT blocked;
-- refuse to commit broken references
CREATE TEMP TABLE broken_references (count integer CHECK (count = 0));
INSERT INTO broken_references SELECT count(*) FROM pragma_foreign_key_check;
DROP TABLE broken_references;
COMMIT;
PRAGMA foreign_keys = on;
