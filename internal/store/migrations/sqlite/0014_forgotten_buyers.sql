-- +goose Up
-- Columns are added and no table is copied, because there may be millions of rows.
-- add column "response_dropped" to table: "deliveries"
ALTER TABLE `deliveries` ADD COLUMN `response_dropped` bool NOT NULL DEFAULT false;
-- add column "buyer_id" to table: "idempotency_keys"
ALTER TABLE `idempotency_keys` ADD COLUMN `buyer_id` integer NULL;
-- create index "idempotency_keys_buyer" to table: "idempotency_keys"
CREATE INDEX `idempotency_keys_buyer` ON `idempotency_keys` (`buyer_id`) WHERE buyer_id > 0;
