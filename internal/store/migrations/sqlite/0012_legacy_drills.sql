-- +goose Up
-- create "legacy_drills" table
CREATE TABLE `legacy_drills` (`id` integer NOT NULL, `owner` integer NOT NULL, `key_id` text NULL, `begins_at` integer NOT NULL, `ends_at` integer NOT NULL, `created_at` integer NOT NULL, `called_off_at` integer NULL, PRIMARY KEY (`id`));
-- create index "legacy_drills_owner" to table: "legacy_drills"
CREATE INDEX `legacy_drills_owner` ON `legacy_drills` (`owner`, `id`);
-- create index "legacy_drills_end" to table: "legacy_drills"
CREATE INDEX `legacy_drills_end` ON `legacy_drills` (`ends_at`);
