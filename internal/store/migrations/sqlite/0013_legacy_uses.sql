-- +goose Up
-- create "legacy_uses" table
CREATE TABLE `legacy_uses` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `key_id` text NOT NULL, `call` text NOT NULL, `first_used_at` integer NOT NULL, `last_used_at` integer NOT NULL, `lossy_fields` text NOT NULL DEFAULT (''), `drilled_at` integer NULL);
-- create index "legacy_uses_row" to table: "legacy_uses"
CREATE UNIQUE INDEX `legacy_uses_row` ON `legacy_uses` (`owner`, `key_id`, `call`);
-- create "successor_usage" table
CREATE TABLE `successor_usage` (`id` integer NOT NULL PRIMARY KEY AUTOINCREMENT, `owner` integer NOT NULL, `day` integer NOT NULL, `count` integer NOT NULL DEFAULT (0), `last_used_at` integer NOT NULL);
-- create index "successor_usage_row" to table: "successor_usage"
CREATE UNIQUE INDEX `successor_usage_row` ON `successor_usage` (`owner`, `day`);
-- take over what is counted by day; by hand. A day's beginning stands for the first use on it.
INSERT INTO legacy_uses (owner, key_id, call, first_used_at, last_used_at) SELECT owner, key_id, call, MIN(day) * 86400000000, MAX(last_used_at) FROM legacy_usage GROUP BY owner, key_id, call;
