-- +goose Up
-- Columns are added and no table is copied, because there may be millions of rows.
-- add column "predecessor_id" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `predecessor_id` text NULL;
-- add column "successor_id" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `successor_id` text NULL;
-- add column "lifetime" to table: "api_keys"
ALTER TABLE `api_keys` ADD COLUMN `lifetime` integer NULL;
-- add column "key_id" to table: "events"
ALTER TABLE `events` ADD COLUMN `key_id` text NULL;
-- add column "changed" to table: "events"
ALTER TABLE `events` ADD COLUMN `changed` text NULL;
-- add column "cause" to table: "submissions"
ALTER TABLE `submissions` ADD COLUMN `cause` text NULL;
-- add column "images_cause" to table: "items"
ALTER TABLE `items` ADD COLUMN `images_cause` text NULL;
-- add column "forgotten_at" to table: "bills"
ALTER TABLE `bills` ADD COLUMN `forgotten_at` integer NULL;
-- create index "bills_forgotten" to table: "bills"
CREATE INDEX `bills_forgotten` ON `bills` (`owner`, `created_at`, `id`) WHERE forgotten_at IS NOT NULL;
-- add column "forgotten_at" to table: "sales"
ALTER TABLE `sales` ADD COLUMN `forgotten_at` integer NULL;
-- create index "sales_forgotten" to table: "sales"
CREATE INDEX `sales_forgotten` ON `sales` (`owner`, `sold_at`, `id`) WHERE forgotten_at IS NOT NULL;
-- add column "skip_key_ids" to table: "webhooks"
ALTER TABLE `webhooks` ADD COLUMN `skip_key_ids` text NULL;
-- add column "changed" to table: "webhooks"
ALTER TABLE `webhooks` ADD COLUMN `changed` text NULL;
-- keys that read sales or bills go on reading the buyers in them; by hand
UPDATE api_keys SET permissions = permissions || ' buyers:read' WHERE permissions LIKE '%sales:%' OR permissions LIKE '%bills:%';
-- buyers who are forgotten already; by hand
UPDATE bills SET forgotten_at = (SELECT forgotten_at FROM buyers WHERE id = buyer_id)
 WHERE buyer_id IN (SELECT id FROM buyers WHERE forgotten_at IS NOT NULL);
UPDATE sales SET forgotten_at = (SELECT forgotten_at FROM buyers WHERE id = buyer_id)
 WHERE buyer_id IN (SELECT id FROM buyers WHERE forgotten_at IS NOT NULL);
