-- +goose Up
-- Columns are added and no table is copied; by hand.
-- add column "closed_at" to table: "accounts"
ALTER TABLE `accounts` ADD COLUMN `closed_at` integer NULL;
-- add column "erase_at" to table: "accounts"
ALTER TABLE `accounts` ADD COLUMN `erase_at` integer NULL;
-- create index "accounts_closed" to table: "accounts"
CREATE INDEX `accounts_closed` ON `accounts` (`erase_at`, `id`) WHERE closed_at IS NOT NULL;
