-- +goose NO TRANSACTION
-- +goose Up
PRAGMA foreign_keys = off;
BEGIN IMMEDIATE;
-- create "new_shipping_models" table
CREATE TABLE `new_shipping_models` (`id` integer NOT NULL, `owner` integer NOT NULL, `name` text NOT NULL, `type` text NOT NULL, `currency` text NOT NULL, `is_default` bool NOT NULL, `zones` text NOT NULL DEFAULT (''), `created_at` integer NOT NULL, `updated_at` integer NOT NULL, `state` text NOT NULL DEFAULT ('active'), PRIMARY KEY (`id`));
-- copy rows from old table "shipping_models" to new temporary table "new_shipping_models"
INSERT INTO `new_shipping_models` (`id`, `owner`, `name`, `type`, `currency`, `is_default`, `zones`, `created_at`, `updated_at`) SELECT `id`, `owner`, `name`, `type`, `currency`, `is_default`, `zones`, `created_at`, `updated_at` FROM `shipping_models`;
-- drop "shipping_models" table after copying rows
DROP TABLE `shipping_models`;
-- rename temporary table "new_shipping_models" to "shipping_models"
ALTER TABLE `new_shipping_models` RENAME TO `shipping_models`;
-- create index "shipping_models_owner" to table: "shipping_models"
CREATE INDEX `shipping_models_owner` ON `shipping_models` (`owner`, `id`);
-- refuse to commit broken references
CREATE TEMP TABLE broken_references (count integer CHECK (count = 0));
INSERT INTO broken_references SELECT count(*) FROM pragma_foreign_key_check;
DROP TABLE broken_references;
COMMIT;
PRAGMA foreign_keys = on;
