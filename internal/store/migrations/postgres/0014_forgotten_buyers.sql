-- +goose NO TRANSACTION
-- +goose Up
-- No row is rewritten, and the index locks out no writer, so running servers go on. Each statement can be repeated.
-- modify "deliveries" table
ALTER TABLE "deliveries" ADD COLUMN IF NOT EXISTS "response_dropped" boolean NOT NULL DEFAULT false;
-- modify "idempotency_keys" table
ALTER TABLE "idempotency_keys" ADD COLUMN IF NOT EXISTS "buyer_id" bigint NULL;
DROP INDEX CONCURRENTLY IF EXISTS "idempotency_keys_buyer";
-- create index "idempotency_keys_buyer" to table: "idempotency_keys"
CREATE INDEX CONCURRENTLY "idempotency_keys_buyer" ON "idempotency_keys" ("buyer_id") WHERE (buyer_id > 0);
