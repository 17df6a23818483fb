-- +goose NO TRANSACTION
-- +goose Up
PRAGMA foreign_keys = off;
BEGIN IMMEDIATE;
-- create "new_deliveries" table
CREATE TABLE `new_deliveries` (`id` integer NOT NULL, `owner` integer NOT NULL, `dispatch_id` integer NOT NULL, `webhook_id` integer NOT NULL, `event_id` integer NOT NULL, `event_type` text NOT NULL, `resource_id` text NOT NULL, `attempt` integer NOT NULL, `trigger` text NOT NULL, `status` text NOT NULL, `final` bool NOT NULL DEFAULT (false), `url` text NOT NULL, `request_headers` text NOT NULL DEFAULT (''), `response_status` integer NULL, `response_body` text NOT NULL DEFAULT (''), `response_truncated` bool NOT NULL DEFAULT (false), `error_code` text NULL, `duration_ms` integer NULL, `scheduled_at` integer NOT NULL, `started_at` integer NULL, `next_attempt_at` integer NULL, `created_at` integer NOT NULL, PRIMARY KEY (`id`));
-- copy rows from old table "deliveries" to new temporary table "new_deliveries"
INSERT INTO `new_deliveries` (`id`, `owner`, `dispatch_id`, `webhook_id`, `event_id`, `event_type`, `resource_id`, `attempt`, `trigger`, `status`, `final`, `url`, `request_headers`, `response_status`, `response_body`, `response_truncated`, `error_code`, `duration_ms`, `scheduled_at`, `started_at`, `next_attempt_at`, `created_at`) SELECT `id`, `owner`, `dispatch_id`, `webhook_id`, `event_id`, `event_type`, `resource_id`, `attempt`, `trigger`, `status`, `final`, `url`, `request_headers`, `response_status`, `response_body`, `response_truncated`, `error_code`, `duration_ms`, `scheduled_at`, `started_at`, `next_attempt_at`, `created_at` FROM `deliveries`;
-- drop "deliveries" table after copying rows
DROP TABLE `deliveries`;
-- rename temporary table "new_deliveries" to "deliveries"
ALTER TABLE `new_deliveries` RENAME TO `deliveries`;
-- create index "deliveries_owner" to table: "deliveries"
CREATE INDEX `deliveries_owner` ON `deliveries` (`owner`, `created_at`, `id`);
-- create index "deliveries_webhook" to table: "deliveries"
CREATE INDEX `deliveries_webhook` ON `deliveries` (`owner`, `webhook_id`, `created_at`, `id`);
-- create index "deliveries_event" to table: "deliveries"
CREATE INDEX `deliveries_event` ON `deliveries` (`owner`, `event_id`, `created_at`, `id`);
-- create index "deliveries_type" to table: "deliveries"
CREATE INDEX `deliveries_type` ON `deliveries` (`owner`, `event_type`, `created_at`, `id`);
-- create index "deliveries_resource" to table: "deliveries"
CREATE INDEX `deliveries_resource` ON `deliveries` (`owner`, `resource_id`, `created_at`, `id`);
-- create index "deliveries_status" to table: "deliveries"
CREATE INDEX `deliveries_status` ON `deliveries` (`owner`, `status`, `created_at`, `id`);
-- create "new_dispatches" table
CREATE TABLE `new_dispatches` (`id` integer NOT NULL, `owner` integer NOT NULL, `event_id` integer NOT NULL, `webhook_id` integer NOT NULL, `delivery_id` integer NOT NULL, `trigger` text NOT NULL, `resource` text NOT NULL DEFAULT (''), `status` text NOT NULL, `attempts` integer NOT NULL DEFAULT (0), `failures` integer NOT NULL DEFAULT (0), `due_at` integer NOT NULL, `lease` integer NOT NULL DEFAULT (0), `created_at` integer NOT NULL, `expires_at` integer NOT NULL, PRIMARY KEY (`id`));
-- copy rows from old table "dispatches" to new temporary table "new_dispatches"
INSERT INTO `new_dispatches` (`id`, `owner`, `event_id`, `webhook_id`, `resource`, `status`, `attempts`, `due_at`, `lease`, `created_at`, `expires_at`) SELECT `id`, `owner`, `event_id`, `webhook_id`, IFNULL(`resource`, ('')) AS `resource`, `status`, `attempts`, `due_at`, `lease`, `created_at`, `expires_at` FROM `dispatches`;
-- drop "dispatches" table after copying rows
DROP TABLE `dispatches`;
-- rename temporary table "new_dispatches" to "dispatches"
ALTER TABLE `new_dispatches` RENAME TO `dispatches`;
-- create index "dispatches_due" to table: "dispatches"
CREATE INDEX `dispatches_due` ON `dispatches` (`status`, `webhook_id`, `due_at`, `id`);
-- create index "dispatches_order" to table: "dispatches"
CREATE INDEX `dispatches_order` ON `dispatches` (`webhook_id`, `resource`, `id`);
-- add column "failing_event_at" to table: "webhooks"
ALTER TABLE `webhooks` ADD COLUMN `failing_event_at` integer NULL;
-- refuse to commit broken references
CREATE TEMP TABLE broken_references (count integer CHECK (count = 0));
INSERT INTO broken_references SELECT count(*) FROM pragma_foreign_key_check;
DROP TABLE broken_references;
COMMIT;
PRAGMA foreign_keys = on;
