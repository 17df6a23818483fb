-- +goose Up
-- add column "permissions" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `permissions` text NULL;
-- create index "events_feed" to table: "events"
CREATE INDEX `events_feed` ON `events` (`owner`, `created_at`, `id`);
-- add column "resetting_since" to table: "owners"
ALTER TABLE `owners` ADD COLUMN `resetting_since` integer NULL;
-- add column "reset_at" to table: "owners"
ALTER TABLE `owners` ADD COLUMN `reset_at` integer NULL;
-- drop the index that found an account's events by their ids, by which nothing asks
DROP INDEX `events_owner`;
